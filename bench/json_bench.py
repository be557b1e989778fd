#!/usr/bin/env python3
"""Speed of finding the keys of JSON lines, in MB/s of CPU time, beside jq.

json_bench.py PROGRAM [MEGABYTES] [READERS]: PROGRAM is bloomery, READERS the program json_keys_bench, which measures this
project's reader beside other parsers. CPU seconds are compared, so that the load of the machine matters less.
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile


def write_lines(path, megabytes):
    rng = random.Random(1)
    words = ["alpha", "beta", "gamma delta", "https://example.org/path?q=1", "München", "x" * 40]
    size, number = 0, 0
    with open(path, "w", encoding="utf-8") as out:
        while size < megabytes * 1_000_000:
            record = {"time": f"2024-05-{number % 28 + 1:02}T12:00:00Z", "level": rng.choice(["info", "warn", "error"]),
                      "status": rng.choice([200, 404, 500]), "duration": round(rng.random() * 100, 3),
                      "tags": rng.choices(words, k=2), "user": {"id": number % 100000, "name": rng.choice(words)},
                      "id": f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}", "message": " ".join(rng.choices(words, k=4)),
                      "ok": True, "next": None}
            line = json.dumps(record, ensure_ascii=False) + "\n"
            size += out.write(line)
            number += 1


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program = sys.argv[1]
    megabytes = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:
        lines, plain = os.path.join(folder, "lines.jsonl"), os.path.join(folder, "seen.bloom")
        write_lines(lines, megabytes)
        size = os.path.getsize(lines) / 1e6
        subprocess.run([program, "build", "-q", "-n", "1M", "-o", plain], input=b"", check=True)
        ways = {
            "query -c, whole lines": [program, "query", "-q", "-c", "-v", plain, lines],
            "query -c --json-key /id": [program, "query", "-q", "-c", "-v", "--json-key", "/id", plain, lines],
            "query -c --json-key /id,/user/id": [program, "query", "-q", "-c", "-v", "--json-key", "/id,/user/id", plain, lines],
            "jq -r .id": ["jq", "-r", ".id", lines],
        }
        times = {name: [] for name in ways}
        for _ in range(3):  # in turn, so that all meet the same load
            for name, command in ways.items():
                times[name].append(cpu_seconds(command))
        print(f"{size:.0f} MB, load {os.getloadavg()[0]:.1f}")
        for name, seconds in times.items():
            print(f"{name}\t{size / min(seconds):.0f} MB/s")
        if len(sys.argv) > 3:
            subprocess.run([sys.argv[3], lines, "/id"], check=True)


if __name__ == "__main__":
    main()
