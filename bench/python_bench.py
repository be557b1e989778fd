#!/usr/bin/env python3
"""Measures the Python package beside set, numpy.isin and python3-flor. Usage: python_bench.py [--keys N] [--rounds N]

Prints a table of medians in nanoseconds of CPU time per key. The things that are compared run in turn, round after round,
so that a busy machine slows all of them. Run it with an optimised build of the package on PYTHONPATH, or in an environment with the
wheel.
"""
import argparse
import os
import pathlib
import random
import statistics
import sys
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "bindings" / "python"))
from arrow_producer import Column
from bloomery import Bloom

try:
    import flor
except ImportError:
    flor = None


def column_of(texts):
    """A column of Arrow's utf8, which numpy makes faster than a loop."""
    encoded = [text.encode() for text in texts]
    offsets = numpy.zeros(len(encoded) + 1, dtype=numpy.int32)
    numpy.cumsum([len(text) for text in encoded], out=offsets[1:])
    return Column("u", len(encoded), [None, offsets.tobytes(), b"".join(encoded)])


def lookups(container, keys):
    """Nanoseconds per `key in container`, with the loop's own cost. The keys are new objects: a str remembers its hash,
    and keys that come from outside have none yet."""
    keys = [key[:-1] + key[-1] for key in keys]
    found = 0
    start = time.process_time_ns()
    for key in keys:
        if key in container:
            found += 1
    return (time.process_time_ns() - start) / len(keys)


class Rows:
    def __init__(self):
        self.rows = {}

    def time(self, name, count, call):
        start = time.process_time_ns()
        result = call()
        self.rows.setdefault(name, []).append((time.process_time_ns() - start) / count)
        return result

    def note(self, name, value):
        self.rows.setdefault(name, []).append(value)

    def table(self):
        print("| | median | fastest |\n|---|---|---|")
        for name, values in self.rows.items():
            print(f"| {name} | {statistics.median(values):,.1f} | {min(values):,.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--large-set", type=int, default=10_000_000)
    options = parser.parse_args()
    count = options.keys
    chosen = random.Random(1)
    numbers = numpy.random.default_rng(1).integers(0, 2**64, count, dtype=numpy.uint64)
    texts = [f"https://example.org/{chosen.getrandbits(40):x}" for _ in range(count)]
    column = column_of(texts)
    probes = texts[:]
    chosen.shuffle(probes)
    probes = probes[:200_000] + [f"https://example.com/{chosen.getrandbits(40):x}" for _ in range(200_000)]
    chosen.shuffle(probes)
    rows = Rows()
    filled, small_set = Bloom(count, 0.01), set(texts)
    filled.update(texts)
    for _ in range(options.rounds):
        whole = Bloom(count, 0.01, key_type="u64")
        rows.time("u64 numpy, update", count, lambda: whole.update(numbers))
        rows.time("u64 numpy, contains_many", count, lambda: whole.contains_many(numbers))
        signed = Bloom(count, 0.01, key_type="i64")
        rows.time("int64 numpy, update", count, lambda: signed.update(numbers.view(numpy.int64)))
        rows.time("int64 numpy, contains_many", count, lambda: signed.contains_many(numbers.view(numpy.int64)))
        rows.time("numpy.isin", count, lambda: numpy.isin(numbers, numbers))
        text = Bloom(count, 0.01)
        rows.time("list of str, update", count, lambda: text.update(texts))
        rows.time("list of str, contains_many", count, lambda: text.contains_many(texts))
        rows.time("set(list of str)", count, lambda: set(texts))
        arrow = Bloom(count, 0.01)
        rows.time("Arrow utf8, update", count, lambda: arrow.update(column))
        rows.time("Arrow utf8, contains_many", count, lambda: arrow.contains_many(column))
        rows.note("`in`, str, Bloom", lookups(filled, probes))
        rows.note("`in`, str, set", lookups(small_set, probes))
    if flor is not None:
        other = flor.BloomFilter(n=count, p=0.01)
        encoded = [text.encode() for text in texts[:20_000]]
        rows.time("python3-flor, add (20,000 bytes)", 20_000, lambda: [other.add(key) for key in encoded])
        rows.time("python3-flor, check (20,000 bytes)", 20_000, lambda: [other.check(key) for key in encoded])
    del small_set
    if options.large_set:
        large = {f"https://example.org/{i:x}" for i in range(options.large_set)}
        bloom = Bloom(options.large_set, 0.01)
        bloom.update(large)
        probes = [f"https://example.org/{chosen.randrange(2 * options.large_set):x}" for _ in range(400_000)]
        for _ in range(options.rounds):
            rows.note(f"`in`, str, Bloom of {options.large_set:,}", lookups(bloom, probes))
            rows.note(f"`in`, str, set of {options.large_set:,}", lookups(large, probes))
    rows.table()
    size = sys.getsizeof(set(texts)) + sum(map(sys.getsizeof, texts))
    print(f"\nMemory: {filled.nbytes:,} bytes; the set with its strings {size:,} bytes. "
          f"Load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


main()
