"""Columns of Arrow's C data interface, with nulls, offsets and hostile contents."""
import struct
import unittest

import support
from arrow_producer import RELEASED, Column, Stream, column_of
from bloomery import Bloom, CountingBloom

TEXTS = ["apple", "", "Äpfel", "a long one that no view holds itself", "pear", "日本", "another quite long one"]
WITH_NULLS = ["apple", None, "Äpfel", None, None, "a long one that no view holds itself", "pear", "日本", None, "fig"]


def made(source, **options):
    filter = Bloom(1000, 1e-6, **options)
    filter.update(source)
    return filter


class Columns(unittest.TestCase):
    def check(self, values, column, **options):
        present = [value for value in values if value is not None]
        expected = made(present, **options)
        self.assertEqual(made(column, **options), expected)
        answers = [bool(answer) for answer in expected.contains_many(column)]
        self.assertTrue(answers == [value is not None for value in values])
        fresh = Bloom(1000, 1e-6, **options)
        seen, firsts = set(), []
        for value in values:
            firsts.append(value is not None and value not in seen)
            seen.add(value)
        self.assertTrue([bool(answer) for answer in fresh.add_many(column)] == firsts)

    def test_text_and_bytes(self):
        for format in ("u", "U", "z", "Z", "vu", "vz"):
            for values in (TEXTS, WITH_NULLS, WITH_NULLS * 1000):
                for skip in (0, 1, 7, 8, 13) if len(values) < 100 else (5,):
                    with self.subTest(format=format, skip=skip, rows=len(values)):
                        self.check(values, column_of(values, format, skip=skip))

    def test_fixed_bytes(self):
        values = [b"abc", b"d\0\0", None, b"\0\0\0"]
        self.check(values, column_of(values, "w:3", skip=3))

    def test_numbers(self):
        for format in "lLiIsScC":
            values = [1, None, 100, 0, 7, None, 42] * (2000 if format in "li" else 1)
            for key_type in ("u64", "i64"):
                for skip in (0, 5, 9):
                    self.check(values, column_of(values, format, skip=skip), key_type=key_type)
        self.check([-5, None, -2**63], column_of([-5, None, -2**63], "l"), key_type="i64")
        self.check([-5, None, 3], column_of([-5, None, 3], "c", skip=2), key_type="i64")
        self.assertRaisesRegex(ValueError, "is -5", made, column_of([3, -5], "l"), key_type="u64")
        self.check([0.5, None, 0.1], column_of([0.5, None, 0.1], "g", skip=2), key_type="f64", format="guava")
        self.check([True, None], column_of([True, None], "b", skip=9), key_type="bool", format="guava")

    def test_dictionaries(self):
        values = column_of(["apple", None, "pear", "a long one that no view holds itself"], "u")
        for code, format in (("b", "c"), ("H", "S"), ("i", "i"), ("q", "l")):
            indices = [0, 3, 2, 1, 0]
            column = Column(format, 5, [None, struct.pack(f"<5{code}", *indices)], dictionary=values)
            expected = ["apple", "a long one that no view holds itself", "pear", None, "apple"]
            self.check(expected, column)
        for indices in ((0, 4), (0, -1)):
            wrong = Column("i", 2, [None, struct.pack("<2i", *indices)], dictionary=values)
            self.assertRaisesRegex(ValueError, "out of range", made, wrong)

    def test_streams(self):
        columns = [column_of(TEXTS, "u"), column_of([None, "x", "y"], "u", skip=1), column_of(["z"], "u")]
        del RELEASED[:]
        filter = made(Stream(columns))
        self.assertEqual(filter, made([*TEXTS, "x", "y", "z"]))
        self.assertEqual(sorted(RELEASED), ["array"] * 3 + ["schema"])
        answers = filter.contains_many(Stream([column_of(["x", "absent"], "u"), column_of([None, "z"], "u")]))
        self.assertEqual([bool(answer) for answer in answers], [True, False, False, True])
        self.assertRaisesRegex(OSError, "the disk is gone", made, Stream([column_of(TEXTS, "u")], fail=1))

    def test_all_null(self):
        filter = Bloom(10)
        self.assertEqual(filter.update(Column("n", 5, [], nulls=5)), 0)
        self.assertEqual(sum(filter.contains_many(Column("n", 5, [], nulls=5))), 0)
        self.assertEqual(filter.update(Column("u", 0, [None, None, None])), 0)

    def test_removal(self):
        filter = CountingBloom(100)
        filter.update(column_of(["a", "b"], "u"))
        self.assertEqual(list(map(bool, filter.remove_many(column_of(["b", None, "c"], "u")))), [True, False, False])
        self.assertTrue("a" in filter and "b" not in filter)


class Refused(unittest.TestCase):
    def test_types_that_are_no_keys(self):
        self.assertRaisesRegex(ValueError, "one column", made, Column("+s", 1, [None]))
        for format in ("+l", "tdD", "tsu:UTC", "d:5,2", "e", "+r", "x"):
            self.assertRaisesRegex(TypeError, "Arrow data of the type", made, Column(format, 1, [None, b"12345678"]))
        self.assertRaisesRegex(TypeError, "key_type=", made, column_of([1], "l"))
        self.assertRaisesRegex(TypeError, "whole numbers", made, column_of(["a"], "u"), key_type="u64")

    def test_contents_that_contradict_themselves(self):
        offsets = struct.pack("<3i", 0, 5, 3)
        self.assertRaisesRegex(ValueError, "fall", made, Column("u", 2, [None, offsets, b"apple"]))
        self.assertRaisesRegex(ValueError, "negative", made, Column("u", 1, [None, struct.pack("<2i", -1, 3), b"apple"]))
        self.assertRaises(ValueError, made, Column("u", 2, [None, None, b"apple"]))
        self.assertRaises(ValueError, made, Column("u", 1, [None, struct.pack("<2i", 0, 3), None]))
        self.assertRaises(ValueError, made, Column("l", 1, [None, None]), key_type="i64")
        self.assertRaises(ValueError, made, Column("u", -1, [None, offsets, b""]))
        long = b"a long one that no view holds"
        for size, buffer, start in ((len(long), 1, 0), (len(long), -1, 0), (len(long), 0, 1), (len(long), 0, -1),
                                    (-1, 0, 0), (2**31 - 1, 0, 0)):
            view = struct.pack("<i4sii", size, long[:4], buffer, start)
            wrong = Column("vu", 1, [None, view, long, struct.pack("<q", len(long))])
            self.assertRaisesRegex(ValueError, "points outside", made, wrong)

    def test_producers_that_fail(self):
        class Wrong:
            def __init__(self, result):
                self.result = result

            def __arrow_c_array__(self, requested_schema=None):
                if isinstance(self.result, Exception):
                    raise self.result
                return self.result
        self.assertRaises(TypeError, made, Wrong(5))
        self.assertRaises(ValueError, made, Wrong((1, 2)))
        self.assertRaises(KeyError, made, Wrong(KeyError("x")))
        released = column_of(TEXTS, "u")
        released.array.release = type(released.array.release)()
        self.assertRaisesRegex(ValueError, "released", made, released)


if __name__ == "__main__":
    support.main()
