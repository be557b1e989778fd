"""Filters against Python's set, for random keys and random sequences of calls."""
import os
import pickle
import tempfile
import unittest

import support

os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), "bloomery-hypothesis"))
support.needs("hypothesis", "python3-hypothesis")
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

import bloomery
from bloomery import Bloom, ConcurrentBloom, CountingBloom, ScalableBloom

EXAMPLES = settings(max_examples=1000 if support.FULL else 60, deadline=None, derandomize=not support.FULL,
                    suppress_health_check=list(HealthCheck))
TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=20)
KEYS = st.one_of(TEXTS, st.binary(max_size=20))
CLASSES = (Bloom, CountingBloom, ScalableBloom, ConcurrentBloom)


def as_bytes(key):
    return key.encode() if isinstance(key, str) else bytes(key)


class AgainstSet(unittest.TestCase):
    @EXAMPLES
    @given(st.sampled_from(CLASSES), st.lists(KEYS), st.lists(KEYS))
    def test_every_key_is_found_and_few_others_are(self, kind, keys, others):
        filter = kind(100, 1e-6)
        new = filter.update(keys)
        distinct = {as_bytes(key) for key in keys}
        self.assertLessEqual(new, len(distinct))
        self.assertGreaterEqual(new, len(distinct) - 1)
        self.assertTrue(all(key in filter for key in keys))
        self.assertEqual(filter.count(keys), len(keys))
        absent = [key for key in others if as_bytes(key) not in distinct]
        self.assertLessEqual(sum(key in filter for key in absent), 1)

    @EXAMPLES
    @given(st.sampled_from(CLASSES), st.lists(KEYS))
    def test_one_call_per_key_equals_a_batch(self, kind, keys):
        one, batch, answers = kind(100), kind(100), kind(100)
        new = [one.add(key) for key in keys]
        self.assertEqual(batch.update(iter(keys)), sum(new))
        self.assertEqual(list(map(bool, answers.add_many(keys))), new)
        self.assertTrue(one == batch == answers)
        probes = keys + ["absent", b"\xff\xff"]
        self.assertEqual(list(map(bool, one.contains_many(probes))), [key in one for key in probes])

    @EXAMPLES
    @given(st.sampled_from(["u64", "i64", "i32", "i8"]), st.data())
    def test_whole_numbers(self, key_type, data):
        low, high = {"u64": (0, 2**64 - 1), "i64": (-2**63, 2**63 - 1), "i32": (-2**31, 2**31 - 1),
                     "i8": (-128, 127)}[key_type]
        keys = data.draw(st.lists(st.integers(low, high)))
        filter = Bloom(100, key_type=key_type)
        filter.update(keys)
        self.assertTrue(all(key in filter for key in keys))
        for wrong in (low - 1, high + 1):
            self.assertRaises(ValueError, filter.add, wrong)
            self.assertRaises(ValueError, filter.update, [low, wrong])

    @EXAMPLES
    @given(st.sampled_from([Bloom, ConcurrentBloom]), st.lists(KEYS), st.lists(KEYS))
    def test_algebra(self, kind, some, others):
        a, b, both = kind(100), kind(100), kind(100)
        a.update(some)
        b.update(others)
        both.update(some, others)
        self.assertTrue(a | b == both)
        self.assertTrue(a <= both and b <= both and both >= a)
        self.assertTrue((a & b) <= a and (a & b) <= b)
        self.assertEqual(a < both, a != both)
        merged = a.copy()
        merged |= b
        merged |= merged
        merged &= merged
        self.assertTrue(merged == both and type(merged) is kind)
        common = set(map(as_bytes, some)) & set(map(as_bytes, others))
        self.assertTrue(all(key in (a & b) for key in common))

    @EXAMPLES
    @given(st.sampled_from(CLASSES), st.lists(KEYS), st.sampled_from(["bytes", "key"]))
    def test_copies_and_bytes(self, kind, keys, way):
        filter = kind(100, seed=7)
        filter.update(keys)
        for copy in (filter.copy(), pickle.loads(pickle.dumps(filter)), kind.loads(filter.dumps()),
                     kind.loads(memoryview(bytearray(filter.dumps())))):
            self.assertIs(type(copy), kind)
            self.assertTrue(copy == filter and copy.info == filter.info)
            copy.add("one more that was not there")
            self.assertTrue(len(keys) > 60 or copy != filter)


class Counting(RuleBasedStateMachine):
    """A CountingBloom beside a dict of how often each key is in it."""

    def __init__(self):
        super().__init__()
        self.filter, self.model = CountingBloom(200, 1e-9, counter_bits=8), {}

    @rule(keys=st.lists(st.integers(0, 30), max_size=5))
    def add(self, keys):
        self.filter.update(map(str, keys))
        for key in keys:
            self.model[key] = self.model.get(key, 0) + 1

    @rule(key=st.integers(0, 30))
    def remove(self, key):
        if self.model.get(key):
            self.filter.remove(str(key))
            self.model[key] -= 1
        else:
            try:
                self.filter.remove(str(key))
                raise AssertionError("an absent key was removed")
            except KeyError:
                pass
            assert not self.filter.discard(str(key))

    @rule()
    def clear(self):
        self.filter.clear()
        self.model = {}

    @invariant()
    def same(self):
        found = self.filter.contains_many([str(key) for key in range(31)])
        assert [bool(answer) for answer in found] == [bool(self.model.get(key)) for key in range(31)]


class CountingTest(unittest.TestCase):
    def test_it_counts_like_a_dict(self):
        run_state_machine_as_test(Counting, settings=settings(EXAMPLES, max_examples=30, stateful_step_count=30))


class Rates(unittest.TestCase):
    def test_the_rate_is_kept_and_told(self):
        for kind in CLASSES:
            filter = kind(20_000, 0.01)
            filter.update(f"in {i}" for i in range(20_000))
            rate = filter.count(f"out {i}" for i in range(50_000)) / 50_000
            self.assertLess(abs(rate - filter.health.rate), 0.003, kind)
            self.assertLess(rate, 0.013, kind)
            self.assertEqual(filter.health.verdict, "ok")
            self.assertIn("false-positive rate", repr(filter))
        filter.update(f"more {i}" for i in range(200_000))
        self.assertEqual(filter.health.verdict, "saturated")

    def test_sizes(self):
        size = bloomery.size(1_000_000, 0.01)
        self.assertEqual(size.bytes, Bloom(1_000_000, 0.01).nbytes)
        self.assertLess(size.bytes, 1_300_000)
        self.assertEqual(Bloom(bits=1 << 20).fold(8).bits, 1 << 17)


if __name__ == "__main__":
    support.main()
