#!/usr/bin/env python3
"""Measures dedup, query and build with one thread and with two, and what two processes gain on the same machine.

usage: bench/threads_bench.py BLOOMERY [LINES] [ROUNDS] [FOLDER]

Five million URL lines unless said, one third of them repeats (those of dedup_bench.py), in the page cache, as one plain file, one
gzip file, one zstd file, 16 gzip files of a share each and one xz file in blocks of 4 MiB. `COMMAND -q -j1` and `-j2` take turns,
output to /dev/null. Figures are seconds by the clock, medians of the rounds; the ratio is the median of the ratios within a round,
and in brackets that of the fastest runs. Prints the table of RESULTS.md.

The limit of two threads on this machine: two independent `dedup -j1` of the plain file, and two `cat`, side by side, beside one.
"""
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent
FILES = 16


def write(path, *command):
    with open(path, "wb") as out:
        subprocess.run(command, stdout=out, check=True)


def make_inputs(folder, lines):
    """{name: [files]}"""
    plain = folder / "urls.txt"
    subprocess.run([sys.executable, ROOT / "dedup_bench.py", "--make", str(plain), str(lines)], check=True)
    write(folder / "urls.gz", "gzip", "-c", plain)
    write(folder / "urls.zst", "zstd", "-q", "-c", plain)
    write(folder / "urls.xz", "xz", "-1", "-T2", "--block-size=4MiB", "-c", plain)
    subprocess.run(["split", "-n", f"l/{FILES}", plain, folder / "part."], check=True)
    parts = sorted(folder.glob("part.*"))
    for part in parts:
        subprocess.run(["gzip", part], check=True)
    return {"plain": [plain], "gzip": [folder / "urls.gz"], "zstd": [folder / "urls.zst"],
            f"{FILES} gzip files": sorted(folder.glob("part.*.gz")), "xz, blocks of 4 MiB": [folder / "urls.xz"]}


def seconds(*commands):
    """By the clock, of commands that begin together until the last has ended."""
    start = time.perf_counter()
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]
    codes = [one.wait() for one in running]
    if any(codes):
        sys.exit(f"{commands} ended with {codes}")
    return time.perf_counter() - start


def ratio(pairs):
    middle = statistics.median(one / two for one, two in pairs)
    return f"{middle:.2f} ({min(one for one, _ in pairs) / min(two for _, two in pairs):.2f})"


def main():
    bloomery = sys.argv[1]
    lines = int(float(sys.argv[2])) if len(sys.argv) > 2 else 5_000_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=sys.argv[4] if len(sys.argv) > 4 else None)))
        inputs = make_inputs(folder, lines)
        filled, built, plain = folder / "filled.bloom", folder / "built.bloom", inputs["plain"][0]
        subprocess.run([bloomery, "build", "-q", "-n", str(lines), "-o", filled, plain], check=True)
        ways = {"dedup": ["dedup"], "query -c": ["query", "-c", filled], "build": ["build", "-F", "-o", built]}
        cells = [(name, way) for name in inputs for way in ways]
        times, limits, loads = {cell: [] for cell in cells}, {"dedup -j1": [], "cat": []}, [os.getloadavg()[0]]
        one_by_one = {"dedup -j1": [bloomery, "dedup", "-q", "-j1", plain], "cat": ["cat", plain]}
        for _ in range(rounds):
            for name, way in cells:
                pair = []
                for threads in (1, 2):
                    pair.append(seconds([bloomery, *ways[way], "-q", f"-j{threads}", *inputs[name]]))
                times[name, way].append(tuple(pair))
            for name, command in one_by_one.items():
                limits[name].append((seconds(command), seconds(command, command)))
            loads.append(os.getloadavg()[0])
        megabytes = plain.stat().st_size / 1e6
    print("| input | command | one, two threads | ratio |\n|---|---|---|---|")
    for (name, way), pairs in times.items():
        one, two = (statistics.median(side) for side in zip(*pairs))
        print(f"| {name} | `{way}` | {one:.3f}, {two:.3f} | {ratio(pairs)} |")
    print("\n| plain file | one process, two at once | times as fast together |\n|---|---|---|")
    for name, pairs in limits.items():
        one, two = (statistics.median(side) for side in zip(*pairs))
        print(f"| `{name}` | {one:.3f}, {two:.3f} | {ratio([(2 * alone, both) for alone, both in pairs])} |")
    print(f"\n{lines:,} lines, {megabytes:.0f} MB, {rounds} rounds, load average {min(loads):.1f} to {max(loads):.1f}")


main()
