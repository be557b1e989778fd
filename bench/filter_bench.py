"""Filter<T> as users get it, beside Boost.Bloom: installs the package, builds bench/filter_bench as a consumer with the flags
that users choose, runs it, and prints Markdown tables of ratios (their time / ours) and nanoseconds.

  bench/filter_bench.py [--boost DIR] [--keys 10000,1000000,50000000] [--rate 0.01] [--kind u64,23,61] [--rounds N]
                        [--flags O2,avx2,native] [--json FILE]

--boost names a folder with boost/bloom/filter.hpp (Boost 1.89 and later, or Boost.Bloom's own include folder). Without
it only our own times are printed. Above 1.00 is ours ahead.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = {"O2": "-O2", "avx2": "-O3 -march=x86-64-v3", "native": "-O3 -march=native"}
CELLS = ["batch", "one", "bulk insert", "one insert"]


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def install(prefix):
    """The library as an installation has it: the release preset's flags, core only."""
    build = ROOT / "build" / "filter_bench_core"
    run("cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBLOOMERY_FORMATS=OFF",
        "-DBLOOMERY_UNITY=ON", stdout=subprocess.DEVNULL)
    run("cmake", "--build", str(build), stdout=subprocess.DEVNULL)
    run("cmake", "--install", str(build), "--prefix", str(prefix), stdout=subprocess.DEVNULL)


def build_consumer(folder, prefix, flags, boost):
    run("cmake", "-S", str(ROOT / "bench" / "filter_bench"), "-B", str(folder), "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_FLAGS={flags} -DNDEBUG", f"-DBOOST_BLOOM_INCLUDE={boost or ''}", stdout=subprocess.DEVNULL)
    run("cmake", "--build", str(folder), stdout=subprocess.DEVNULL)
    return folder / "filter_bench"


def measure(program, keys, rate, kind, rounds):
    """One dictionary per contender."""
    rounds = rounds or (21 if keys <= 2_000_000 else 5)
    lines = run(str(program), str(keys), str(rate), kind, str(rounds), capture_output=True, text=True).stdout.splitlines()
    rows = []
    for line in lines:
        name, *numbers = line.rsplit(",", 6)
        rows.append({"name": name, "ns": [float(number) for number in numbers[:4]], "bits": float(numbers[4]),
                     "rate": float(numbers[5])})
    return rows


def cell(ours, theirs):
    ratio = theirs / ours
    return f"{ratio:.2f}" if ratio >= 1 else f"**{ratio:.2f}**"


def print_tables(results):
    print("| keys, flags | " + " | ".join(f"{name}, ns" for name in CELLS) + " | bits per key | false positives |")
    print("|---|" + "---|" * (len(CELLS) + 2))
    for result in results:
        for row in result["rows"]:
            print(f"| {row['name']}, {result['kind']}, {result['keys']:,}, {result['flags']} | "
                  + " | ".join(f"{ns:.2f}" for ns in row["ns"]) + f" | {row['bits']:.2f} | {row['rate'] * 100:.3g} % |")
    if all(len(result["rows"]) < 2 for result in results):
        return
    print("\n| their time / ours | " + " | ".join(CELLS) + " |")
    print("|---|" + "---|" * len(CELLS))
    for result in results:
        ours, theirs = result["rows"][:2]
        print(f"| {result['kind']}, {result['keys']:,}, {result['flags']} | "
              + " | ".join(cell(a, b) for a, b in zip(ours["ns"], theirs["ns"])) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boost")
    parser.add_argument("--keys", default="10000,1000000,50000000")
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--kind", default="u64")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--flags", default="native,avx2,O2")
    parser.add_argument("--json")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        prefix = pathlib.Path(scratch) / "prefix"
        install(prefix)
        programs = {name: build_consumer(pathlib.Path(scratch) / name, prefix, FLAGS[name], options.boost)
                    for name in options.flags.split(",")}
        for kind in options.kind.split(","):
            for name, program in programs.items():
                for keys in map(int, options.keys.split(",")):
                    rows = measure(program, keys, options.rate, kind, options.rounds)
                    results.append({"kind": kind, "flags": name, "keys": keys, "rate": options.rate, "rows": rows})
                    print(f"{kind} {name} {keys}: done, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    print_tables(results)


main()
