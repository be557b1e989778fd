#!/usr/bin/env python3
"""Measures our filters beside the peers and writes the section of RESULTS.md about dialects anew.

usage: bench/results.py BUILD-FOLDER

In one run: filters_bench (ours, Debian's LevelDB and libbloom, interleaved, medians of three) and the peers of other
languages, each measured by a program of its own right before and after ours; their lower figure counts.
"""
import contextlib
import io
import json
import pathlib
import platform
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = {"guava": "guava-mitz64", "bits-and-blooms": "bits-and-blooms", "dcso": "dcso", "goleveldb": "leveldb"}
HEADING = "## Dialects beside the systems they come from"
PICTURE = """<picture>
  <source media="(prefers-color-scheme: dark)" srcset="../docs/images/results/dialects-dark.svg">
  <img src="../docs/images/results/dialects-light.svg" alt="Nanoseconds per key beside the systems that the filters come from">
</picture>"""  # bench/pictures.py draws it anew from the table
COMMAND = ["--benchmark_format=json", "--benchmark_repetitions=3", "--benchmark_enable_random_interleaving=true",
           "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.1"]


def run_ours(build):
    output = subprocess.run([build / "bench" / "filters_bench", *COMMAND], capture_output=True, text=True, check=True)
    rows = {}
    for line in json.loads(output.stdout)["benchmarks"]:
        if line["aggregate_name"] != "median":
            continue
        name, keys, what, how = line["run_name"].split("/")[:4]
        row = rows.setdefault((name, int(keys), how), {"bits_per_key": line["bits_per_key"], "fpr": line["fpr"]})
        row[what] = 1e9 / line["items_per_second"]
    return rows


def run_peers(folder):
    rows = {}
    for peer in PEERS:
        done = subprocess.run([sys.executable, ROOT / "tests/e2e/peers/live_peers.py", peer, "--bench", folder],
                              capture_output=True, text=True)
        if done.returncode == 0 and done.stdout.strip():
            rows[peer] = json.loads(done.stdout.strip().splitlines()[-1])
    return rows


def table(rows):
    print("| filter | add one | add batch | hit one | hit batch | miss one | miss batch | bits/key | measured fpr |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (name, keys, how), one in rows.items():
        if how != "one":
            continue
        batch = rows.get((name, keys, "batch"), {})
        cells = [f"{source[what]:.1f}" if what in source else "" for what in ("add", "hit", "miss") for source in (one, batch)]
        print(f"| {name} | {' | '.join(cells)} | {one['bits_per_key']:.2f} | {one['fpr']:.3%} |")


def ratios(rows, peers):
    print("| dialect | peer | add | hit | miss | peer's bits/key | peer's fpr |")
    print("|---|---|---|---|---|---|---|")
    for peer, dialect in PEERS.items():
        if peer not in peers:
            continue
        theirs = peers[peer]
        line(rows, dialect, 1_000_000, peer, theirs["add_ns"], theirs["hit_ns"], theirs["miss_ns"],
             theirs["bits_per_key"], theirs["fpr"])
    for dialect, peer, keys in (("leveldb", "peer:leveldb", 1_000_000), ("leveldb", "peer:leveldb", 10_000_000),
                                ("bloomery-classic", "peer:libbloom", 1_000_000),
                                ("bloomery-classic", "peer:libbloom", 10_000_000)):
        theirs = rows[(peer, keys, "one")]
        line(rows, dialect, keys, peer, theirs["add"], theirs["hit"], theirs["miss"], theirs["bits_per_key"], theirs["fpr"])


def line(rows, dialect, keys, peer, add, hit, miss, bits_per_key, fpr):
    """The peer's time over ours, its best way against our best way."""
    one, batch = rows[(dialect, keys, "one")], rows.get((dialect, keys, "batch"), {})
    cells = []
    for what, theirs in (("add", add), ("hit", hit), ("miss", miss)):
        ours = min(one[what], batch.get(what, one[what]))
        cells.append(f"{theirs:.1f} / {ours:.1f} = **{theirs / ours:.2f}x**")
    print(f"| {dialect}, {keys // 1_000_000}M keys | {peer} | {' | '.join(cells)} | {bits_per_key:.2f} | {fpr:.3%} |")


def processor():
    for text in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if text.startswith("model name"):
            return text.split(":", 1)[1].strip()
    return platform.machine()


def print_section(build):
    with tempfile.TemporaryDirectory() as folder:
        before = run_peers(folder)
        rows = run_ours(build)
        after = run_peers(folder)
    for peer, one in before.items():
        for what in ("add_ns", "hit_ns", "miss_ns"):
            one[what] = min(one[what], after.get(peer, one)[what])
    print(f"""Nanoseconds per key of 16 random bytes, filters made for 1 % (LevelDB: 10 bits per key), one thread, {processor()}.
Made by `cmake --preset dev && cmake --build build/dev --target filters_bench && bench/results.py build/dev`.
The machine is shared: believe ratios, not absolute numbers. The false-positive rate is measured on the filter that was
timed, with 1,048,576 absent keys.
""")
    for keys in (1_000_000, 10_000_000):
        print(f"### {keys // 1_000_000} million keys\n")
        table({key: row for key, row in rows.items() if key[1] == keys})
        print()
    print("### Beside the peers: their time / ours\n\nEach side by its fastest way (ours: the better of one at a time and batch).\n")
    ratios(rows, before)
    print(f"\n{PICTURE}")


def main():
    section = io.StringIO()
    with contextlib.redirect_stdout(section):
        print_section(pathlib.Path(sys.argv[1]).resolve())
    path = ROOT / "bench" / "RESULTS.md"
    before, _, after = path.read_text().partition(HEADING)
    following = after.find("\n## ")
    path.write_text(f"{before}{HEADING}\n\n{section.getvalue()}{after[following:] if following >= 0 else ''}")


main()
