#!/usr/bin/env python3
"""Runs `bloomery dedup` with 1, 2, 3 and 8 threads: output, counts and the saved filter are byte-equal. With xz data in
blocks, -j decompresses them at once.

usage: dedup_threads.py BLOOMERY
"""
import gzip
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

THREADS = (1, 2, 3, 8)


def make_lines(seed, lines):
    source = random.Random(seed)
    keys = [f"https://example.com/{source.getrandbits(40):x}/{'x' * source.randrange(60)}" for _ in range(lines // 4)]
    return "".join(f"{source.choice(keys)}\t{i}\n" for i in range(lines)).encode()


class Runs:
    def __init__(self, bloomery, folder):
        self.bloomery = bloomery
        self.folder = folder

    def one(self, threads, options, path, pipe, start):
        """Output and saved filter of one run. `start`: a filter that --save begins with."""
        saved = self.folder / f"saved{threads}"
        if start is not None:
            saved.write_bytes(start)
        command = [self.bloomery, "dedup", "-q", f"-j{threads}", *options]
        if "--save" in options:
            command[command.index("--save") + 1] = str(saved)
        source = subprocess.Popen(["cat", path], stdout=subprocess.PIPE) if pipe else None
        done = subprocess.run(command if pipe else [*command, path], stdin=source.stdout if pipe else None,
                              capture_output=True, check=False)
        if source is not None:
            source.stdout.close()
            source.wait()
        if done.returncode != 0:
            sys.exit(f"{command} ended with {done.returncode}: {done.stderr.decode()}")
        kept = saved.read_bytes() if saved.exists() else b""
        saved.unlink(missing_ok=True)
        return done.stdout, kept

    def compare(self, options, path, pipe=False, start=None):
        first = self.one(THREADS[0], options, path, pipe, start)
        assert first[0], f"{options}: nothing was printed"
        for threads in THREADS[1:]:
            other = self.one(threads, options, path, pipe, start)
            for what, a, b in (("output", first[0], other[0]), ("saved filter", first[1], other[1])):
                assert a == b, f"{options}: the {what} of -j{threads} differs from that of one thread"
        return first


def threads_beside(command, data, usual):
    """Whether the program has more threads than usual, while it waits for the second half of its input."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.stdin.write(data[:len(data) // 2])
        process.stdin.flush()
        for _ in range(1000):
            if len(os.listdir(f"/proc/{process.pid}/task")) > usual:
                return True
            time.sleep(0.01)
        return False
    finally:
        process.kill()
        process.stdin.close()
        process.wait()


def decompresses_at_once(bloomery, folder):
    sanitized = b"__tsan_init" in pathlib.Path(bloomery).read_bytes()  # it has a thread of its own
    if sanitized or not shutil.which("xz"):
        print("xz in blocks: skipped,", "threads are not counted with sanitizers" if sanitized else "there is no xz")
        return
    lines = folder / "lines.txt"
    lines.write_text("".join(f'{{"text":"line {i} of the text"}}\n' for i in range(700_000)))
    packed = subprocess.run(["xz", "-1", "-T2", "--block-size=200000", "-c", lines], capture_output=True, check=True).stdout
    dedup = [bloomery, "dedup", "-q", "-j3"]
    # As many threads as stages have, and one that copies the input.
    for options, usual in (([], 3), (["--json-key", "/text"], 3), (["--keep", "last"], 1), (["--exact"], 1),
                           (["--documents"], 2)):
        assert threads_beside([*dedup, *options], packed, usual), f"{options}: one thread decompresses xz"
    assert not threads_beside([bloomery, "dedup", "-q"], packed[:400_000], 1), "-j1: several threads"
    # The size of the filter is estimated from a sample, and must not depend on what the threads read ahead.
    path = folder / "lines.xz"
    path.write_bytes(packed)
    runs = [subprocess.run([bloomery, "dedup", "-c", f"-j{threads}", *options, path], capture_output=True, check=True)
            for threads in THREADS for options in ([], ["--documents"])]
    said = {run.stderr.split(b"\n")[0] for run in runs}
    assert len(said) == 2 and b"estimated from a sample" in said.pop(), said


def main():
    bloomery = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        today, old = str(folder / "today.txt"), str(folder / "old.txt")
        pathlib.Path(today).write_bytes(make_lines(1, 200_000))
        pathlib.Path(old).write_bytes(make_lines(1, 20_000) + make_lines(2, 20_000))
        packed = today + ".gz"
        pathlib.Path(packed).write_bytes(gzip.compress(pathlib.Path(today).read_bytes(), 1))
        against = str(folder / "old.bloom")
        subprocess.run([bloomery, "build", "-q", "-f", "1", "-o", against, old], check=True)
        runs = Runs(bloomery, folder)
        key = ["-f", "1"]
        plain, _ = runs.compare(key, today)
        assert runs.compare(key, packed)[0] == plain, "compressed input gives another output"
        runs.compare([], today)
        runs.compare([*key, "-d"], today)
        runs.compare([*key, "-c"], today)
        runs.compare([*key, "-c", "-d"], today)
        runs.compare([*key, "--exact"], today)
        runs.compare([*key, "--exact", "-d"], today)
        runs.compare([*key, "--against", against], today)
        runs.compare([*key, "-n", "1000"], today)  # far too full: false positives agree as well
        runs.compare([*key, "-p", "1e-6"], today)
        runs.compare([*key, "--layout", "classic"], today)
        # Layers that grow, from a pipe and from a first layer of few keys.
        runs.compare([*key, "--save", ""], today, pipe=True)
        runs.compare([*key, "--layout", "scalable", "-n", "500", "--save", ""], today, pipe=True)
        _, saved = runs.compare([*key, "-n", "100000", "--save", ""], old)
        assert saved, "no filter was saved"
        runs.compare([*key, "--save", ""], today, start=saved)
        runs.compare([*key, "--against", against, "--save", "", "-n", "100000"], today)
        decompresses_at_once(bloomery, folder)
    print("all runs are equal")


main()
