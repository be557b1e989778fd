#!/usr/bin/env python3
"""An index of filters under kills and beside itself: a command that is killed leaves the index as it was or as it
should be, and two that change one index wait for each other.

usage: index_kill.py BLOOMERY
"""
import json
import os
import random
import signal
import subprocess
import tempfile
import time

from checked_command import COMMAND, check, run

KILLS = 100  # of each kind of change


def make_filters(count, first=0):
    names = []
    for i in range(first, first + count):
        keys = b"".join(b"key %d\n" % key for key in range(200) if key * (i + 3) % 7 < 3)
        run("build", "-q", "--layout", "block", "--bits", str(512 * 400), "--probes", "8", "-o", f"f{i}.bloom", data=keys)
        names.append(f"f{i}.bloom")
    return names


KEYS = [f"key {i}" for i in range(12)]


def answers_of(index):
    """The filters, and what the index says of each key; the file must verify too."""
    run("index", "verify", "-q", index)
    listed = run("index", "list", index)[0].split("\n")[:-1]
    # Exit code 1: no filter holds any key.
    done = subprocess.run([COMMAND, "index", "query", index, *KEYS], capture_output=True)
    check(done.returncode in (0, 1), index, done.stderr.decode())
    hits = {key: set() for key in KEYS}
    for line in done.stdout.decode().splitlines():
        key, name = line.split("\t")
        hits[key].add(name)
    return listed, hits


class Truth:
    """What each filter's own file says."""

    def __init__(self, names):
        data = "\n".join(KEYS).encode() + b"\n"
        self.hits = {}
        for name in names:
            done = subprocess.run([COMMAND, "query", name], input=data, capture_output=True)
            self.hits[name] = set(done.stdout.decode().splitlines())

    def expect(self, index, names):
        listed, hits = answers_of(index)
        check(sorted(listed) == sorted(names), index, "lists", listed, "and not", names)
        for key in KEYS:
            check(hits[key] == {name for name in names if key in self.hits[name]}, index, key, hits[key])


def kill_after(seconds, *arguments):
    """True where the command was killed before its end."""
    process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    error = process.communicate()[1]
    check(process.returncode in (0, -signal.SIGKILL), arguments, process.returncode, error.decode())
    return process.returncode != 0


def kill_changes(truth, names, arguments, before, after, prepare=lambda: None):
    """Kills one kind of change at many instants: whatever comes out is `before` or `after`."""
    started = time.monotonic()
    prepare()
    run(*arguments)
    longest = max(0.004, (time.monotonic() - started) * 1.3)
    outcomes = {"old": 0, "new": 0}
    killed = 0
    for _ in range(KILLS):
        prepare()
        killed += kill_after(random.uniform(0, longest), *arguments)
        listed = run("index", "list", "all.bloomindex")[0].split("\n")[:-1] if os.path.exists("all.bloomindex") else None
        check(listed is None and before is None or sorted(listed) in (sorted(before or []), sorted(after)), arguments, listed)
        outcomes["new" if listed is not None and sorted(listed) == sorted(after) else "old"] += 1
        if listed is not None:
            truth.expect("all.bloomindex", listed)
    check(killed > 0, arguments, "no command was killed")
    print(f"{' '.join(arguments[:2])}: {killed} of {KILLS} killed; old {outcomes['old']}, new {outcomes['new']}")
    left = [name for name in os.listdir() if name.startswith(".all.bloomindex")]
    prepare()
    run(*arguments)
    still = [name for name in os.listdir() if name.startswith(".all.bloomindex")]
    check(len(still) == 0, "temporary files stay", left, still)


def test_kills(names, truth):
    first, more = names[:20], names[20:]

    def fresh():
        run("index", "build", "-q", "-F", "-o", "all.bloomindex", *first)

    def none():
        if os.path.exists("all.bloomindex"):
            os.remove("all.bloomindex")

    kill_changes(truth, names, ["index", "build", "-o", "all.bloomindex", *first], None, first, none)
    kill_changes(truth, names, ["index", "append", "all.bloomindex", *more], first, first + more, fresh)
    kill_changes(truth, names, ["index", "delete", "all.bloomindex", *first[3:9]], first, first[:3] + first[9:], fresh)

    def with_deleted():
        fresh()
        run("index", "delete", "-q", "all.bloomindex", *first[3:9])

    left = first[:3] + first[9:]
    kill_changes(truth, names, ["index", "compact", "all.bloomindex"], left, left, with_deleted)


def test_two_writers(names, truth):
    """Both append, one filter at a time: nothing is lost."""
    run("index", "build", "-q", "-F", "-o", "all.bloomindex", names[0])
    script = 'for f in "$@"; do "$BLOOMERY" index append -q all.bloomindex "$f" || exit 1; done'
    environment = dict(os.environ, BLOOMERY=COMMAND)
    halves = names[1:14], names[14:]
    writers = [subprocess.Popen(["sh", "-c", script, "sh", *half], env=environment, stderr=subprocess.PIPE) for half in halves]
    reads = 0
    while any(writer.poll() is None for writer in writers):
        run("index", "verify", "-q", "all.bloomindex")  # a reader is never disturbed
        reads += 1
    for writer in writers:
        check(writer.returncode == 0, writer.communicate()[1].decode())
    truth.expect("all.bloomindex", names)
    print(f"two writers: {len(names)} filters, {reads} readings meanwhile")


def test_disk_full(names, truth):
    """A file that may not grow: the append fails, and the index is as it was."""
    run("index", "build", "-q", "-F", "-o", "all.bloomindex", *names[:9])
    size = os.path.getsize("all.bloomindex")
    blocks = size // 1024 + 20
    for command in (["append", "all.bloomindex", *names[9:]], ["build", "-F", "-o", "all.bloomindex", *names]):
        words = " ".join(["index", *command])
        done = subprocess.run(["bash", "-c", f'ulimit -f {blocks}; "{COMMAND}" {words}'], capture_output=True)
        check(done.returncode == 2 and b"File too large" in done.stderr, command, done.returncode, done.stderr)
        check(os.path.getsize("all.bloomindex") == size, "the file has another length")
        truth.expect("all.bloomindex", names[:9])


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        names = make_filters(24)
        truth = Truth(names)
        test_kills(names, truth)
        test_two_writers(names, truth)
        test_disk_full(names, truth)
        check(json.loads(run("index", "inspect", "--json", "all.bloomindex")[0])["filters"] == 9)
    print("index_kill: ok")


main()
