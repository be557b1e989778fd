#!/usr/bin/env python3
"""Columns of Parquet files: bloomery query --column beside hyparquet, in turn.

parquet_bench.py BLOOMERY [FOLDER]: FOLDER keeps the files and the packages of npm from one run to the next.
"""
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent / "tests/e2e/parquet/node"
ROUNDS = 3


def prepare(folder):
    if not (folder / "node_modules").exists():
        for name in ["package.json", "package-lock.json"]:
            (folder / name).write_bytes((PACKAGE / name).read_bytes())
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, check=True)
    (folder / "parquet_bench.mjs").write_bytes((HERE / "parquet_bench.mjs").read_bytes())
    if not (folder / "urls.parquet").exists():
        subprocess.run(["node", "--max-old-space-size=8000", "parquet_bench.mjs", "make", str(folder)], cwd=folder, check=True)


def seconds_of(command, folder, wanted):
    """CPU seconds and those on the clock: other programs may keep the machine busy."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    clock = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.stdout.strip() != wanted:
        sys.exit(f"{command} prints {done.stdout!r} instead of {wanted}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def main():
    bloomery = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(tempfile.mkdtemp(prefix="bloomery-parquet-"))
    prepare(folder)
    subprocess.run([bloomery, "build", "-q", "-F", "-o", "none.bloom", "-n", "10", "/dev/null"], cwd=folder, check=True)
    print("| column | program | CPU seconds | million rows/s | MB of file/s |\n|---|---|---|---|---|")
    for name, column, rows in [("ids", "id", 10_000_000), ("urls", "url", 5_000_000)]:
        path = f"{name}.parquet"
        commands = {
            # No value is in the empty filter: all are read, hashed and looked up.
            "`bloomery query -v -c`": [bloomery, "query", "-q", "-v", "-c", "--column", column, "none.bloom", path],
            "`bloomery build`": ["bash", "-c", f"{bloomery} build -q -F -o x.bloom --column {column} {path} && echo {rows}"],
            "hyparquet": ["node", "--max-old-space-size=8000", "parquet_bench.mjs", "read", path, column],
        }
        times = {program: [] for program in commands}
        for _ in range(ROUNDS):
            for program, command in commands.items():
                times[program].append(seconds_of(command, folder, str(rows)))
        size = (folder / path).stat().st_size / 1e6
        for program, both in times.items():
            cpu = statistics.median(one[0] for one in both)
            print(f"| {column}, {rows:,} rows, {size:.0f} MB | {program} | {cpu:.2f} | {rows / cpu / 1e6:.1f} | {size / cpu:.0f} |", flush=True)


main()
