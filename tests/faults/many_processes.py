"""Several processes at once on one filter file, one tracker and one chain folder.

usage: many_processes.py PROGRAM PRELOAD MAPPED_WRITER [WORD...]     only the parts whose name has one of the words
Each process does its share in an order of its own and writes down what was accepted with exit 0. All of that is there
in the end, whichever process came between. A command may refuse because another one is at work, with a sentence; it is repeated.
"""
import concurrent.futures
import json
import pathlib
import random
import sys
import threading
import time

from chain_commands import BLOCKS, source
from harness import FULL, Sweep, Tools, calm
from track_commands import totals

PROCESSES = (2, 4, 8) if FULL else (4,)
ROUNDS = 10 if FULL else 1
STEPS = 24 if FULL else 8
PATIENCE = 60  # seconds in which a refused command comes through


class Crowd:
    """Workers in one folder. Each runs commands one after the other, in a folder of its own for its output."""

    def __init__(self, tools, sweep, folder, processes, seed):
        self.tools, self.sweep, self.folder, self.processes, self.seed = tools, sweep, folder, processes, seed
        self.lock, self.accepted, self.refused = threading.Lock(), [], 0

    def command(self, worker, arguments, stdin=b"", codes=(0,)):
        """Runs it until it is accepted."""
        end = time.monotonic() + PATIENCE
        while True:
            own = self.folder / f"worker-{worker}"
            own.mkdir(exist_ok=True)
            outcome = self.tools.run(own, arguments, stdin)
            calm(outcome, " ".join(map(str, arguments)))
            with self.lock:
                self.sweep.tried += 1
                self.refused += outcome.code not in codes
            if outcome.code in codes:
                return outcome
            assert time.monotonic() < end, f"{arguments} is refused for {PATIENCE} s: {outcome}"
            time.sleep(0.01)

    def work(self, share):
        """share(worker, chance) in every worker at once."""
        with concurrent.futures.ThreadPoolExecutor(self.processes) as pool:
            running = [pool.submit(share, worker, random.Random(self.seed * 100 + worker))
                       for worker in range(self.processes)]
            for done in running:
                done.result()
        self.sweep.note("refused and repeated", self.refused)


def keys_of(worker, step, count=20):
    return [f"{worker}-{step}-{i}" for i in range(count)]


def text(keys):
    return "".join(f"{key}\n" for key in keys).encode()


def filter_file(crowd):
    """add, merge, dedup --save and query on one file: no accepted key is missing."""
    target = crowd.folder / "f.bloom"
    crowd.tools.must(crowd.folder, "build", "-q", "-n", "20000", "-p", "0.001%", "--layout", "block", "-o", target,
                     stdin=text(["first"]))
    inside, printed = {"first"}, set()

    def share(worker, chance):
        for step in range(STEPS):
            keys, action = keys_of(worker, step), chance.choice(["add", "merge", "dedup", "query"])
            if action == "add":
                crowd.command(worker, ["add", "-q", target], text(keys))
            elif action == "merge":
                mine = crowd.folder / f"worker-{worker}" / f"mine-{step}.bloom"
                crowd.command(worker, ["build", "-q", "-n", "20000", "-p", "0.001%", "--layout", "block", "-o", mine],
                              text(keys))
                crowd.command(worker, ["merge", "-q", "-F", "-o", target, target, mine])
            elif action == "dedup":
                common = [f"common-{step}-{i}" for i in range(20)]
                out = crowd.command(worker, ["dedup", "-q", "--save", target], text(keys + common)).out.decode().split()
                with crowd.lock:
                    printed.update(out)
                keys = keys + common
            else:
                with crowd.lock:
                    known = sorted(inside)
                found = crowd.command(worker, ["query", target], text(known)).out.decode().split()
                assert found == known, f"a query misses {set(known) - set(found)}"
                continue
            with crowd.lock:
                inside.update(keys)
                if action == "dedup":
                    crowd.accepted += keys

    crowd.work(share)
    wanted = sorted(inside)
    found = crowd.tools.must(crowd.folder, "query", target, stdin=text(wanted)).decode().split()
    assert found == wanted, f"{len(wanted) - len(found)} of {len(wanted)} keys are lost: {sorted(set(wanted) - set(found))[:5]}"
    unprinted = set(crowd.accepted) - printed
    assert not unprinted, f"{len(unprinted)} records are in the filter and were printed by no dedup: {sorted(unprinted)[:5]}"
    check_leftovers(crowd.folder)


def counting_file(crowd):
    """add and remove on a counting filter: what was added once more than removed is there."""
    target = crowd.folder / "f.bloom"
    crowd.tools.must(crowd.folder, "build", "-q", "-n", "20000", "-p", "0.001%", "--layout", "counting",
                     "--counter-bits", "8", "-o", target, stdin=text(["first"]))
    kept, gone = ["first"], []

    def share(worker, chance):
        for step in range(STEPS):
            keys = keys_of(worker, step)
            crowd.command(worker, ["add", "-q", target], text(keys))
            crowd.command(worker, ["remove", "-q", target], text(keys[:10]))
            with crowd.lock:
                kept.extend(keys[10:])
                gone.extend(keys[:10])

    crowd.work(share)
    found = crowd.tools.must(crowd.folder, "query", target, stdin=text(kept)).decode().split()
    assert found == kept, f"{len(kept) - len(found)} of {len(kept)} keys are lost"
    still = crowd.tools.run(crowd.folder, ["query", target], text(gone)).out.decode().split()
    assert len(still) <= 2, f"{len(still)} of {len(gone)} removed keys are still there: {still[:5]}"


def tracker(crowd):
    """mark, cycle, scan and query on one state: every accepted mark is known, no cycle is begun twice."""
    state, tree = crowd.folder / "state", crowd.folder / "tree"
    for i in range(crowd.processes):
        (tree / str(i)).mkdir(parents=True)
    crowd.tools.must(crowd.folder, "track", "scan", tree, "--state", state, "-q")
    since = crowd.tools.must(crowd.folder, "track", "cycle", "--state", state, "-q").decode().strip()
    marked, cycles = set(), [since]

    def share(worker, chance):
        for step in range(STEPS):
            action = chance.choice(["mark", "mark", "mark", "cycle", "scan", "query"])
            if action == "mark":
                name = f"{worker}/file-{step}"
                (tree / name).write_text("content")
                crowd.command(worker, ["track", "mark", "--state", state, name])
                with crowd.lock:
                    marked.add(name)
            elif action == "cycle" and len(cycles) < 12:  # sixteen are kept
                begun = crowd.command(worker, ["track", "cycle", "--state", state, "-q"]).out.decode().strip()
                with crowd.lock:
                    cycles.append(begun)
            elif action == "scan" and worker == 0:
                crowd.command(worker, ["track", "scan", tree, "--state", state, "--sweep", "0", "--json", "-q"])
            else:
                with crowd.lock:
                    known = sorted(marked) or ["nothing"]
                out = crowd.command(worker, ["track", "query", "--state", state, "--since", since, *known], codes=(0, 1)).out
                assert known == ["nothing"] or out.decode().split() == known, "a query misses a mark"

    crowd.work(share)
    assert len({cycle.split(":")[0] for cycle in cycles}) == len(cycles), f"a cycle was begun twice: {cycles}"
    known = crowd.tools.must(crowd.folder, "track", "query", "--state", state, "--since", since, *sorted(marked))
    assert known.decode().split() == sorted(marked), f"marks are lost: {marked - set(known.decode().split())}"
    for name in sorted(marked):
        crowd.tools.must(crowd.folder, "track", "mark", "--state", state, name)
    usage = json.loads(crowd.tools.must(crowd.folder, "track", "scan", tree, "--state", state, "--sweep", "0", "--json", "-q"))
    assert (usage["objects"], usage["bytes"]) == totals(tree), f"the scan counted {usage['objects']}, {totals(tree)}"
    check_leftovers(crowd.folder)


def chain_folder(crowd):
    """import, index, logs and status on one chain folder: all logs in the end, and never other ones."""
    folder = crowd.folder / "db"
    for name, past in (("half", BLOCKS // 2), ("all", BLOCKS)):
        (crowd.folder / f"{name}.jsonl").write_bytes(source(0, past))
    crowd.tools.must(crowd.folder, "eth", "import", "-q", "--db", crowd.folder / "alone", crowd.folder / "all.jsonl")
    wanted = crowd.tools.must(crowd.folder, "eth", "logs", "--db", crowd.folder / "alone", "--no-index").splitlines()
    crowd.tools.must(crowd.folder, "eth", "import", "-q", "--db", folder, crowd.folder / "half.jsonl")

    def share(worker, chance):
        for _ in range(max(2, STEPS // 4)):
            action = chance.choice(["import", "index", "logs", "logs"])
            if action == "import":
                crowd.command(worker, ["eth", "import", "-q", "--db", folder, crowd.folder / "all.jsonl"])
            elif action == "index":
                crowd.command(worker, ["eth", "index", "-q", "--db", folder, "--section", "8", "--confirms", "0", "--kind", "both"])
            else:
                found = crowd.command(worker, ["eth", "logs", "--db", folder]).out.splitlines()
                assert found == wanted[:len(found)] and len(found) > 0, f"{len(found)} other logs than imported"
        crowd.command(worker, ["eth", "import", "-q", "--db", folder, crowd.folder / "all.jsonl"])

    crowd.work(share)
    crowd.tools.must(crowd.folder, "eth", "index", "-q", "--db", folder, "--section", "8", "--confirms", "0", "--kind", "both")
    assert crowd.tools.must(crowd.folder, "eth", "logs", "--db", folder).splitlines() == wanted
    verified = crowd.tools.run(crowd.folder, ["eth", "verify", "--db", folder])
    assert verified.code == 0, verified


def check_leftovers(folder):
    hidden = [path.name for path in folder.rglob(".*") if path.is_file()]
    assert not hidden, f"temporary files are left: {hidden[:5]}"


PARTS = {"filter file": filter_file, "counting file": counting_file, "tracker": tracker, "chain folder": chain_folder}


def main():
    tools = Tools(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    sweep = Sweep("several processes" + ("" if FULL else ", a sample"))
    words = sys.argv[4:]
    for name, part in PARTS.items():
        if words and not any(word in name for word in words):
            continue
        for seed in range(ROUNDS):
            for processes in PROCESSES:
                folder = sweep.folder / f"{name.replace(' ', '-')}-{processes}-{seed}"
                folder.mkdir()
                try:
                    part(Crowd(tools, sweep, folder, processes, seed))
                except AssertionError as wrong:
                    sweep.finding(f"{name}, {processes} processes, seed {seed}: ", str(wrong))
                sweep.note("crowds")
    return sweep.close("commands")


if __name__ == "__main__":
    sys.exit(main())
