"""What is a key, what is not, and which bits it sets: numpy arrays, lists and single keys agree."""
import array
import collections
import fractions
import subprocess
import sys
import unittest
import uuid

import support
from bloomery import Bloom, ConcurrentBloom, CountingBloom, ScalableBloom


def same(*filters):
    return all(filter == filters[0] for filter in filters)


def made(source, **options):
    filter = Bloom(1000, **options)
    filter.update(source)
    return filter


class Kinds(unittest.TestCase):
    def test_text_is_its_utf8(self):
        texts = ["", "apple", "Äpfel", "日本", "\U0001F34E", "a\0b"]
        self.assertTrue(same(made(texts), made([text.encode() for text in texts]),
                             made([bytearray(text.encode()) for text in texts]),
                             made([memoryview(text.encode()) for text in texts])))

    def test_lists_of_str_and_bytes_at_the_end_of_a_chunk(self):
        """8,192 keys are converted at a time. PYTHONMALLOC=debug finds a write behind the last one."""
        for count in (8191, 8192, 8193, 16384, 16385):
            texts = [f"key {i}" for i in range(count)]
            data = [text.encode() for text in texts]
            mixed = [data[i] if i % 3 else texts[i] for i in range(count)]
            expected = made(data)
            for keys in ([*data[:-1], texts[-1]], [*texts[:-1], data[-1]], mixed, tuple(mixed), texts):
                self.assertEqual(made(keys), expected, count)
            for source in ([*data, "text"], [*texts, b"text"], (*data, "text", b"more", "text")):
                filter = Bloom(20_000)
                filter.update(source)
                self.assertEqual(filter.count(source), len(source))
        for kind, keys in ((bytes, [b"a"] * 8192), (str, ["a"] * 8192)):
            with self.assertRaises(UnicodeEncodeError, msg=kind) as caught:
                Bloom(10).update([*keys, "\ud800"])
            self.assertEqual(caught.exception.__notes__, ["at key 8192, counted from 0"])

    def test_a_full_filter_at_the_end_of_a_chunk_gives_its_keys_back(self):
        text, data = "".join(["la", "st"]), [b"%d" % i for i in range(8192)]
        before = sys.getrefcount(text)
        for _ in range(20):
            filter = ScalableBloom(10, max_layers=1)
            self.assertRaisesRegex(ValueError, "are full", filter.update, [*data, text])
        self.assertEqual(sys.getrefcount(text), before)

    def test_what_is_no_key_is_refused(self):
        for kind in (Bloom, CountingBloom, ScalableBloom, ConcurrentBloom):
            filter = kind(100)
            for wrong in (5, True, None, 1.5, ("a",), object(), fractions.Fraction(1, 2), array.array("Q", [1])):
                self.assertRaisesRegex(TypeError, "takes str and bytes keys", filter.add, wrong)
                self.assertRaisesRegex(TypeError, "takes str and bytes keys", filter.__contains__, wrong)
                self.assertRaisesRegex(TypeError, "takes str and bytes keys", filter.update, ["a", wrong])
                self.assertRaisesRegex(TypeError, "takes str and bytes keys", filter.contains_many, iter([wrong]))
            self.assertRaises(UnicodeEncodeError, filter.add, "\ud800")
            self.assertRaises(UnicodeEncodeError, filter.update, ["a", "\ud800"])
            self.assertRaisesRegex(TypeError, "key_type=", filter.add, 5)
            for wrong in ("apple", b"apple", bytearray(b"apple")):
                self.assertRaisesRegex(TypeError, "many keys are wanted", filter.update, wrong)
            self.assertRaisesRegex(TypeError, "merge filters", filter.update, filter)
            self.assertRaises(TypeError, filter.update, 5)
        numbers = Bloom(100, key_type="u64")
        for wrong in ("5", b"5", 5.0, None):
            self.assertRaisesRegex(TypeError, "takes whole numbers", numbers.add, wrong)

    def test_key_functions(self):
        Point = collections.namedtuple("Point", "x y")
        points = Bloom(1000, key=lambda point: b"%d,%d" % point)
        points.update(Point(i, -i) for i in range(100))
        self.assertTrue(same(points, made([f"{i},{-i}" for i in range(100)])))
        self.assertIn((5, -5), points)
        self.assertEqual(sum(points.contains_many([(5, -5), (5, 5)])), 1)
        ids = Bloom(1000, key_type="u64", key=lambda pair: pair[1])
        self.assertTrue(ids.add(("a", 7)) and ids.add_many([("b", 7), ("b", 8)])[1])
        self.assertIn((None, 8), ids.copy())
        self.assertRaises(ZeroDivisionError, Bloom(10, key=lambda key: 1 / 0).add, 1)
        self.assertRaises(TypeError, Bloom(10, key=lambda key: None).add, 1)
        self.assertRaises(TypeError, Bloom, 10, key="name")
        self.assertIn(uuid.UUID(int=5), made([uuid.UUID(int=5)], key=lambda id: id.bytes))

    def test_a_key_function_that_changes_what_it_iterates(self):
        keys = ["a", "b", "c"] * 5000
        filter = Bloom(1000)
        shrinking = Bloom(1000, key=lambda key: (keys and keys.pop(), key)[1])
        shrinking.update(keys)
        self.assertIn("a", shrinking)
        again = Bloom(1000, key=lambda key: (again.__init__(10), key)[1])
        again.update(["a", "b"])
        self.assertEqual(again.bits, Bloom(10).bits)
        self.assertEqual(filter.update([]), 0)

    def test_an_error_in_an_iterator_is_raised_and_what_came_before_it_may_be_in(self):
        def keys():
            yield from map(str, range(20_000))
            raise LookupError("the end")
        filter = Bloom(30_000)
        self.assertRaises(LookupError, filter.update, keys())
        self.assertIn("0", filter)

    def test_errors_say_which_key(self):
        for source in (["a"] * 20_000 + [None], iter(["a"] * 20_000 + ["\ud800"]), (*["a"] * 20_000, 5)):
            with self.assertRaises((TypeError, UnicodeEncodeError)) as caught:
                Bloom(10).update(source)
            self.assertEqual(caught.exception.__notes__, ["at key 20000, counted from 0"])

    def test_floats_bools_and_chars_of_other_systems(self):
        floats = Bloom(100, format="guava", key_type="f64")
        self.assertTrue(floats.add(0.1) and 0.1 in floats and 0.2 not in floats)
        self.assertRaises(TypeError, floats.add, "0.1")
        narrow = Bloom(100, format="guava", key_type="f32")
        self.assertRaisesRegex(ValueError, "32-bit", narrow.add, 0.1)
        self.assertTrue(narrow.add(0.5) and not narrow.add(0.5))
        self.assertTrue(Bloom(100, format="guava", key_type="bool").add(True))
        chars = Bloom(100, format="guava", key_type="utf16")
        self.assertTrue(chars.add("\ud800") and "\ud800" in chars and "a" not in chars)
        self.assertRaises(TypeError, chars.add, b"ab")

    def test_options_are_checked(self):
        for options in (dict(keys=0), dict(keys=-1), dict(keys=1.5), dict(keys=2**64), dict(keys=100, rate=0),
                        dict(keys=100, rate=-1), dict(keys=100, rate=1), dict(keys=100, rate=float("nan")),
                        dict(keys=100, layout="counting"), dict(keys=100, layout="x"), dict(keys=100, hash="x"),
                        dict(keys=100, key_type="int"), dict(keys=100, format="x"), dict(), dict(rate=0.1),
                        dict(keys=100, secret="s"), dict(keys=10**12), dict(keys=10, seed=-1), dict(keys=10, layout="")):
            self.assertRaises(ValueError, Bloom, **options)
        for options in (dict(keys="9"), dict(keys=9, rate="x"), dict(keys=9, hash=5), dict(keys=9, colour=1)):
            self.assertRaises(TypeError, Bloom, **options)
        self.assertEqual(Bloom(1e6).bits, Bloom(1_000_000).bits)
        self.assertNotEqual(made(["a"], seed=1), made(["a"], seed=2))


class Numpy(unittest.TestCase):
    def setUp(self):
        try:
            import numpy
        except ImportError:
            support.skip(self, "there is no numpy; install python3-numpy")
        self.numpy = numpy

    def test_whole_numbers_of_every_width(self):
        np = self.numpy
        for key_type in ("u64", "i64"):
            expected = made(list(range(100)), key_type=key_type)
            for dtype in "BHILQbhilq":
                keys = np.arange(100, dtype=dtype)
                variants = [keys, np.repeat(keys, 3)[::3], keys[::-1], keys.astype(keys.dtype.newbyteorder(">")),
                            array.array(dtype, range(100)), keys.astype(object), list(keys)]
                packed = np.zeros(100, dtype=[("a", "u1"), ("key", dtype)])
                packed["key"] = keys
                for variant in [*variants, packed["key"]]:
                    self.assertEqual(made(variant, key_type=key_type), expected, (dtype, type(variant)))
        negative = made([-5, -2**63], key_type="i64")
        self.assertEqual(made(np.array([-5, -2**63]), key_type="i64"), negative)
        self.assertEqual(made(np.array([-5, -2**63])[::-1], key_type="i64"), negative)
        for dtype in "bhilq":  # narrower ones keep their sign
            for order in "<>":
                keys = np.array([-5, -1, 7], dtype=np.dtype(dtype).newbyteorder(order))
                self.assertEqual(made(keys, key_type="i64"), made([-5, -1, 7], key_type="i64"))
                self.assertEqual(made(keys, key_type="i8"), made([-5, -1, 7], key_type="i8"))
        filter = Bloom(100, key_type="u64")
        self.assertRaisesRegex(ValueError, "key 1 is -1", filter.update, np.array([5, -1]))
        self.assertNotIn(5, filter)
        self.assertRaisesRegex(ValueError, "out of its range", Bloom(100, key_type="i64").update,
                               np.array([2**63], dtype=np.uint64))

    def test_text_and_bytes(self):
        np = self.numpy
        texts = ["apple", "", "Äpfel", "日本", "\U0001F34E", "long " * 20]
        expected = made(texts)
        unicode = np.array(texts)
        encoded = np.array([text.encode() for text in texts])
        for variant in (unicode, encoded, unicode.astype(object), unicode[::-1], encoded[::-1],
                        np.repeat(encoded, 2)[::2], unicode.astype(unicode.dtype.newbyteorder(">")),
                        list(unicode), list(encoded)):
            self.assertEqual(made(variant), expected)
        raw = np.array([b"ab\0", b"cde"], dtype="V3")
        self.assertEqual(made(raw), made([b"ab\0", b"cde"]))
        wrong = np.array(["a", "\ud800"])
        self.assertRaises(UnicodeEncodeError, Bloom(10).update, wrong)
        chars = Bloom(100, format="guava", key_type="utf16")
        chars.update(unicode)
        self.assertEqual(chars.count(texts), len(texts))

    def test_floats_and_bools(self):
        np = self.numpy
        for key_type, dtype, keys in (("f64", "f8", [0.1, 1.5]), ("f32", "f4", [0.25, 1.5]), ("bool", "?", [True])):
            expected = made(keys, key_type=key_type, format="guava")
            array = np.array(keys, dtype=dtype)
            for variant in (array, np.repeat(array, 2)[::2], array.astype(array.dtype.newbyteorder(">"))):
                self.assertEqual(made(variant, key_type=key_type, format="guava"), expected)
            self.assertRaises(TypeError, Bloom(10, key_type=key_type, format="guava").update, np.array(["a"]))

    def test_arrays_of_other_shapes_and_types_are_refused(self):
        np = self.numpy
        for wrong in (np.zeros((2, 2)), np.array("a"), np.zeros((2, 2), dtype="S2")):
            self.assertRaisesRegex(ValueError, "dimensions", Bloom(10).update, wrong)
        for wrong in (np.arange(3), np.arange(3.0), np.array(["2020-01-01"], dtype="datetime64[D]"),
                      np.zeros(2, dtype=[("a", "i4"), ("b", "i4")]), np.array([None]), np.array([True])):
            self.assertRaises(TypeError, Bloom(10).update, wrong)
        for wrong in (np.uint64(5), np.float64(5), np.bool_(True)):
            self.assertRaises(TypeError, Bloom(10).add, wrong)
        self.assertEqual(Bloom(10).update(np.array([], dtype="u8")), 0)

    def test_answers_are_masks(self):
        np = self.numpy
        keys = np.arange(100_000, dtype=np.uint64)
        filter = made(keys[:50_000], key_type="u64")
        filter = Bloom(50_000, 1e-6, key_type="u64")
        filter.update(keys[:50_000])
        mask = filter.contains_many(keys)
        self.assertIs(mask.dtype, np.dtype(bool))
        self.assertTrue(mask[:50_000].all() and mask[50_000:].sum() < 5)
        self.assertEqual(len(keys[mask]), mask.sum())
        mask[:] = False  # it is the caller's
        self.assertEqual(len(filter.contains_many(iter([]))), 0)
        self.assertEqual(filter.contains_many(range(20_000)).sum(), 20_000)
        first = Bloom(1000, key_type="u64").add_many(np.array([5, 6, 5], dtype=np.uint64))
        self.assertEqual(first.tolist(), [True, True, False])

    def test_other_objects_with_an_array(self):
        np = self.numpy

        class Series:
            def __array__(self):
                return np.array(["a", "b"], dtype=object)

            def __iter__(self):
                raise AssertionError("the array is there")
        self.assertEqual(made(Series()), made(["a", "b"]))


class WithoutNumpy(unittest.TestCase):
    def test_a_masked_array_is_refused(self):
        try:
            import numpy
        except ImportError:
            support.skip(self, "there is no numpy; install python3-numpy")
        hidden = numpy.ma.array([1, 2, 3], mask=[0, 1, 0])
        numbers = Bloom(10, key_type="i64")
        with self.assertRaisesRegex(TypeError, "mask"):
            numbers.update(hidden)
        self.assertEqual(numbers.update(hidden.compressed()), 2)
        self.assertNotIn(2, numbers)

    def test_answers_are_a_bytearray(self):
        code = ("import sys; sys.modules['numpy'] = None\n"
                "from bloomery import Bloom\n"
                "seen = Bloom(100); seen.update(['a'])\n"
                "assert seen.contains_many(['a', 'b']) == bytearray([1, 0])\n"
                "assert seen.add_many(['a', 'b']) == bytearray([0, 1])")
        subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    support.main()
