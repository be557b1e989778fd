#!/usr/bin/env python3
"""Measures `bloomery dedup` beside `sort -u`, mawk '!x[$0]++', datamash, Miller and csvkit, and prints a markdown table.

usage: bench/dedup_bench.py BLOOMERY [LINES] [FOLDER]

Also on the same lines compressed with gzip and zstd, where these programs are, beside the decompressor alone. Peers that
are not installed are left out; on Debian 12, `apt-get install -y datamash miller csvkit zstd` installs them. `CPU s` is
user and system time. csvkit loads its input into a database and takes part up to 100,000 lines only. Counts are compared
with `sort | uniq -c`.

Five million URL lines, one third of them repeats, in the page cache, output to /dev/null. All contestants run one
after the other, five rounds; each figure is the median of its rounds, and the ratios are medians of ratios within a
round, so that a slow moment of the machine hurts all alike.
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
    """Seconds, the most memory in MB, and seconds of CPU time. A child starts with the memory of its parent on its account, so the lines
    are made by a process of their own and this one stays small."""
    with open(os.devnull, "wb") as nowhere:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env={**os.environ, "LC_ALL": "C"})
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{command} ended with {status}")
    return seconds, usage.ru_maxrss / 1000, usage.ru_utime + usage.ru_stime


def contestants(bloomery, path, lines):
    dedup = [bloomery, "dedup", "-q"]
    commands = {
        "mawk '!x[$0]++'": ["mawk", "!x[$0]++", path],
        "sort -u": ["sort", "-u", path],
        "sort -u --parallel=1": ["sort", "-u", "--parallel=1", path],
        "bloomery dedup": [*dedup, path],
        "bloomery dedup -j2": [*dedup, "-j2", path],
        "bloomery dedup --exact": [*dedup, "--exact", path],
        "bloomery dedup --exact -j2": [*dedup, "--exact", "-j2", path],
        "datamash rmdup 1": ["sh", "-c", f"datamash rmdup 1 < {path}"],
        "mlr --inidx uniq -a": ["mlr", "--inidx", "--onidx", "--ifs", "tab", "uniq", "-a", path],
        "sort \\| uniq -c": ["sh", "-c", f"sort {path} | uniq -c"],
        "bloomery dedup --count-each": [*dedup, "--count-each", path],
        "bloomery dedup --keep last": [*dedup, "--keep", "last", path],
    }
    programs = {"datamash rmdup 1": "datamash", "mlr --inidx uniq -a": "mlr"}
    if lines <= 100_000:
        name = "csvsql --query 'select distinct'"
        commands[name] = ["csvsql", "-H", "-I", "--query", "select distinct * from urls", path]
        programs[name] = "csvsql"
    for packer, ending in (("gzip", ".gz"), ("zstd", ".zst")):
        if not os.path.exists(path + ending):
            continue
        commands[f"{packer} -dc"] = [packer, "-dc", path + ending]
        commands[f"bloomery dedup ({packer})"] = [*dedup, path + ending]
        commands[f"bloomery dedup -j2 ({packer})"] = [*dedup, "-j2", path + ending]
    return {name: command for name, command in commands.items() if shutil.which(programs.get(name, "sh"))}


def pack(path):
    for packer, ending in (("gzip", ".gz"), ("zstd", ".zst")):
        if shutil.which(packer):
            with open(path + ending, "wb") as packed:
                subprocess.run([packer, "-c", path], stdout=packed, stderr=subprocess.DEVNULL, check=True)


def main():
    bloomery = sys.argv[1]
    lines = int(float(sys.argv[2])) if len(sys.argv) > 2 else 5_000_000
    with tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None) as folder:
        path = str(pathlib.Path(folder) / "urls.txt")
        subprocess.run([sys.executable, __file__, "--make", path, str(lines)], check=True)
        pack(path)
        commands = contestants(bloomery, path, lines)
        before = os.getloadavg()
        rounds = [{name: run(command) for name, command in commands.items()} for _ in range(ROUNDS)]
    print(f"{lines} lines, one third repeats, p = 1e-4; medians of {ROUNDS} interleaved rounds\n")
    print("| command | seconds | CPU s | ns per line | MB | times faster than sort -u | than mawk |")
    print("|---|---|---|---|---|---|---|")
    for name in commands:
        seconds = statistics.median(one[name][0] for one in rounds)
        memory = statistics.median(one[name][1] for one in rounds)
        cpu = statistics.median(one[name][2] for one in rounds)
        faster = [statistics.median(one[peer][0] / one[name][0] for one in rounds) for peer in ("sort -u", "mawk '!x[$0]++'")]
        print(f"| `{name}` | {seconds:.2f} | {cpu:.2f} | {seconds / lines * 1e9:.0f} | {memory:.0f} | {faster[0]:.1f} | {faster[1]:.1f} |")
    for kind in ("", " (gzip)", " (zstd)"):
        one_thread, two = f"bloomery dedup{kind}", f"bloomery dedup -j2{kind}"
        if two in commands:
            ratio = statistics.median(one[one_thread][0] / one[two][0] for one in rounds)
            print(f"\n`{two}` is {ratio:.2f} times as fast as `{one_thread}`")
    print(f"\nload average before and after: {before[0]:.1f}, {os.getloadavg()[0]:.1f}")


if sys.argv[1:2] == ["--make"]:
    make_lines(sys.argv[2], int(sys.argv[3]))
else:
    main()
