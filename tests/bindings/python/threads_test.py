"""Filters shared between threads and processes."""
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import unittest

import support
from bloomery import Bloom, ConcurrentBloom, CountingBloom, ScalableBloom


def run_all(*functions):
    failed = []

    def run(function):
        try:
            function()
        except BaseException as error:
            failed.append(error)
    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


class Threads(unittest.TestCase):
    def test_all_keys_of_all_threads_are_in(self):
        for kind in (Bloom, CountingBloom, ScalableBloom, ConcurrentBloom):
            filter = kind(100_000, key_type="u64")
            stop = threading.Event()

            def write(first):
                keys = memoryview(b"".join(i.to_bytes(8, "little") for i in range(first, first + 20_000))).cast("Q")
                for _ in range(3):
                    filter.update(keys)
                    filter.add(first)

            def read():
                while not stop.is_set():
                    filter.contains_many(range(5000))
                    7 in filter, filter.health, filter.copy(), repr(filter), filter == filter

            reader = threading.Thread(target=read)
            reader.start()
            try:
                run_all(*[lambda first=first: write(first) for first in range(0, 80_000, 20_000)])
            finally:
                stop.set()
                reader.join()
            self.assertEqual(filter.count(range(80_000)), 80_000, kind)

    def test_merging_in_both_directions_ends(self):
        a, b = Bloom(bits=1 << 20), Bloom(bits=1 << 20)

        def merge(into, other):
            for i in range(200):
                into |= other
                into.add(f"{id(into)} {i}")
        run_all(lambda: merge(a, b), lambda: merge(b, a))
        self.assertTrue(f"{id(a)} 5" in a and f"{id(b)} 5" in b)

    def test_a_merge_waits_for_a_batch(self):
        keys = memoryview(b"".join(i.to_bytes(8, "little") for i in range(400_000))).cast("Q")
        for _ in range(10):
            into, other = (Bloom(bits=1 << 26, key_type="u64", layout="classic") for _ in range(2))
            started = threading.Event()

            def write():
                started.set()
                other.update(keys)
            thread = threading.Thread(target=write)
            thread.start()
            started.wait()
            time.sleep(0.004)
            into |= other
            thread.join()
            self.assertIn(into.count(keys), (0, len(keys)))

    def test_the_gil_is_free_during_a_batch(self):
        try:
            import numpy
        except ImportError:
            support.skip(self, "there is no numpy; install python3-numpy")
        keys = numpy.arange(4_000_000, dtype=numpy.uint64)
        filter = Bloom(4_000_000, key_type="u64", layout="classic")
        ticks, stop = 0, threading.Event()

        def tick():
            nonlocal ticks
            while not stop.is_set():
                ticks += 1
                time.sleep(0.001)
        thread = threading.Thread(target=tick)
        thread.start()
        time.sleep(0.01)
        before = ticks
        filter.update(keys)
        during = ticks - before
        stop.set()
        thread.join()
        self.assertGreater(during, 3)

    def test_a_writer_waits_for_readers_and_they_for_it(self):
        filter = ScalableBloom(10)
        keys = [str(i) for i in range(50_000)]

        def change():
            for _ in range(3):
                filter.clear()
                filter.update(keys)
        run_all(change, lambda: [filter.contains_many(keys) for _ in range(5)],
                lambda: [filter.dumps() for _ in range(20)])
        self.assertEqual(filter.count(keys), len(keys))

    def test_a_filter_is_not_freed_in_use(self):
        keys = [str(i) for i in range(100_000)]
        filter = Bloom(100_000)

        def close():
            time.sleep(0.002)
            filter.close()
        try:
            run_all(lambda: [filter.update(keys) for _ in range(5)], close)
        except ValueError as error:
            self.assertIn("closed", str(error))


    def test_ctrl_c_ends_a_batch(self):
        code = """
import itertools, os, signal, sys, threading
from bloomery import Bloom
filter = Bloom(1000)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    filter.update(itertools.repeat("x"))
except KeyboardInterrupt:
    assert "x" in filter and filter.add("y")
    print("ended")
"""
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, timeout=60)
        self.assertEqual(done.stdout, b"ended\n")


class Processes(support.InFolder):
    def test_fork(self):
        filter = Bloom(1000)
        filter.add("before")
        child = os.fork()
        if child == 0:
            good = "before" in filter and filter.add("in the child") and filter.update(["x"] * 10_000) == 1
            os._exit(0 if good else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertNotIn("in the child", filter)

    def test_a_fork_while_another_thread_writes(self):
        code = """
import os, threading, time
from bloomery import Bloom
keys = memoryview(bytes(8 << 21)).cast("Q")
filter, other = Bloom(1 << 21, key_type="u64", layout="classic"), Bloom(10)
stop = threading.Event()
def write():
    while not stop.is_set():
        filter.update(keys)
thread = threading.Thread(target=write)
thread.start()
torn = whole = 0
for _ in range(30):
    child = os.fork()
    if child == 0:
        other.add("x")
        try:
            filter.add(1)
        except RuntimeError as error:
            os._exit(3 if "forked" in str(error) else 4)
        os._exit(5 if 1 in filter else 6)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    torn += code == 3
    whole += code == 5
    assert code in (3, 5), code
    time.sleep(0.003)
stop.set()
thread.join()
filter.add(1)
assert torn > 0, (torn, whole)
"""
        subprocess.run([sys.executable, "-c", code], check=True, timeout=120)

    def test_pickles_between_processes_with_other_hash_seeds(self):
        code = ("import pickle, sys\nfilters = pickle.load(sys.stdin.buffer)\n"
                "for f in filters[:-1]:\n    assert f.count(map(str, range(1000))) == 1000 and f.add('new'), f\n"
                "keyed = filters[-1]\nassert 'apple' in keyed and 'pear' not in keyed and keyed.key.__name__ == 'length_first'\n"
                "sys.stdout.buffer.write(pickle.dumps(filters))")
        filters = [kind(1000, 1e-6) for kind in (Bloom, CountingBloom, ScalableBloom, ConcurrentBloom)]
        filters += [Bloom(1000, 1e-6, format="guava"), CountingBloom(100_000, format="rediscuckoo")]
        for filter in filters:
            filter.update(map(str, range(1000)))
        keyed = Bloom(100, key=support.length_first)
        keyed.add("apple")
        here = os.path.dirname(os.path.abspath(__file__))
        for seed in ("1", "77"):
            path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), here])
            done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps([*filters, keyed]),
                                  stdout=subprocess.PIPE, check=True,
                                  env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path})
            back = pickle.loads(done.stdout)
            for before, after in zip(filters, back):
                self.assertIs(type(after), type(before))
                self.assertTrue(before <= after if type(before) is Bloom else "new" in after)

    def test_key_types_survive_a_pickle(self):
        for options in (dict(key_type="u64"), dict(key_type="i64", format="guava"),
                        dict(key_type="i32", format="parquet")):
            filter = Bloom(100, **options)
            filter.add(5)
            again = pickle.loads(pickle.dumps(filter))
            self.assertEqual(again.key_type, options["key_type"])
            self.assertIn(5, again)
        self.assertRaisesRegex(TypeError, "secret", pickle.dumps, Bloom(10, hash="siphash", secret="s" * 16))
        self.assertRaises(Exception, pickle.dumps, Bloom(10, key=lambda key: key))

    def test_pools(self):
        path = self.folder / "seen.bloom"
        filter = Bloom(1000)
        filter.update(map(str, range(1000)))
        filter.save(path)
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            parts = pool.map(count_in, [(path, filter, range(n, n + 500)) for n in (0, 500)])
        self.assertEqual(parts, [(500, 500)] * 2)


def count_in(work):
    path, filter, keys = work
    return Bloom.open(path).count(map(str, keys)), filter.count(map(str, keys))


if __name__ == "__main__":
    support.main()
