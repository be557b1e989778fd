#!/usr/bin/env python3
"""Commands that write one filter file at the same time: each waits for the other, and no key is lost.

usage: concurrent_writers.py BLOOMERY
"""
import os
import signal
import subprocess
import tempfile

from checked_command import COMMAND, check, run

FULL = "BLOOMERY_FULL" in os.environ
KEYS = 20_000 if FULL else 1_000  # of each process

SIZE = ["-n", "200k"]
BITS = ["--bits", "2000000", "--probes", "5"]
# Every kind of filter that `add` takes: how it is built, and what opening it needs.
KINDS = {
    "block": (["--layout", "block", *SIZE], []),
    "lines": (["--layout", "lines", *SIZE], []),
    "classic": (["--layout", "classic", *SIZE], []),
    "counting": (["--layout", "counting", *SIZE], []),
    "scalable": (["--layout", "scalable", "-n", "1k"], []),
    "go-bloom": (["--format", "go-bloom", *SIZE, "-p", "0.01"], ["--format", "go-bloom", "--keys", "200k", "--fpr", "0.01"]),
    "guava": (["--format", "guava", *SIZE], []),
    "guava:mitz32": (["--format", "guava:mitz32", *SIZE], ["--format", "guava:mitz32"]),
    "bits-and-blooms": (["--format", "bits-and-blooms", *SIZE], []),
    "bits-and-blooms:json": (["--format", "bits-and-blooms:json", *SIZE], []),
    "bits-and-blooms:v2.0.0": (["--format", "bits-and-blooms:v2.0.0", *SIZE], ["--format", "bits-and-blooms:v2.0.0"]),
    "dcso": (["--format", "dcso", *SIZE], []),
    "parquet": (["--format", "parquet", *SIZE], []),
    "eventhorizon": (["--format", "eventhorizon", *BITS], ["--format", "eventhorizon", *BITS]),
    "redisbloom": (["--format", "redisbloom", *SIZE], ["--format", "redisbloom"]),
    "rediscuckoo": (["--format", "rediscuckoo", *SIZE], ["--format", "rediscuckoo"]),
}


def keys_of(process, count=KEYS):
    return b"".join(b"%d-%d\n" % (process, i) for i in range(count))


def missing(path, opening, keys):
    """How many of the keys the filter certainly does not hold."""
    done = subprocess.run([COMMAND, "query", "-q", "--json", "-v", *opening, path], input=keys, capture_output=True)
    check(done.returncode in (0, 1), path, done.stderr.decode())
    return int(done.stdout.split(b'"selected":')[1].split(b",")[0])


class Held:
    """A command that has locked its file and reads records until finish()."""

    def __init__(self, *arguments, data=b"held\n"):
        self.process = subprocess.Popen([COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        check(b"plan:" in self.process.stderr.readline(), arguments, "has no plan")
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def finish(self, expect=0):
        errors = self.process.communicate()[1].decode()
        check(self.process.returncode == expect, "exit", self.process.returncode, errors)
        return errors

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


def start(*arguments, data=b""):
    process = subprocess.Popen([COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if data is not None:
        process.stdin.write(data)
        process.stdin.close()
        process.stdin = None
    return process


def many_adds(name, processes):
    """All at once, so that they overlap as the machine likes."""
    building, opening = KINDS[name]
    run("build", "-q", "-F", "-o", "many", *building, data=b"first\n")
    inputs = []
    for i in range(processes):
        with open(f"keys-{i}", "wb") as out:
            out.write(keys_of(i))
        inputs.append(f"keys-{i}")
    running = [start("add", "-q", *opening, "many", path) for path in inputs]
    for process in running:
        errors = process.communicate()[1]
        check(process.returncode == 0, name, errors.decode())
    lost = missing("many", opening, b"first\n" + b"".join(keys_of(i) for i in range(processes)))
    check(lost == 0, name, processes, "processes lost", lost, "keys")


def held_add_and_another(name):
    """The second finds the file locked for certain, and waits until the first has saved."""
    building, opening = KINDS[name]
    run("build", "-q", "-F", "-o", "two", *building, data=b"first\n")
    first = Held("add", *opening, "two", data=keys_of(1))
    second = start("add", *opening, "two", data=keys_of(2))
    said = second.stderr.readline().decode()
    check("two: waiting for another process that is writing the file" in said, name, said)
    first.finish()
    errors = second.communicate()[1].decode()
    check(second.returncode == 0, name, errors)
    lost = missing("two", opening, b"first\n" + keys_of(1) + keys_of(2))
    check(lost == 0, name, "lost", lost, "keys")


def no_wait(*arguments, path="f", data=b"x\n"):
    errors = run(*arguments, "--lock-timeout", "0", data=data, expect=2)[1]
    check(f"{path}: another process is writing to the file; --lock-timeout SECONDS" in errors, arguments, errors)


def every_command_respects_the_lock():
    run("build", "-q", "-F", "-o", "f", "--layout", "counting", "-n", "10k", data=b"a\nb\n")
    run("build", "-q", "-F", "-o", "g", "--layout", "counting", "-n", "10k", data=b"c\n")
    os.symlink("f", "link")
    first = Held("add", "f")
    before = open("f", "rb").read()
    no_wait("add", "f")
    no_wait("add", "link", path="link")
    no_wait("remove", "f")
    no_wait("build", "-F", "-o", "f")
    no_wait("merge", "-F", "-o", "f", "f", "g")
    no_wait("fold", "-F", "-p", "50%", "-o", "f", "f")
    no_wait("convert", "-F", "--to", "bloomery", "-o", "f", "f")
    no_wait("dedup", "--save", "f")
    check(open("f", "rb").read() == before, "the file changed under the lock")
    check(missing("f", [], b"a\nb\n") == 0, "a reader does not wait")
    errors = run("remove", "f", "--lock-timeout", "0.2", data=b"a\n", expect=2)[1]
    check("f: another process is still writing to the file after a wait of 0.2 s" in errors, errors)
    waiting = start("remove", "-q", "f", data=b"a\n")
    first.finish()
    check(waiting.communicate()[0] == b"" and waiting.returncode == 0, "remove")
    check(missing("f", [], b"b\nheld\n") == 0, "add and remove")
    check(missing("f", [], b"a\n") == 1, "the removed key is gone")


def a_dead_writer_blocks_nobody():
    run("build", "-q", "-F", "-o", "f", "-n", "10k", data=b"a\n")
    holder = Held("add", "f")
    waiting = start("add", "-q", "f", data=b"b\n")
    holder.kill()
    check(waiting.communicate()[1] == b"" and waiting.returncode == 0, "add after a kill")
    check(missing("f", [], b"a\nb\n") == 0, "keys after a kill")


def two_create_one_file():
    for arguments in (["build", "-o", "new"], ["dedup", "--save", "new"]):
        if os.path.exists("new"):
            os.remove("new")
        first = Held(*arguments, "-n", "1000")
        run(*arguments, "-q", "-n", "1000", data=b"theirs\n")
        errors = first.finish(expect=2)
        check("new: not written: another process created the file meanwhile" in errors, errors)
        check(missing("new", [], b"theirs\n") == 0, arguments, "replaced what another made")


def a_forced_build_and_an_add():
    run("build", "-q", "-F", "-o", "f", "-n", "10k", data=b"a\n")
    first = Held("build", "-F", "-o", "f", "-n", "10k", data=b"built\n")
    run("add", "-q", "f", data=b"b\n")  # the build reads its input, and has locked nothing yet
    first.finish()
    check(missing("f", [], b"built\n") == 0, "a forced build")


def a_file_that_is_truncated_while_it_is_queried():
    """Files from 256 MiB on are mapped: reading past their end would end the command by SIGBUS."""
    run("build", "-q", "-o", "big", "--bits", "2147483648", "--probes", "5", "-m", "4Gi", data=b"a\n")
    query = subprocess.Popen([COMMAND, "query", "-m", "4Gi", "--label", "big"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    query.stdin.write(b"a\n")
    query.stdin.flush()
    check(query.stdout.readline() == b"maybe\ta\n", "a mapped filter answers")
    os.truncate("big", 1000)
    errors = query.communicate(keys_of(1))[1].decode()
    check(query.returncode == 3, "exit", query.returncode, errors)
    check("bloomery: big: the file was truncated by another process" in errors, errors)
    os.remove("big")


def pointless_options():
    errors = run("dedup", "--lock-timeout", "1", data=b"a\n", expect=2)[1]
    check("--lock-timeout has no effect: there is no --save" in errors, errors)
    for wrong in ("-1", "nan", "inf", "soon"):
        run("add", "--lock-timeout=" + wrong, "f", data=b"a\n", expect=2)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for kind in KINDS:
        many_adds(kind, 2)
    for kind in KINDS if FULL else ("block", "classic", "counting", "scalable", "guava", "parquet"):
        many_adds(kind, 8)
    for kind in KINDS if FULL else ("block", "bits-and-blooms:json"):
        held_add_and_another(kind)
    every_command_respects_the_lock()
    a_dead_writer_blocks_nobody()
    two_create_one_file()
    a_forced_build_and_an_add()
    pointless_options()
    a_file_that_is_truncated_while_it_is_queried()
    left = [name for name in os.listdir() if name.startswith(".")]
    check(not left, "left behind:", left)
print("nothing lost:", len(KINDS), "kinds")
