"""Damaged bytes, exhausted memory, leaks: an exception, never a crash."""
import gc
import os
import random
import resource
import subprocess
import sys
import threading
import unittest
import weakref

import support
import bloomery
from bloomery import Bloom, ConcurrentBloom, CountingBloom, FormatError, ScalableBloom


def filled(kind, **options):
    filter = kind(**{"keys": 200, **options})
    filter.update(map(str, range(100)))
    return filter


class Bytes(unittest.TestCase):
    def test_damaged_and_cut_filters_are_refused_or_work(self):
        chosen = random.Random(5)
        samples = [(filled(kind).dumps(), "auto") for kind in (Bloom, CountingBloom, ScalableBloom)]
        samples += [(filled(Bloom, format=name).dumps(), name) for name in
                    ("guava", "dcso", "parquet", "bits-and-blooms", "bits-and-blooms:json", "redisbloom", "leveldb")]
        samples += [(filled(CountingBloom, format="rediscuckoo").dumps(), "rediscuckoo")]
        refused = 0
        for data, format in samples:
            cases = [data[:size] for size in chosen.sample(range(len(data)), 40)] + [data + b"x", b"", data * 2]
            for _ in range(150):
                changed = bytearray(data)
                for _ in range(chosen.randint(1, 4)):
                    changed[chosen.randrange(min(len(data), 120))] = chosen.randrange(256)
                cases.append(bytes(changed))
            for case in cases:
                try:
                    filter = bloomery.loads(case, format, max_bytes=1 << 20)
                except ValueError as error:
                    refused += isinstance(error, FormatError)
                    continue
                filter.count(map(str, range(5)))
                repr(filter)
        self.assertGreater(refused, 1000)

    def test_noise(self):
        chosen = random.Random(6)
        for format in bloomery.formats():
            for size in (0, 1, 20, 256, 1000):
                try:
                    repr(bloomery.loads(chosen.randbytes(size), format.name, max_bytes=1 << 20))
                except ValueError:
                    pass

    def test_bytes_that_change_while_they_are_read(self):
        data = bytearray(filled(ScalableBloom, keys=50).dumps())
        stop = threading.Event()

        def change():
            chosen = random.Random(7)
            while not stop.is_set():
                data[chosen.randrange(len(data))] = chosen.randrange(256)
        thread = threading.Thread(target=change)
        thread.start()
        for _ in range(300):
            try:
                bloomery.loads(data, max_bytes=1 << 20).count(["x"])
            except ValueError:
                pass
        stop.set()
        thread.join()

    def test_limits(self):
        data = Bloom(1_000_000).dumps()
        self.assertRaisesRegex(FormatError, "max_bytes=$", Bloom.loads, data, max_bytes=1000)
        self.assertRaisesRegex(ValueError, "max_bytes", Bloom, 10**10)
        self.assertRaises(ValueError, Bloom, 1000, max_bytes=100)
        self.assertEqual(Bloom.loads(data, max_bytes=1 << 21).bits, Bloom(1_000_000).bits)
        for format in ("guava", "redisbloom", "dcso", "parquet", "bits-and-blooms"):
            self.assertRaisesRegex(ValueError, "max_bytes=$", Bloom, 10**6, max_bytes=1000, format=format)

    def test_only_a_limit_of_memory_is_raised_by_max_bytes(self):
        """A full filter, and one that its format cannot hold, would stay so."""
        full = [ScalableBloom(10, max_layers=1), Bloom(10, format="redisbloom", expansion=0),
                CountingBloom(10, format="rediscuckoo", expansion=0)]
        for filter in full:
            with self.assertRaises(ValueError) as caught:
                filter.update(str(i) for i in range(1000))
            self.assertRegex(str(caught.exception), "full", filter)
            self.assertNotIn("max_bytes", str(caught.exception))
        with self.assertRaisesRegex(ValueError, "128 MiB") as caught:
            Bloom(10**9, format="parquet")
        self.assertNotIn("max_bytes", str(caught.exception))

    def test_numbers_beyond_64_bits(self):
        filter = Bloom(bits=1 << 20)
        for wrong in (2**64, -1, 0, 10**30, 2.5):
            self.assertRaisesRegex(ValueError, f"^factor is {wrong}; give a ", filter.fold, wrong)
        self.assertRaisesRegex(TypeError, "factor is 'x'; give a whole number", filter.fold, "x")
        self.assertRaisesRegex(ValueError, "cannot be folded by 18446744073709551615", filter.fold, 2**64 - 1)
        self.assertRaisesRegex(ValueError, "2147483648 were asked for", Bloom, bits=2**31, probes=2**31)
        self.assertRaisesRegex(ValueError, "2\\^48 bits", Bloom, 10, 1e-300, probes=3)  # at once


class Objects(unittest.TestCase):
    def test_objects_that_were_never_made(self):
        for kind in (Bloom, CountingBloom, ScalableBloom, ConcurrentBloom, bloomery.Filter):
            empty = kind.__new__(kind)
            good = Bloom(10)
            for call in (lambda: empty.add("x"), lambda: "x" in empty, lambda: empty.update(["x"]),
                         lambda: empty.health, lambda: empty | good, lambda: good | empty, lambda: good == empty,
                         empty.clear, empty.copy, empty.dumps, lambda: empty.info):
                self.assertRaises(ValueError, call)
            repr(empty)
            empty.close()

    def test_failed_constructions_leave_the_object_as_it_was(self):
        filter = filled(Bloom)
        self.assertRaises(ValueError, filter.__init__, -5)
        self.assertIn("5", filter)

    def test_a_filter_that_is_replaced_while_it_takes_keys(self):
        for old, new, keys in (("u64", "bytes", range(100)), ("bytes", "u64", map(str, range(100))),
                               ("f64", "bytes", [0.5] * 100), ("bytes", "u64", [str(i) for i in range(100)])):
            def replace(key):
                filter.__init__(10, key_type=new)  # without a key= function from now on
                return key
            filter = Bloom(10, key_type=old, key=replace)
            self.assertRaises((RuntimeError, TypeError), filter.update, keys)
            filter.__init__(10, key_type=old, key=replace)
            self.assertRaises((RuntimeError, TypeError, ValueError), filter.add, "x" if old == "bytes" else 0.5)
        texts, filter, stop = [str(i) for i in range(30_000)], Bloom(1000), threading.Event()

        def swap():
            while not stop.is_set():
                filter.__init__(1000, key_type="u64")
                filter.__init__(1000)
        thread = threading.Thread(target=swap)
        thread.start()
        for _ in range(20):
            for call in (lambda: filter.update(texts), lambda: filter.contains_many(texts), lambda: filter.add("x")):
                try:
                    call()
                except (RuntimeError, TypeError, ValueError):
                    pass
        stop.set()
        thread.join()

    def test_cycles_are_collected(self):
        class Owner:
            def __init__(self):
                self.filter = Bloom(10, key=self.make)

            def make(self, key):
                return key
        owner = Owner()
        owner.filter.add("x")
        gone = weakref.ref(owner)
        del owner
        gc.collect()
        self.assertIsNone(gone())

    def test_subclasses_keep_their_attributes(self):
        class Named(Bloom):
            pass
        filter = Named(100)
        filter.name = "fruit"
        self.assertEqual(((filter | filter).name, type(filter.copy())), ("fruit", Named))


class Leaks(unittest.TestCase):
    def memory(self):
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def test_references_to_keys_are_given_back(self):
        class Key:
            pass
        text, data, number, odd = "".join(["a", "pple"]), bytes(bytearray(b"pear")), 10**15, Key()
        filter, numbers, keyed = Bloom(100), Bloom(100, key_type="u64"), Bloom(100, key=lambda key: b"x")
        containers = [list, tuple, iter, lambda keys: (key for key in keys)]
        try:
            import numpy
            containers.append(lambda keys: numpy.array(keys, dtype=object))
        except ImportError:
            pass

        def calls():
            for key, takes in ((text, filter), (data, filter), (number, numbers), (odd, keyed)):
                takes.add(key), key in takes
                for container in containers:
                    for call in (takes.update, takes.count, takes.contains_many, takes.add_many):
                        call(container([key] * 3))
            for wrong in ([text, odd], (data, number), iter([text, odd])):
                self.assertRaises(TypeError, filter.update, wrong)
        before = [sys.getrefcount(key) for key in (text, data, number, odd)]
        for _ in range(50):
            calls()
        gc.collect()
        self.assertEqual([sys.getrefcount(key) for key in (text, data, number, odd)], before)

    def test_a_million_calls_keep_the_memory(self):
        filter, numbers = Bloom(1000), Bloom(1000, key_type="u64")
        keyed = Bloom(1000, key=lambda key: b"%d" % key)
        texts, some = ["Äpfel", "apple", b"pear"], [str(i) for i in range(50)]
        data = filter.dumps()

        def calls(count):
            for i in range(count // 40):
                for key in texts:
                    filter.add(key)
                    key in filter
                for _ in range(10):
                    numbers.add(i)
                    i in numbers
                keyed.add(i)
                filter.update(some), filter.contains_many(some), filter.update(iter(texts)), filter.count(some)
                for wrong in (5, "\ud800"):
                    try:
                        filter.add(wrong)
                    except (TypeError, UnicodeEncodeError):
                        pass
                if i % 10 == 0:
                    filter.dumps(), filter.describe(), filter | filter, filter.copy(), Bloom.loads(data), filter.health, repr(filter), filter.info
                    try:
                        Bloom.loads(data[:-1])
                    except FormatError:
                        pass
        calls(100_000)
        before = self.memory()
        calls(1_000_000)
        self.assertLess(self.memory() - before, 2 << 20)


class Memory(unittest.TestCase):
    def in_process(self, code):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "MemoryError"), done.stderr)

    def test_exhausted_memory_is_an_exception(self):
        limit = ("import resource\nfrom bloomery import Bloom, ScalableBloom\n"
                 "def limited(more):\n"
                 "    used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
                 "    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))\n")
        for setup, call in (("", "Bloom(bits=1 << 32, max_bytes=1 << 33)"),
                            ("f = Bloom(bits=3 << 28)\n", "f.copy()"),
                            ("f = Bloom(bits=3 << 28)\n", "f.dumps()"),
                            ("f = Bloom(bits=3 << 28)\nd = f.dumps()\n", "Bloom.loads(d)"),
                            ("k = bytearray(1 << 27)\nm = memoryview(k)\nf = Bloom(10, key_type='u64')\n", "f.contains_many(m)"),
                            ("f = ScalableBloom(1 << 20, 1e-9)\n", "[f.update(map(str, range(n, n + 10**6))) for n in range(0, 10**9, 10**6)]")):
            self.in_process(f"{limit}{setup}limited(60 << 20)\ntry:\n    {call}\n"
                            "except MemoryError as error:\n    print('MemoryError')\n")


if __name__ == "__main__":
    support.main()
