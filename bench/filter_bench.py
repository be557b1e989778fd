"""Filter<T> as users get it, beside Boost.Bloom: installs the package, builds bench/filter_bench as a consumer with the flags
that users choose, runs it, and prints Markdown tables of ratios (their time / ours) and nanoseconds.

  bench/filter_bench.py [--boost DIR] [--keys 10000,1000000,50000000] [--rate 0.01] [--kind u64,23,61,23-hashes] [--rounds N]
                        [--runs N] [--flags O2,avx2,avx2-kernels,native] [--threads N] [--json FILE]
  bench/filter_bench.py --from FILE... [--json FILE]

--boost names a folder with boost/bloom/filter.hpp (Boost 1.89 and later, or Boost.Bloom's own include folder). Without
it only our own times are printed. Above 1.00 is ours ahead. The flags avx2-kernels are those of avx2, and our batches run the
kernels of AVX2 too, as on a CPU without AVX-512. A kind with -hashes has our filter once with each hash.

--runs measures everything so many times, one after the other, and --from reads the --json files of earlier runs instead of
measuring: of several runs of a cell the medians count. --threads measures batch lookups by N threads on one filter, in wall time: only
on a machine that does nothing else. bench/pictures.py draws the tables of RESULTS.md.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = {"O2": "-O2", "avx2": "-O3 -march=x86-64-v3", "avx2-kernels": "-O3 -march=x86-64-v3", "native": "-O3 -march=native"}
KERNELS = {"avx2-kernels": "avx2"}
CELLS = ["batch", "one", "bulk insert", "one insert"]


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def run_quietly(*command):
    """What it printed is shown only where it failed: a compiler's complaints come on standard output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfilter_bench.py: {' '.join(command)}: failed with {done.returncode}")


def install(prefix):
    """The library as an installation has it: the release preset's flags, core only."""
    build = ROOT / "build" / "filter_bench_core"
    run_quietly("cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBLOOMERY_FORMATS=OFF",
        "-DBLOOMERY_UNITY=ON")
    run_quietly("cmake", "--build", str(build))
    run_quietly("cmake", "--install", str(build), "--prefix", str(prefix))


def build_consumer(folder, prefix, flags, boost):
    run_quietly("cmake", "-S", str(ROOT / "bench" / "filter_bench"), "-B", str(folder), "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_FLAGS={flags} -DNDEBUG", f"-DBOOST_BLOOM_INCLUDE={boost or ''}")
    run_quietly("cmake", "--build", str(folder))
    return folder / "filter_bench"


def environment(flags):
    return {**os.environ, "BLOOMERY_CPU": KERNELS[flags]} if flags in KERNELS else dict(os.environ)


def measure(program, flags, keys, rate, kind, rounds):
    """One dictionary per contender."""
    rounds = rounds or (21 if keys <= 2_000_000 else 5)
    lines = run(str(program), str(keys), str(rate), kind, str(rounds), capture_output=True, text=True,
                env=environment(flags)).stdout.splitlines()
    rows = []
    for line in lines:
        name, *numbers = line.rsplit(",", 6)
        rows.append({"name": name, "ns": [float(number) for number in numbers[:4]], "bits": float(numbers[4]),
                     "rate": float(numbers[5])})
    return rows


def measure_threads(program, flags, keys, rate, kind, rounds, threads):
    lines = run(str(program), str(keys), str(rate), kind, str(rounds or 5), str(threads), capture_output=True,
                text=True, env=environment(flags)).stdout.splitlines()
    rows = []
    for line in lines:
        name, _, *numbers = line.rsplit(",", 4)
        rows.append({"name": name, "threads": threads, "ns": [float(number) for number in numbers]})
    return rows


def pooled(results):
    """One result per cell: the medians over its runs."""
    cells = {}
    for result in results:
        cells.setdefault((result["kind"], result["flags"], result["keys"], result["rate"]), []).append(result["rows"])
    pool = []
    for (kind, flags, keys, rate), runs in cells.items():
        rows = []
        for same in zip(*runs):
            row = dict(same[0])
            row["ns"] = [statistics.median(values) for values in zip(*(one["ns"] for one in same))]
            rows.append(row)
        pool.append({"kind": kind, "flags": flags, "keys": keys, "rate": rate, "runs": len(runs), "rows": rows})
    return pool


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
    results = [result for result in results if not result["kind"].endswith("-hashes")]
    if all(len(result["rows"]) < 2 for result in results):
        return
    print("\n| their time / ours | " + " | ".join(CELLS) + " |")
    print("|---|" + "---|" * len(CELLS))
    for result in results:
        ours, theirs = result["rows"][:2]
        print(f"| {result['kind']}, {result['keys']:,}, {result['flags']} | "
              + " | ".join(cell(a, b) for a, b in zip(ours["ns"], theirs["ns"])) + " |")


def print_threads(results):
    print("| filter, keys, flags | one thread, ns | threads | together, ns | times as fast |\n|---|---|---|---|---|")
    for result in results:
        for row in result["rows"]:
            alone, together, times = row["ns"]
            print(f"| {row['name']}, {result['kind']}, {result['keys']:,}, {result['flags']} | {alone:.2f} | {row['threads']} | "
                  f"{together:.2f} | {times:.2f} |")


def measure_all(options):
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        prefix = pathlib.Path(scratch) / "prefix"
        install(prefix)
        programs = {name: build_consumer(pathlib.Path(scratch) / name, prefix, FLAGS[name], options.boost)
                    for name in options.flags.split(",")}
        cells = [(kind, name, keys) for kind in options.kind.split(",") for name in programs
                 for keys in map(int, options.keys.split(","))]
        for _ in range(options.runs):
            for kind, name, keys in cells:
                cell_options = programs[name], name, keys, options.rate, kind, options.rounds
                rows = measure_threads(*cell_options, options.threads) if options.threads else measure(*cell_options)
                results.append({"kind": kind, "flags": name, "keys": keys, "rate": options.rate, "rows": rows})
                print(f"{kind} {name} {keys}: done, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boost")
    parser.add_argument("--keys", default="10000,1000000,50000000")
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--kind", default="u64")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--flags", default="native,avx2,O2")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--from", nargs="+", dest="files")
    parser.add_argument("--json")
    options = parser.parse_args()
    results = []
    for file in options.files or []:
        results += json.loads(pathlib.Path(file).read_text())
    if not options.files:
        results = measure_all(options)
    results = pooled(results)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    if "threads" in results[0]["rows"][0]:
        print_threads(results)
        return
    print_tables(results)


main()
