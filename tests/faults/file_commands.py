"""Commands on filter files, for the sweeps: a folder to begin with, and the files that may be there afterwards."""
import os

from harness import STDOUT, calm, snapshot


def lines(first, past):
    return "".join(f"key-{i}\n" for i in range(first, past)).encode()


class FileCommand:
    """A command that replaces files: afterwards each is the old one or the new one, byte for byte."""

    disk_model, cost = "strict", 1

    def __init__(self, name, arguments, prepare, stdin=b""):
        self.name, self.arguments, self.prepare, self.stdin = name, arguments, prepare, stdin

    def run(self, tools, folder, **settings):
        return tools.run(folder, self.arguments, self.stdin, **settings)

    def learn(self, tools, folder):
        """What is there before, after the command, and after it ran twice."""
        self.old = snapshot(folder)
        self.clean = self.run(tools, folder)
        self.new = snapshot(folder)
        self.again = self.run(tools, folder)
        self.last = snapshot(folder)
        calm(self.clean, self.name)
        assert self.clean.code == 0, self.clean

    def check(self, tools, folder, outcome, leftovers=False):
        """After a fault: old or new, nothing lying about, and the same command works as if nothing had been."""
        now = snapshot(folder)
        extra = now.keys() - self.old.keys() - self.new.keys()
        assert leftovers or not extra, f"left behind {sorted(extra)}; {outcome}"
        for name in extra:
            del now[name]
        assert now in (self.old, self.new), f"neither the old files nor the new ones: {self.difference(now)}; {outcome}"
        if outcome.code == 0:
            assert now == self.new, f"exit 0, and the old files are there; {outcome}"
            assert outcome.out == self.clean.out, f"exit 0, and stdout is not that of a clean run; {outcome}"
        repeated = self.run(tools, folder)
        wanted, files = (self.clean, self.new) if now == self.old else (self.again, self.last)
        assert (repeated.code, repeated.out) == (wanted.code, wanted.out), f"the next run: {repeated}; after {outcome}"
        after = {name: content for name, content in snapshot(folder).items() if name not in extra}
        assert after == files, f"the next run left other files: {sorted(after)}; after {outcome}"

    def check_power_loss(self, tools, folder, said, ended):
        """Every file is the old one or the new one, and after the end the new one. Temporary files may lie about."""
        now = snapshot(folder)
        out = now.pop(STDOUT, b"")
        extra = now.keys() - self.old.keys() - self.new.keys()
        assert all(name.startswith(".") or name.endswith((".new", ".partial")) for name in extra), f"left behind {sorted(extra)}"
        for name in extra:
            del now[name]
        assert now in (self.old, self.new), f"neither the old files nor the new ones: {self.difference(now)}"
        assert not ended or now == self.new, f"exit 0, and the old files are there: {sorted(now)}"
        # A record that is marked as seen and never reached its reader would be lost for good.
        assert now == self.old or out == self.clean.out, f"the filter is saved, and {len(self.clean.out) - len(out)} " \
            "bytes of the output are lost"

    def difference(self, now):
        return [f"{name}: {len(now.get(name, b''))} bytes, old {len(self.old.get(name, b''))}, new "
                f"{len(self.new.get(name, b''))}" for name in sorted(now.keys() | self.old.keys() | self.new.keys())
                if now.get(name) not in (self.old.get(name), self.new.get(name))] or "a mixture of both"


class ResumedCommand(FileCommand):
    """dedup --checkpoint: after a fault the same command goes on, and ends with the files of a clean run."""

    def learn(self, tools, folder):
        self.old = snapshot(folder)
        self.clean = self.run(tools, folder)
        self.new = snapshot(folder)
        calm(self.clean, self.name)
        assert self.clean.code == 0, self.clean

    def check(self, tools, folder, outcome, leftovers=False):
        if outcome.code != 0:
            repeated = self.run(tools, folder)
            assert repeated.code == 0, f"the next run: {repeated}; after {outcome}"
        self.compare(snapshot(folder), leftovers)

    def compare(self, now, leftovers):
        wrong = [name for name in self.new if now.get(name) != self.new[name]]
        assert not wrong, f"not as after a clean run: {wrong}"
        extra = [name for name in now.keys() - self.new.keys() if not name.startswith(".")]
        assert leftovers or not extra, f"left behind {sorted(extra)}"

    def check_power_loss(self, tools, folder, said, ended):
        aged(folder)  # the files are copies, and a copy has another time
        now = snapshot(folder)
        complete = all(now.get(name) == content for name, content in self.new.items())
        if not ended and not (complete and "out.gz.checkpoint" not in now):
            repeated = self.run(tools, folder)
            assert repeated.code == 0, f"the next run: {repeated}"
        now = snapshot(folder)
        now.pop(STDOUT, None)
        self.compare(now, leftovers=False)


class IndexCommand(FileCommand):
    """Changes an index in place: bytes behind the length in its header count for nothing, so that its answers are compared."""

    cost = 2

    def learn(self, tools, folder):
        self.old_answers = self.answers(tools, folder)
        super().learn(tools, folder)
        (folder / "i.bloomindex").write_bytes(self.new["i.bloomindex"])
        self.new_answers = self.answers(tools, folder)
        assert self.name.endswith("compact") or self.old_answers != self.new_answers

    def answers(self, tools, folder):
        if not (folder / "i.bloomindex").exists():
            return None
        verified = tools.run(folder, ["index", "verify", "i.bloomindex"])
        assert verified.code == 0, verified
        found = tools.run(folder, ["index", "query", "i.bloomindex", "--any"], lines(0, 400))
        return found.code, found.out

    def check_power_loss(self, tools, folder, said, ended):
        now = self.answers(tools, folder)
        assert now in (self.old_answers, self.new_answers), f"answers neither as before nor as after: {now}"
        assert not ended or now == self.new_answers, "exit 0, and the old index answers"
        if now == self.old_answers:
            repeated = self.run(tools, folder)
            assert repeated.code == 0, f"the next run: {repeated}"
            assert self.answers(tools, folder) == self.new_answers, "the next run left other answers"


def filters_for_index(tools, folder):
    for i in range(5):
        (folder / "keys.txt").write_bytes(lines(40 * i, 40 * i + 60))
        tools.must(folder, "build", "-q", "--layout", "block", "--bits", "4096", "--probes", "8", "-o", f"f{i}.bloom", "keys.txt")


def index(tools, folder):
    filters_for_index(tools, folder)
    names = ["f0.bloom", "f1.bloom", "f2.bloom", "f0.bloom", "f1.bloom", "f2.bloom", "f0.bloom", "f1.bloom", "f2.bloom"]
    given = [word for i, _ in enumerate(names) for word in ("--name", f"day{i}")]
    tools.must(folder, "index", "build", "-q", "-o", "i.bloomindex", *given, *names)


def filter_of(keys, *options):
    def prepare(tools, folder):
        (folder / "old.txt").write_bytes(keys)
        (folder / "new.txt").write_bytes(lines(200, 400))
        tools.must(folder, "build", "-q", "-o", "f.bloom", *options, "old.txt")
    return prepare


def two_filters(tools, folder):
    filter_of(lines(0, 200), "-n", "20000")(tools, folder)
    tools.must(folder, "build", "-q", "-o", "g.bloom", "-n", "20000", "new.txt")


def counting(tools, folder):
    filter_of(lines(0, 200), "-n", "1000", "--layout", "counting")(tools, folder)
    (folder / "gone.txt").write_bytes(lines(50, 100))


def records(tools, folder):
    (folder / "old.txt").write_bytes(lines(0, 200))
    (folder / "new.txt").write_bytes(lines(100, 300) + lines(150, 250))


def aged(folder):
    for name in ("old.txt", "new.txt"):
        os.utime(folder / name, (10**9, 10**9))


def aged_records(tools, folder):
    records(tools, folder)
    aged(folder)


def guava(tools, folder):
    (folder / "old.txt").write_bytes(lines(0, 200))
    tools.must(folder, "build", "-q", "--format", "bits-and-blooms", "-n", "500", "-o", "f.bloom", "old.txt")

KEYS = lines(0, 200)
FILE_COMMANDS = [
    FileCommand("build", ["build", "-q", "-o", "f.bloom", "old.txt", "new.txt"], records),
    FileCommand("build --force", ["build", "-q", "-F", "-o", "f.bloom", "new.txt"], filter_of(KEYS)),
    FileCommand("build of a pipe", ["build", "-q", "-o", "f.bloom"], records, lines(0, 500)),
    FileCommand("build, seeded", ["build", "-q", "--seeded", "-o", "f.bloom", "old.txt", "new.txt"], records),
    FileCommand("add", ["add", "-q", "f.bloom", "new.txt"], filter_of(KEYS, "-n", "20000")),
    FileCommand("add, classic", ["add", "-q", "f.bloom", "new.txt"],
                filter_of(KEYS, "-n", "1000", "--layout", "classic")),
    FileCommand("remove", ["remove", "-q", "f.bloom", "gone.txt"], counting),
    FileCommand("merge", ["merge", "-q", "-F", "-o", "f.bloom", "f.bloom", "g.bloom"], two_filters),
    FileCommand("fold", ["fold", "-q", "-F", "-p", "10%", "-o", "f.bloom", "f.bloom"], filter_of(KEYS, "-n", "10000")),
    FileCommand("convert", ["convert", "-q", "--to", "bits-and-blooms:json", "-o", "f.json", "f.bloom"], guava),
    FileCommand("dedup", ["dedup", "-q", "new.txt"], records),
    FileCommand("dedup --save", ["dedup", "-q", "--save", "f.bloom", "new.txt"], filter_of(KEYS, "-n", "20000")),
    FileCommand("dedup --save, a new file", ["dedup", "-q", "--save", "f.bloom", "new.txt"], records),
    FileCommand("dedup -o", ["dedup", "-q", "-o", "out.zst", "new.txt"], records),
    ResumedCommand("dedup --checkpoint", ["dedup", "-q", "--save", "f.bloom", "-n", "1000", "--checkpoint", "100",
                                          "-o", "out.gz", "--dupes", "again.txt", "old.txt", "new.txt"], aged_records),
    FileCommand("dedup --keep last of a pipe", ["dedup", "-q", "--keep", "last"], records, lines(0, 200) + lines(50, 99)),
    FileCommand("dedup --exact", ["dedup", "-q", "--exact", "new.txt"], records),
    FileCommand("dedup --exact of a pipe", ["dedup", "-q", "--exact", "--save", "f.bloom"], records,
                lines(0, 300) + lines(100, 400)),
    IndexCommand("index build", ["index", "build", "-q", "-o", "i.bloomindex", "f0.bloom", "f1.bloom", "f2.bloom"],
                 filters_for_index),
    IndexCommand("index append", ["index", "append", "-q", "i.bloomindex", "f3.bloom", "f4.bloom"], index),
    IndexCommand("index delete", ["index", "delete", "-q", "i.bloomindex", "day1", "day4", "day7"], index),
    IndexCommand("index compact", ["index", "compact", "-q", "i.bloomindex"], index),
    FileCommand("query", ["query", "f.bloom", "old.txt", "new.txt"], filter_of(KEYS, "-n", "20000")),
]
