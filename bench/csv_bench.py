#!/usr/bin/env python3
"""Measures how fast one thread reads CSV: `bloomery` beside Python's csv module, Miller and csvkit. Prints a markdown table.

usage: bench/csv_bench.py BLOOMERY [MEGABYTES] [FOLDER]

The file has eight columns and quotes in 10 % of its fields, some with separators, doubled quotes or newlines inside. It
lies in the page cache, and output goes to /dev/null. All contestants run one after the other, five rounds (one for those
that take longer than 20 s). Seconds are medians of CPU time, user and system together: what one thread would take, also
for a program with several (Miller), and on a machine that others use too. Each contestant prints or counts one column,
`email`. Peers that are not installed are left out. `wc -l` shows what reading the bytes costs.
"""
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
PYTHON = """
import csv, sys
with open(sys.argv[1], newline="") as file:
    rows = csv.reader(file)
    place = next(rows).index("email")
    print(len({row[place] for row in rows}))
"""


def make_rows(path, megabytes):
    source = random.Random(9)
    words = ["alpha", "beta", "gamma", "delta, epsilon", 'the "zeta"', "eta\ntheta", "iota", "kappa"]

    def field(text):
        if source.random() < 0.1:
            text = source.choice(words) + text
            return '"' + text.replace('"', '""') + '"'
        return text

    block = []
    size = 0
    with open(path, "w", encoding="ascii", newline="") as file:
        file.write("id,email,name,city,amount,date,note,flag\n")
        number = 0
        while size < megabytes * 1_000_000:
            number += 1
            values = [str(number), f"user{source.randrange(1_000_000)}@mail{number % 97}.example", f"name {number:x}",
                      f"city{number % 1000}", f"{number * 7 % 100_000 / 100}", f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}",
                      f"note {number * 2654435761 & 0xffffffff:08x}", "yn"[number % 2]]
            block.append(",".join(map(field, values)) + "\n")
            size += len(block[-1])
            if len(block) == 10_000:
                file.writelines(block)
                block.clear()
        file.writelines(block)


def run(command):
    """Seconds of CPU time, and of the clock."""
    with open(os.devnull, "wb") as nowhere:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{command} ended with {status}")
    return usage.ru_utime + usage.ru_stime, seconds


def contestants(bloomery, path, folder):
    empty = folder / "empty.bloom"
    subprocess.run([bloomery, "build", "-q", "--force", "-o", empty, "-n", "1000", "/dev/null"], check=True)
    plan = ["-q", "-j1", "-n3M"]
    yield "`wc -l`", ["wc", "-l", path]
    yield "`bloomery query -c --csv -f email`, an empty filter", [bloomery, "query", "-q", "-j1", "-c", "--csv", "-f", "email", empty, path]
    yield "`bloomery dedup --csv -f email`", [bloomery, "dedup", *plan, "--csv", "-f", "email", path]
    yield "`bloomery dedup --csv` (all columns)", [bloomery, "dedup", *plan, "--csv", path]
    yield "`bloomery dedup` (lines, no CSV)", [bloomery, "dedup", *plan, path]
    yield "Python `csv.reader`, a set of one column", [sys.executable, "-c", PYTHON, path]
    if shutil.which("mlr"):
        yield "`mlr --csv head -n 1 -g email` (Miller)", ["mlr", "--icsv", "--ocsv", "--from", path, "head", "-n", "1", "-g", "email"]
        yield "`mlr --csv cut -f email` (Miller)", ["mlr", "--icsv", "--ocsv", "--from", path, "cut", "-f", "email"]
    if shutil.which("csvcut"):
        yield "`csvcut -c email` (csvkit)", ["csvcut", "-c", "email", path]


def main():
    bloomery = sys.argv[1]
    megabytes = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None) as name:
        folder = pathlib.Path(name)
        path = folder / "rows.csv"
        make_rows(path, megabytes)
        commands = list(contestants(bloomery, path, folder))
        times = {label: [] for label, _ in commands}
        for _ in range(ROUNDS):
            for label, command in commands:
                if not times[label] or times[label][0][1] < 20:
                    times[label].append(run(command))
        size = path.stat().st_size / 1e6
        medians = {label: statistics.median(cpu for cpu, _ in runs) for label, runs in times.items()}
        reference = medians["Python `csv.reader`, a set of one column"]
        print("| command | CPU seconds | MB/s | x Python |")
        print("|---|---|---|---|")
        for label, middle in medians.items():
            print(f"| {label} | {middle:.2f} | {size / middle:,.0f} | {reference / middle:.1f} |")


main()
