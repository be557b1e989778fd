#!/usr/bin/env python3
"""Measures `bloomery track scan` beside its own full scan and `du -s`, and prints a markdown table.

usage: bench/scan_bench.py BLOOMERY [FOLDERS] [FOLDER] [ROUNDS]

A tree of 100,000 folders with ten files each lies in FOLDER/tree (made if it is not there; a folder of its own under
/var/tmp, removed at the end, if none is named). In each round one folder in a thousand changes: a file is made, grows
or goes, and is marked through `track mark`. Then come, one after the other and all with a warm cache: the scan, the
scan with --full, `du -s`. Figures are medians of the rounds, ratios medians of ratios within a round. Every scan's
objects and bytes are compared with `find -type f -printf '%s\\n'`, in the last round those of every folder.
"""
import collections
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FILES = 10
CHANGED = 0.001
MOST_READ = 0.02


def path_of(folder):
    """Ten folders in each, five levels: the way a path would lead in a tree of users or dates."""
    names = []
    while folder > 0:
        names.append(f"d{folder}")
        folder = (folder - 1) // 10
    return "/".join(reversed(names))


def make_tree(tree, folders):
    source = random.Random(7)
    for folder in range(folders):
        path = tree / path_of(folder)
        path.mkdir(parents=True, exist_ok=True)
        for i in range(FILES):
            with open(path / f"file{i}.dat", "wb") as file:
                file.truncate(int(source.lognormvariate(9, 2)))


def change(tree, folders, source, number):
    """Changes some folders and says which files."""
    changed = []
    for i, folder in enumerate(source.sample(range(folders), max(1, int(folders * CHANGED)))):
        name = f"new{number}.dat" if i % 3 == 0 else f"file{i % FILES}.dat"
        path = pathlib.Path(path_of(folder)) / name
        if i % 3 == 2:
            (tree / path).unlink(missing_ok=True)
        else:
            with open(tree / path, "ab") as file:
                file.write(b"x" * (i + 1))
        changed.append(os.fsencode(path))
    return changed


def run(command, **options):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, **options)
    return time.perf_counter() - start, done.stdout


def scan(bloomery, tree, state, *options):
    seconds, out = run([bloomery, "track", "scan", "-q", "--json", "--marks-only", "--state", state, tree, *options])
    return seconds, json.loads(out)


def found(tree):
    out = run(["find", tree, "-type", "f", "-printf", "%s\\n"])[1]
    sizes = [int(line) for line in out.split()]
    return len(sizes), sum(sizes)


def check_every_folder(bloomery, tree, state):
    own = collections.defaultdict(lambda: [0, 0])
    for row in run(["find", tree, "-type", "f", "-printf", "%s %P\\0"])[1].split(b"\0")[:-1]:
        size, path = row.split(b" ", 1)
        folder = own[os.path.dirname(path).decode()]
        folder[0] += 1
        folder[1] += int(size)
    for folder in scan(bloomery, tree, state, "--all")[1]["all"]:
        if own[folder["path"]] != [folder["own_objects"], folder["own_bytes"]]:
            sys.exit(f"{folder['path']}: {own[folder['path']]} were found, and {folder} was said")


def measure(bloomery, tree, state, folders, rounds):
    source = random.Random(11)
    rows = []
    first = scan(bloomery, tree, state)[0]
    for number in range(rounds):
        changed = change(tree, folders, source, number)
        run([bloomery, "track", "mark", "--state", state, "-0", "-"], input=b"\0".join(changed))
        quick, said = scan(bloomery, tree, state)
        full = scan(bloomery, tree, state, "--full")[0]
        du = run(["du", "-s", tree])[0]
        if (said["objects"], said["bytes"]) != found(tree):
            sys.exit(f"round {number}: the scan says {said['objects']} and {said['bytes']}, find says {found(tree)}")
        if said["scan"]["read"] > folders * MOST_READ:
            sys.exit(f"round {number}: {said['scan']['read']} of {folders} folders were read")
        rows.append((quick, full, du, said["scan"]["read"]))
    check_every_folder(bloomery, tree, state)
    return first, rows


def main():
    bloomery = os.path.abspath(sys.argv[1])
    folders = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    given = sys.argv[3] if len(sys.argv) > 3 else None
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    work = pathlib.Path(given or tempfile.mkdtemp(prefix="bloomery-scan-", dir="/var/tmp"))
    tree, state = work / "tree", work / "state"
    shutil.rmtree(state, ignore_errors=True)
    try:
        if not tree.exists():
            make_tree(tree, folders)
        run(["du", "-s", tree])
        first, rows = measure(bloomery, tree, state, folders, rounds)
        cache = sum(path.stat().st_size for path in state.glob("usage-*.bloomery"))
    finally:
        shutil.rmtree(state, ignore_errors=True)
        if given is None:
            shutil.rmtree(work, ignore_errors=True)
    quick, full, du, read = (statistics.median(column) for column in zip(*rows))
    to_full = statistics.median(row[1] / row[0] for row in rows)
    to_du = statistics.median(row[2] / row[0] for row in rows)
    print("| | seconds | |\n|---|---:|---|")
    print(f"| first scan | {first:.3f} | cache of {cache / 1e6:.1f} MB |")
    print(f"| scan | {quick:.3f} | {read:,.0f} of {folders:,} folders read |")
    print(f"| scan --full | {full:.3f} | {to_full:.0f} times as long |")
    print(f"| du -s | {du:.3f} | {to_du:.0f} times as long |")


main()
