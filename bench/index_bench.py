#!/usr/bin/env python3
"""An index of many filters beside asking each of them: in one process with the files mapped, and by one command for
each file. Needs twice the size of the filters on the disk.

usage: index_bench.py BUILD_FOLDER [--filters 10000] [--bytes 1048576] [--folder /tmp]
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

KEYS = 32


def timed(arguments, **options):
    """Seconds, the largest memory of any child so far in MiB, and what it printed."""
    start = time.monotonic()
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    seconds = time.monotonic() - start
    if done.returncode not in (0, 1):
        raise SystemExit(f"{arguments[:4]}: {done.stderr}")
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--filters", type=int, default=10_000)
    parser.add_argument("--bytes", type=int, default=1 << 20)
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    bloomery, bench = options.build / "apps/cli/bloomery", options.build / "bench/index_bench"
    needed = 2.3 * options.filters * options.bytes
    folder = pathlib.Path(tempfile.mkdtemp(prefix="index-bench-", dir=options.folder))
    try:
        if shutil.disk_usage(folder).free < needed:
            raise SystemExit(f"{folder}: {needed / 2**30:.1f} GiB are needed")
        filters, index = folder / "filters", folder / "many.bloomindex"
        filters.mkdir()
        seconds, _, _ = timed([bench, "generate", filters, str(options.filters), str(options.bytes)])
        print(f"{options.filters} filters of {options.bytes} bytes, written in {seconds:.0f} s", flush=True)
        names = sorted(str(path) for path in filters.iterdir())
        (folder / "list").write_text("".join(name + "\n" for name in names))
        seconds, memory, _ = timed([bloomery, "index", "build", "-q", "--filters-file", folder / "list", "-o", index])
        size = index.stat().st_size
        print(f"index build: {seconds:.1f} s, {options.filters * options.bytes / seconds / 2**20:.0f} MiB/s, "
              f"peak memory {memory:.0f} MiB, {size / 2**30:.3f} GiB", flush=True)
        asked = json.loads(timed([bench, "ask", filters, index, str(options.filters), str(KEYS)])[2])
        print(f"answers equal: {asked['equal']}; {asked['hits']} hits of {asked['keys']} keys")
        for name, loop, by_index in (("one key at a time", "loop_ns", "index_ns"), ("batch of keys", "loop_batch_ns", "index_batch_ns"),
                                     ("from the disk", "cold_loop_ns", "cold_index_ns")):
            print(f"{name}: {asked[loop] / 1000:.1f} µs each filter asked, {asked[by_index] / 1000:.2f} µs by the index, "
                  f"{asked[loop] / asked[by_index]:.0f} times", flush=True)
        some = names[:: max(1, len(names) // 100)][:100]
        each = sum(timed([bloomery, "query", "-q", name], input="key 21\n")[0] for name in some) / len(some)
        once = min(timed([bloomery, "index", "query", index, "key 21"])[0] for _ in range(10))
        print(f"bloomery query: {each * 1000:.2f} ms a file ({len(some)} of them), {each * len(names):.1f} s for all; "
              f"bloomery index query: {once * 1000:.2f} ms; {each * len(names) / once:.0f} times", flush=True)
        one = str(folder / "more.bloom")
        shutil.copy(names[0], one)
        for words in (["append", "-q", str(index), one], ["delete", "-q", str(index), one], ["verify", "-q", str(index)]):
            print(f"index {words[0]} of one filter: {timed([bloomery, 'index', *words])[0]:.2f} s" if words[0] != "verify"
                  else f"index verify: {timed([bloomery, 'index', *words])[0]:.2f} s", flush=True)
    finally:
        shutil.rmtree(folder)


main()
