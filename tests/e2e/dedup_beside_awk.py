#!/usr/bin/env python3
"""Random inputs of many shapes: `bloomery dedup --exact` prints what awk '!x[$0]++' prints, any number of threads
prints the same, from a file and from a pipe, and every record is either kept or dropped.

usage: dedup_beside_awk.py BLOOMERY [SEED]
"""
import random
import subprocess
import sys
import tempfile

COMMAND = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**9)


def dedup(*options, data=None):
    done = subprocess.run([COMMAND, "dedup", "-q", *options], input=data, capture_output=True, check=True)
    return done.stdout


def awk(path):
    return subprocess.run(["awk", "!x[$0]++", path], capture_output=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def kept(records, repeats):
    seen, chosen = set(), []
    for record in records:
        if (record in seen) == repeats:
            chosen.append(record)
        seen.add(record)
    return b"".join(record + b"\n" for record in chosen)


def shapes(source):
    """Yields a name, whether awk can read it (no NUL), and the records."""
    def text(low, high):
        return bytes(source.choices(b"abcdefgh/.", k=source.randint(low, high)))

    def binary(high):
        return bytes(byte for byte in source.randbytes(source.randint(0, high)) if byte != 10)

    few = [text(0, 20) for _ in range(5)]
    yield "few distinct", True, source.choices(few, k=20_000)
    yield "all distinct", True, [b"%d" % i for i in source.sample(range(10**9), 30_000)]
    pool = [text(10, 90) for _ in range(20_000)]
    yield "a third repeats", True, source.choices(pool, k=30_000)
    yield "empty lines", True, source.choices([b"", b"a"], k=1000)
    long = [text(1, 1) * source.randint(1, 700_000) for _ in range(8)]
    yield "long records", True, source.choices(long, k=30)
    yield "binary bytes", False, source.choices([binary(40) for _ in range(3000)], k=10_000)
    yield "one record", True, [text(1, 10)]
    yield "shared beginnings", True, [b"x" * 300 + b"%d" % source.randint(0, 999) for _ in range(5000)]


def check(name, for_awk, records, path, terminated):
    data = b"\n".join(records) + (b"\n" if terminated else b"")
    if not terminated and not records[-1]:
        return  # what would be the last record is the end of the file
    with open(path, "wb") as file:
        file.write(data)
    expected = kept(records, False)
    if for_awk:
        assert awk(path) == expected, f"{name}: awk disagrees with this test"
    # A filter that is far too small suspects everything, and --exact must still be right.
    for options in (["--exact"], ["--exact", "-j2"], ["--exact", "-n10", "-j3"]):
        assert dedup(*options, path) == expected, f"{name}: {options}"
    assert dedup("--exact", data=data) == expected, f"{name}: --exact of a pipe"
    assert dedup("--exact", "-d", path) == kept(records, True), f"{name}: --exact -d"
    once = dedup("-p1%", path)
    for threads in ("-j2", "-j3", "-j0"):
        assert dedup("-p1%", threads, path) == once, f"{name}: {threads}"
    assert once.count(b"\n") + dedup("-p1%", "-d", path).count(b"\n") == len(records), f"{name}: kept and dropped"


def main():
    source = random.Random(SEED)
    print("seed", SEED)
    with tempfile.NamedTemporaryFile() as file:
        for name, for_awk, records in shapes(source):
            for terminated in (True, False):
                check(name, for_awk, records, file.name, terminated)
    print("all equal")


main()
