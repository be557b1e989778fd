"""Commands on a tracker's state, for the sweeps. A path that was marked may never be answered "unchanged"."""
import json
import re

from harness import Outcome, calm

TREE = "TREE"


def answers(tools, folder, since, *paths):
    """Which of the paths may have changed since the cycle."""
    done = tools.run(folder, ["track", "query", "--state", "s", "--since", since, "--json", *paths])
    assert done.code in (0, 1), f"the state cannot be queried: {done}"
    return {entry["path"] for entry in json.loads(done.out) if entry["may_have_changed"]}


def names_in(folder):
    """Of the files below it. The name of a further root's cache depends on where the root is."""
    return {re.sub(r"^usage-[0-9a-f]{16}", "usage-H", path.name) for path in folder.rglob("*")}


def totals(tree):
    files = [path for path in tree.rglob("*") if path.is_file()]
    return len(files), sum(path.stat().st_size for path in files)


class TrackCommand:
    """A command on the state in the folder `s`, which begins with a cycle of its own and one marked path.

    A state that was copied answers "maybe" to every question, so each run where that matters makes its own (fill). The
    tree that TREE stands for lies in the folder of the run, or outside of it where runs are copies of one."""

    disk_model, cost = "strict", 4

    def __init__(self, name, arguments, marks=()):
        self.name, self.arguments, self.marks, self.shared_tree = name, ["track", *arguments], marks, None

    def prepare(self, tools, folder):
        self.shared_tree = folder.with_suffix(".tree")
        self.make(tools, folder, self.shared_tree)

    def fill(self, tools, folder):
        self.make(tools, folder, folder / "tree")

    def tree(self, folder):
        own = folder / "tree"
        return own if own.exists() else self.shared_tree

    @staticmethod
    def make(tools, folder, tree):
        for part in ("a/deep", "b", "c"):
            (tree / part).mkdir(parents=True)
            (tree / part / "file").write_text(part)
        tools.must(folder, "track", "scan", tree, "--state", "s", "--marks-only", "--sweep", "0", "-q")
        tools.must(folder, "track", "cycle", "--state", "s", "-q")
        cycle = tools.must(folder, "track", "cycle", "--state", "s", "-q").decode().strip()
        (folder / "cycle").write_text(cycle)
        (tree / "b/second").write_text("more than before")
        tools.must(folder, "track", "mark", "--state", "s", "b/second")

    def run(self, tools, folder, **settings):
        tree = self.tree(folder)
        if "PREFIX" in settings:
            settings["PREFIX"] = f"{settings['PREFIX']}:{tree}"
        return tools.run(folder, [tree if word == TREE else word for word in self.arguments], **settings)

    def learn(self, tools, folder):
        outcome = self.run(tools, folder)
        calm(outcome, self.name)
        assert outcome.code == 0, outcome
        self.names = names_in(folder)
        self.check_result(tools, folder, outcome)

    def check(self, tools, folder, outcome, leftovers=False):
        since = (folder / "cycle").read_text()
        extra = names_in(folder) - self.names
        assert leftovers or not extra, f"left behind {sorted(extra)}; {outcome}"
        assert "b/second" in answers(tools, folder, since, "b/second"), f"a mark of before is lost; {outcome}"
        if outcome.code == 0:
            self.check_result(tools, folder, outcome)
        repeated = self.run(tools, folder)
        assert repeated.code == 0, f"the next run: {repeated}; after {outcome}"
        self.check_result(tools, folder, repeated)
        self.check_scan(tools, folder, outcome)

    def check_power_loss(self, tools, folder, said, ended):
        outcome = Outcome(0 if ended else 2, said, "the power went")
        self.check(tools, folder, outcome, leftovers=True)

    def check_result(self, tools, folder, outcome):
        """What holds after exit 0."""
        since = (folder / "cycle").read_text()
        marked = {*self.marks, "b/second"}
        known = answers(tools, folder, since, *marked)
        assert known == marked, f"exit 0, and {marked - known} are not marked; {outcome}"
        if self.arguments[1] == "cycle":
            begun = outcome.out.decode().strip()
            # Not asked about a path: a state that was copied or put back answers "maybe" to every question.
            current = json.loads(tools.must(folder, "track", "cycle", "--state", "s", "--peek", "--json"))["cycle"]
            assert current == begun, f"exit 0, and cycle {begun} has not begun, but {current}; {outcome}"
        if self.arguments[1] == "scan":
            self.compare(folder, json.loads(outcome.out), outcome)

    def check_scan(self, tools, folder, outcome):
        """Whatever came before, a scan counts what is there."""
        scan = tools.run(folder, ["track", "scan", self.tree(folder), "--state", "s", "--sweep", "0", "--json", "-q"])
        assert scan.code == 0, f"a later scan: {scan}; after {outcome}"
        self.compare(folder, json.loads(scan.out), outcome)

    def compare(self, folder, usage, outcome):
        counted, there = (usage["objects"], usage["bytes"]), totals(self.tree(folder))
        assert counted == there, f"counted {counted}, there are {there}; {outcome}"
        assert usage["complete"], f"exit 0, and the scan is not complete; {outcome}"


TRACK_COMMANDS = [
    TrackCommand("track mark", ["mark", "--state", "s", "a/x", "c/y/z"], marks=("a/x", "c/y/z")),
    TrackCommand("track mark --drive", ["mark", "--state", "s", "--drive", "d", "a/x"], marks=("a/x",)),
    TrackCommand("track cycle", ["cycle", "--state", "s", "-q"]),
    TrackCommand("track scan", ["scan", TREE, "--state", "s", "--sweep", "0", "--json", "-q"]),
    TrackCommand("track scan --full", ["scan", TREE, "--state", "s", "--full", "--json", "-q"]),
]
