#!/usr/bin/env python3
"""Measures `bloomery dedup` beside `sort -u` and mawk '!x[$0]++', and prints a markdown table.

usage: bench/dedup_bench.py BLOOMERY [LINES] [FOLDER]

Five million URL lines, one third of them repeats, in the page cache, output to /dev/null. All contestants run one
after the other, five rounds; each figure is the median of its rounds, and the ratios are medians of ratios within a
round, so that a slow moment of the machine hurts all alike.
"""
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5


def make_lines(path, lines):
    source = random.Random(7)
    hosts = [f"{name}{i}.example.{top}" for i in range(50) for name in ("www", "shop", "img", "api") for top in ("com", "org", "net")]

    def url(i):
        mixed = (i * 2654435761 + 12345) & 0xFFFFFFFF
        return f"https://{hosts[mixed % len(hosts)]}/p/{mixed:08x}/{i:x}?id={i * 7919 % 1000003}\n"

    distinct = lines * 2 // 3
    order = list(range(distinct)) + source.choices(range(distinct), k=lines - distinct)
    source.shuffle(order)
    with open(path, "w", encoding="ascii") as file:
        file.writelines(map(url, order))


def run(command):
    """Seconds, and the most memory in MB. A child starts with the memory of its parent on its account, so the lines
    are made by a process of their own and this one stays small."""
    with open(os.devnull, "wb") as nowhere:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env={**os.environ, "LC_ALL": "C"})
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{command} ended with {status}")
    return seconds, usage.ru_maxrss / 1000


def contestants(bloomery, path):
    dedup = [bloomery, "dedup", "-q"]
    return {
        "mawk '!x[$0]++'": ["mawk", "!x[$0]++", path],
        "sort -u": ["sort", "-u", path],
        "sort -u --parallel=1": ["sort", "-u", "--parallel=1", path],
        "bloomery dedup": [*dedup, path],
        "bloomery dedup -j2": [*dedup, "-j2", path],
        "bloomery dedup --exact": [*dedup, "--exact", path],
        "bloomery dedup --exact -j2": [*dedup, "--exact", "-j2", path],
    }


def main():
    bloomery = sys.argv[1]
    lines = int(float(sys.argv[2])) if len(sys.argv) > 2 else 5_000_000
    with tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None) as folder:
        path = str(pathlib.Path(folder) / "urls.txt")
        subprocess.run([sys.executable, __file__, "--make", path, str(lines)], check=True)
        commands = contestants(bloomery, path)
        rounds = [{name: run(command) for name, command in commands.items()} for _ in range(ROUNDS)]
    print(f"{lines} lines, one third repeats, p = 1e-4; medians of {ROUNDS} interleaved rounds\n")
    print("| command | seconds | ns per line | MB | times faster than sort -u | than mawk |")
    print("|---|---|---|---|---|---|")
    for name in commands:
        seconds = statistics.median(one[name][0] for one in rounds)
        memory = statistics.median(one[name][1] for one in rounds)
        faster = [statistics.median(one[peer][0] / one[name][0] for one in rounds) for peer in ("sort -u", "mawk '!x[$0]++'")]
        print(f"| `{name}` | {seconds:.2f} | {seconds / lines * 1e9:.0f} | {memory:.0f} | {faster[0]:.1f} | {faster[1]:.1f} |")


if sys.argv[1:2] == ["--make"]:
    make_lines(sys.argv[2], int(sys.argv[3]))
else:
    main()
