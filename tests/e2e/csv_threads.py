#!/usr/bin/env python3
"""Runs `bloomery dedup --csv` with 1, 2, 3 and 8 threads on rows that cross the borders of chunks: the output is what
a set of keys gives, row for row and byte for byte.

usage: csv_threads.py BLOOMERY
"""
import pathlib
import random
import subprocess
import sys
import tempfile

THREADS = (1, 2, 3, 8)
HEADER = b'id,"e ""mail""",text\r\n'
ROWS = 30_000
BAD = [b'1,a"b,x\r\n', b'2,"c"d,x\n', b"3,4\n", b"5,6,7,8\r\n"]


def make_rows(seed, bad_share):
    """Rows as they are written, and their keys; None where a row is malformed."""
    source = random.Random(seed)
    rows = []
    for number in range(ROWS):
        if source.random() < bad_share:
            rows.append((source.choice(BAD), None))
            continue
        key = f"user{source.randrange(ROWS // 3)}"
        if source.random() < 0.1:
            key += '\n"quoted", indeed'
        plain = all(c not in key for c in ',"\n') and source.random() < 0.5
        field = key if plain else '"' + key.replace('"', '""') + '"'
        text = "x" * source.randrange(40)
        if source.random() < 0.1:
            text = '"' + ("line\r\n" * source.randrange(1, 6) + '""') + '"'
        if source.random() < 0.0003:
            text = '"' + "a\n" * 200_000 + '"'
        rows.append((f"{number},{field},{text}".encode() + source.choice([b"\n", b"\r\n"]), key))
    return rows


def expected(rows, seen, on_error):
    """What is new and what is repeated."""
    new, again = [], []
    for row, key in rows:
        if key is None:
            new += [row] if on_error == "keep" else []
        elif key in seen:
            again.append(row)
        else:
            seen.add(key)
            new.append(row)
    return HEADER + b"".join(new), HEADER + b"".join(again)


class Runs:
    def __init__(self, bloomery, folder):
        self.bloomery = bloomery
        self.folder = folder

    def dedup(self, threads, options, source):
        piped = options[0] == "pipe"
        command = [self.bloomery, "dedup", "-q", f"-j{threads}", "--csv", "-f", '"e ""mail"""', *options[1:]]
        data = source.read_bytes() if piped else None
        done = subprocess.run(command if piped else [*command, source], input=data, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{command} ended with {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def check(self, name, rows, on_error="stop"):
        path = self.folder / f"{name}.csv"
        path.write_bytes(HEADER + b"".join(row for row, _ in rows))
        new, again = expected(rows, set(), on_error)
        dupes = self.folder / "dupes.csv"
        for threads in THREADS:
            for how in ("-n300k", "-p1e-9"), ("--exact",):
                for source in "file", "pipe":
                    options = [source, "--on-error", on_error, *how] + (["-n300k"] if how[0] == "--exact" else [])
                    what = f"{name} {options} -j{threads}"
                    assert self.dedup(threads, options, path) == new, what
                    assert self.dedup(threads, [*options, "-d"], path) == again, f"{what} -d"
                options = ["file", "--on-error", on_error, *how, "--dupes", dupes]
                assert self.dedup(threads, options, path) == new, f"{name} --dupes -j{threads}"
                assert dupes.read_bytes() == again, f"{name}: the file of --dupes with -j{threads}"

    def check_saved(self, first, second):
        """A second run with the filter of the first; then the same filter with --against."""
        paths = []
        for name, rows in (("one", first), ("two", second)):
            paths.append(self.folder / f"{name}.csv")
            paths[-1].write_bytes(HEADER + b"".join(row for row, _ in rows))
        seen = set()
        expected(first, seen, "stop")
        new, _ = expected(second, set(seen), "stop")
        filters = []
        for threads in THREADS:
            saved = self.folder / f"saved{threads}"
            self.dedup(threads, ["file", "-n300k", "-p1e-9", "--layout", "block", "--save", saved], paths[0])
            filters.append(saved.read_bytes())
            assert self.dedup(threads, ["file", "-n300k", "-p1e-9", "--against", saved], paths[1]) == new
            assert self.dedup(threads, ["file", "--save", saved], paths[1]) == new
        assert all(one == filters[0] for one in filters), "the saved filters differ"


def main():
    bloomery, = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(bloomery, pathlib.Path(name))
        runs.check("good", make_rows(1, 0))
        for on_error in ("skip", "keep"):
            runs.check(f"bad_{on_error}", make_rows(2, 0.01), on_error)
        runs.check_saved(make_rows(3, 0), make_rows(4, 0))


main()
