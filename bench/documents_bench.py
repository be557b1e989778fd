#!/usr/bin/env python3
"""Speed and memory of dedup --documents beside an exact Python set and `sort -u` of paragraphs.

documents_bench.py PROGRAM [MEGABYTES]: on generated text, a third of its paragraphs repeated. CPU seconds (user and
system) are compared, so that the load of the machine matters less; the load is printed. A child starts with the memory
of its parent on its account, so the text is made, and the set is filled, by processes of their own.
"""
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time


def corpus(path, paragraphs_path, megabytes):
    rng = random.Random(1)
    vocabulary = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 10))) for _ in range(20000)]
    old, size = [], 0
    with open(path, "w") as out, open(paragraphs_path, "w") as plain:
        while size < megabytes * 1_000_000:
            paragraphs = []
            for _ in range(8):
                if old and rng.random() < 0.33:
                    paragraphs.append(rng.choice(old))
                else:
                    paragraphs.append(" ".join(rng.choices(vocabulary, k=60)))
                    if rng.random() < 0.1:
                        old.append(paragraphs[-1])
            plain.write("\n".join(paragraphs) + "\n")
            text = "\n\n".join(paragraphs)
            size += len(text)
            out.write(json.dumps({"id": size, "text": text}) + "\n")


def measured(command, **options):
    """CPU seconds, and the largest memory in MiB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    told = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, told
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, told


def exact(path):
    seen, begin = set(), time.process_time()
    with open(path) as lines, open(os.devnull, "w") as out:
        for line in lines:
            document = json.loads(line)
            paragraphs = document["text"].split("\n\n")
            kept = [paragraph for paragraph in paragraphs if paragraph not in seen]
            seen.update(paragraphs)
            if kept:
                document["text"] = "\n\n".join(kept)
                out.write(json.dumps(document) + "\n")
    return time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    program, megabytes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    with tempfile.TemporaryDirectory() as folder:
        path, plain = pathlib.Path(folder) / "a.jsonl", pathlib.Path(folder) / "a.txt"
        subprocess.run([sys.executable, __file__, "--make", path, plain, str(megabytes)], check=True)
        print(f"{megabytes} MB of text, load {os.getloadavg()[0]:.1f}")
        for unit in ("document", "paragraph", "line", "ngram"):
            seconds, memory, told = measured([program, "dedup", "--documents", "--unit", unit, path])
            planned = float(re.search(r"about ([\d.]+) MiB in all", told).group(1))
            print(f"{unit:18} {megabytes / seconds:7.0f} MB/s of CPU  {memory:6.1f} MiB, planned {planned:.1f} MiB")
        seconds, memory, _ = measured(["sort", "-u", plain], env={**os.environ, "LC_ALL": "C"})
        print(f"{'sort -u':18} {megabytes / seconds:7.0f} MB/s of CPU  {memory:6.0f} MiB")
        seconds, memory = map(float, subprocess.run([sys.executable, __file__, "--exact", path], capture_output=True,
                                                    check=True, text=True).stdout.split())
        print(f"{'Python set':18} {megabytes / seconds:7.0f} MB/s of CPU  {memory:6.0f} MiB")
        print(f"load afterwards {os.getloadavg()[0]:.1f}")


if sys.argv[1] == "--make":
    corpus(sys.argv[2], sys.argv[3], int(sys.argv[4]))
elif sys.argv[1] == "--exact":
    print(*exact(sys.argv[2]))
else:
    main()
