"""The package and the command agree: the golden filters of every format, and files of both."""
import json
import unittest

import support
import bloomery
from bloomery import Bloom, ConcurrentBloom, CountingBloom, Filter, FormatError, ScalableBloom

FORMATS = support.GOLDEN / "formats"


def golden(name):
    return json.loads((FORMATS / name).read_text())


def unhex(text):
    return b"" if text == "-" else bytes.fromhex(text)


class Golden(unittest.TestCase):
    """Answers of the other systems, false positives included."""

    def check(self, filter, case, to_key=unhex):
        # Where the other system threw an exception, there is no answer to compare.
        case = {**case, "answers": [row for row in case["answers"] if row[1] in (0, 1)]}
        self.assertTrue(filter.count([to_key(key) for key in case["keys"]]) == len(case["keys"]))
        keys = [to_key(key) for key, _ in case["answers"]]
        self.assertEqual([int(answer) for answer in filter.contains_many(keys)], [answer for _, answer in case["answers"]])
        self.assertEqual([int(key in filter) for key in keys], [answer for _, answer in case["answers"]])

    def test_files_with_a_header(self):
        counted = 0
        for file, format in (("dcso.json", "dcso"), ("willf.json", "bits-and-blooms"), ("leveldb.json", "leveldb"),
                             ("willf-legacy-v2.0.0.json", "bits-and-blooms:v2.0.0")):
            for case in golden(file)["filters"]:
                data = unhex(case["bytes_hex"])
                filter = Bloom.loads(data, format)
                self.check(filter, case)
                self.assertEqual(filter.dumps(), data, case["id"])
                counted += 1
        self.assertGreater(counted, 40)

    def test_parquet(self):
        for case in golden("parquet.json")["filters"]:
            data = unhex(case["thrift_header_hex"]) + unhex(case["bytes_hex"])
            self.check(Bloom.loads(data, "parquet"), case)

    def test_go_bloom(self):
        for case in golden("gobloom.json")["filters"]:
            keys, rate = int(float(case["params"]["n"])), float(case["params"]["p"])
            filter = Bloom.loads(unhex(case["bytes_hex"]), "go-bloom", keys=keys, rate=rate)
            self.check(filter, case)

    def test_eventhorizon(self):
        for case in golden("csharp.json")["filters"]:
            for hash, format in (("x86_128", "eventhorizon"), ("x64_128", "eventhorizon:x64")):
                bits, probes = int(case["params"]["buckets"]), int(case["params"]["hashFunctions"])
                if probes == 0:  # answers "maybe" to all keys; a shape that is not given here
                    continue
                filter = Bloom.loads(unhex(case[hash]["bytes_hex"]), format, bits=bits, probes=probes)
                self.check(filter, dict(keys=case["keys"], answers=case[hash]["answers"]))

    def test_guava_with_its_funnels(self):
        decode = {"int": ("i32", int), "long": ("i64", int), "utf8": ("bytes", lambda text: unhex(text).decode()),
                  "chars": ("utf16", lambda text: unhex(text).decode("utf-16-be", "surrogatepass")),
                  "bytes": ("bytes", unhex)}
        counted = 0
        for case in golden("guava.json")["filters"]:
            if case["bytes_hex"] is None or case["params"]["funnel"] not in decode:
                continue
            key_type, to_key = decode[case["params"]["funnel"]]
            format = "guava:mitz32" if "32" in case["params"]["strategy"] else "guava"
            filter = Bloom.loads(unhex(case["bytes_hex"]), key_type=key_type)
            self.assertEqual(filter.format, format)
            self.check(filter, case, to_key)
            counted += 1
        self.assertGreater(counted, 20)

    def test_filter_blocks_of_leveldb(self):
        absent = [b"absent %d" % i for i in range(300)]
        for case in golden("leveldb.json")["tables"]:
            data = unhex(case["filter_block_hex"])
            filter = Bloom.loads(data, "leveldb:block")
            self.assertEqual((filter.format, filter.dumps()), ("leveldb:block", data), case["id"])
            self.assertTrue(0 < filter.nbytes <= len(data), case["id"])
            keys = [unhex(key) for block in case["data_blocks"] for key in block["keys"]]
            self.assertEqual(filter.count(keys), len(keys), case["id"])
            # A block answers for all its filters, whose own answers are checked above.
            parts = [Bloom.loads(unhex(part), "leveldb") for part in case["parts"]["filters"] if part]
            expected = [any(key in part for part in parts) for key in absent]
            self.assertEqual([key in filter for key in absent], expected, case["id"])
            self.assertLess(sum(expected), len(absent), case["id"])

    def test_ethereum(self):
        golden = json.loads((support.GOLDEN / "ethereum/bloom9.json").read_text())
        cases = [(case["bloom"], [unhex(case["input"][2:])], []) for case in golden["add"]]
        case = golden["geth_TestBloom"]
        cases.append((case["bloom"], *([key.encode() for key in case[side]] for side in ("positive", "negative"))))
        case = golden["geth_TestBloomExtensively"]
        cases.append((case["bloom"], [b"xxxxxxxxxx data %d yyyyyyyyyyyyyy" % i for i in range(100)], [b"absent"]))
        for bloom, present, absent in cases:
            data = unhex(bloom[2:])
            filter = Bloom.loads(data, "ethereum")
            self.assertEqual([key in filter for key in present + absent], [True] * len(present) + [False] * len(absent))
            made = Bloom(format="ethereum")
            made.update(present)
            self.assertEqual(filter.dumps(), data)
            self.assertEqual(made.dumps(), data)
        self.assertGreater(len(cases), 30)

    def test_our_own(self):
        native = support.GOLDEN / "native"
        for case in json.loads((native / "native.json").read_text())["files"]:
            path = native / f"{case['id']}.bloom"
            secret = {"secret": bytes.fromhex(case["secret"])} if "secret" in case else {}
            try:
                filter = bloomery.load(path, **secret)
            except ValueError as error:
                self.assertIn("secret", str(error), case["id"])
                continue
            if filter.key_type == "json":  # a text of JSON would be another key than its value
                with self.assertRaisesRegex(ValueError, "JSON values"):
                    filter.count(["1"])
                continue
            numbers = filter.key_type != "bytes"
            to_key = (lambda text: int.from_bytes(unhex(text), "little")) if numbers else unhex
            self.check(filter, case, to_key)
            kind = {"counting": CountingBloom, "scalable": ScalableBloom}.get(case["layout"], Bloom)
            self.assertIs(type(filter), kind)
            self.assertEqual(filter.dumps(), path.read_bytes())


@unittest.skipUnless(support.COMMAND, "BLOOMERY_COMMAND is not set")
class Command(support.InFolder):
    KEYS = [f"key {i}" for i in range(500)]

    def test_the_same_keys_give_the_same_bytes(self):
        lines = "".join(key + "\n" for key in self.KEYS).encode()
        rows = [("bloomery", Bloom, dict(keys=1000, rate=0.01), ["-n", "1000", "-p", "0.01"]),
                ("bloomery", Bloom, dict(keys=1000, layout="classic", seed=9), ["-n", "1000", "--layout", "classic", "--seed", "9"]),
                ("bloomery", CountingBloom, dict(keys=1000), ["-n", "1000", "--layout", "counting"]),
                ("bloomery", ScalableBloom, dict(keys=100, rate=0.01), ["-n", "100", "-p", "0.01", "--layout", "scalable"]),
                ("eventhorizon", Bloom, dict(bits=8000, probes=5), ["--bits", "8000", "--probes", "5"])]
        rows += [(format.name, Bloom, dict(keys=1000, rate=0.02), ["-n", "1000", "-p", "0.02"])
                 for format in bloomery.formats()
                 if format.created and not format.name.startswith(("eventhorizon", "rediscuckoo", "ethereum", "bloomery",
                                                                   "leveldb:block"))]
        rows += [("rediscuckoo", CountingBloom, dict(keys=1000), ["-n", "1000"])]
        for format, kind, options, arguments in rows:
            with self.subTest(format=format, kind=kind.__name__):
                if format != "bloomery":
                    options["format"] = format
                filter = kind(**options)
                filter.update(self.KEYS)
                path = self.folder / "made"
                support.bloomery("build", "-q", "-F", "-o", path, "--format", format, *arguments, "-", data=lines)
                self.assertEqual(filter.dumps(), path.read_bytes())

    def test_files_go_both_ways(self):
        filter = Bloom(1000)
        filter.update(self.KEYS)
        filter.save(self.folder / "seen.bloom")
        answer = support.bloomery("query", "-c", self.folder / "seen.bloom", "-", data=b"key 1\nkey 2\nabsent\n")
        self.assertEqual(answer.split()[0], b"2")
        described = json.loads(support.bloomery("inspect", "--json", self.folder / "seen.bloom"))
        ours = Bloom.load(self.folder / "seen.bloom").describe()
        for name in ("format", "layout", "bits", "probes", "fill", "estimated_keys", "health"):
            self.assertEqual(ours[name], described[name], name)

    def test_a_filter_in_parts(self):
        lines = "".join(key + "\n" for key in self.KEYS).encode()
        names = [self.folder / f"seen.{i}-of-3.bloom" for i in range(3)]
        for i, name in enumerate(names):
            support.bloomery("build", "-q", "--part", f"{i}/3", "-n", "500", "-o", name, "-", data=lines)
        path = self.folder / "seen.bloomset"
        support.bloomery("join", "-q", "--manifest", "-o", path, *names)
        support.bloomery("build", "-q", "-n", "500", "-o", self.folder / "whole.bloom", "-", data=lines)
        absent = [f"absent {i}" for i in range(20_000)]
        with Bloom.open(path) as filter, Bloom.load(self.folder / "whole.bloom") as whole:
            self.assertEqual(filter.count(self.KEYS), len(self.KEYS))
            self.assertEqual(list(filter.contains_many(absent)), list(whole.contains_many(absent)))
            self.assertLess(filter.count(absent), 0.02 * len(absent))
            self.assertTrue(filter.mapped and filter == whole and filter.copy() == whole)
            self.assertEqual(filter.dumps(), whole.dumps())
            self.assertEqual(filter.info.layout, "block")
            self.assertAlmostEqual(filter.health.rate, whole.health.rate)
            self.assertEqual(filter.describe()["format"], "bloomery-set")
            self.assertRaisesRegex(ValueError, "read-only", filter.add, "x")
            filter.verify()
        names[1].unlink()
        with Bloom.open(path) as filter:
            named = r"part 1 of 3 \(seen\.1-of-3\.bloom\)"
            self.assertRaisesRegex(OSError, named, filter.count, self.KEYS)
            self.assertRaisesRegex(OSError, named, filter.verify)
        path.write_bytes(path.read_bytes()[:-1])
        self.assertRaises(FormatError, Bloom.open, path)

    def test_whole_numbers(self):
        for funnel, code in (("u64", "<u8"), ("i64", "<i8")):
            filter = Bloom(1000, key_type=funnel)
            filter.update(range(500))
            path = self.folder / funnel
            support.bloomery("build", "-q", "-F", "-n", "1000", "--funnel", funnel, "-o", path, "-",
                             data="".join(f"{i}\n" for i in range(500)).encode())
            self.assertEqual(filter.dumps(), path.read_bytes())


class Files(support.InFolder):
    def test_mapped(self):
        path = self.folder / "seen.bloom"
        filter = Bloom(100_000)
        filter.update(map(str, range(100_000)))
        filter.save(path)
        with Bloom.open(path) as mapped:
            self.assertTrue(mapped.mapped and mapped == filter)
            self.assertEqual(mapped.count(map(str, range(100_000))), 100_000)
            self.assertRaisesRegex(ValueError, "read-only", mapped.add, "x")
            self.assertRaisesRegex(ValueError, "read-only", mapped.update, ["x"])
            mapped.verify()
            copy = mapped.copy()
            self.assertTrue(copy.add("x") and not copy.mapped)
        self.assertTrue(mapped.closed)
        for call in (lambda: "1" in mapped, lambda: mapped.health, mapped.clear, mapped.dumps, mapped.copy):
            self.assertRaisesRegex(ValueError, "closed", call)
        self.assertIn("closed", repr(mapped))
        mapped.close()
        damaged = bytearray(path.read_bytes())
        damaged[-100] ^= 1
        path.write_bytes(damaged)
        self.assertRaises(FormatError, Bloom.open(path).verify)
        self.assertRaises(FormatError, Bloom.load, path)

    def test_errors_of_the_system(self):
        self.assertRaises(FileNotFoundError, Bloom.load, self.folder / "none")
        self.assertRaises(FileNotFoundError, Bloom.open, self.folder / "none")
        self.assertRaises(FileNotFoundError, Bloom(10).save, self.folder / "none" / "file")
        self.assertRaises(IsADirectoryError, Bloom.load, self.folder)
        self.assertRaises(ValueError, Bloom.load, "a\0b")
        self.assertRaises(OSError, Bloom.open, "/dev/null")
        try:
            open("/dev/full", "wb").close()
        except OSError:
            return
        self.assertRaises(OSError, Bloom(10).save, "/proc/none")

    def test_web_addresses(self):
        for read in (Bloom.load, Bloom.open, bloomery.load, CountingBloom.open):
            for address in ("https://ann:topsecret@host/seen.bloom", "HTTP://host/seen.bloomset?topsecret"):
                with self.assertRaisesRegex(ValueError, "only the bloomery command and .* bloomery::remote read") as caught:
                    read(address)
                self.assertNotIn("topsecret", str(caught.exception))
        self.assertRaisesRegex(ValueError, "cannot be saved at a web address", Bloom(10).save, "https://host/seen.bloom")

    def test_classes(self):
        for kind in (Bloom, CountingBloom, ScalableBloom):
            kind(100).save(self.folder / "file")
            self.assertIs(type(bloomery.load(self.folder / "file")), kind)
            self.assertIs(type(kind.load(self.folder / "file")), kind)
            for other in {Bloom, CountingBloom, ScalableBloom} - {kind}:
                self.assertRaisesRegex(ValueError, kind.__name__, other.load, self.folder / "file")
        ConcurrentBloom(100).save(self.folder / "file")
        self.assertIs(type(ConcurrentBloom.load(self.folder / "file")), ConcurrentBloom)
        self.assertIs(type(bloomery.load(self.folder / "file")), Bloom)
        self.assertRaises(TypeError, Filter, 100)
        self.assertIs(type(bloomery.loads(CountingBloom(100, format="rediscuckoo").dumps(), "rediscuckoo")), CountingBloom)

    def test_secrets(self):
        filter = Bloom(100, hash="siphash", secret="between us, and long")
        filter.add("apple")
        data = filter.dumps()
        self.assertNotIn(b"between us", data)
        self.assertIn("apple", Bloom.loads(data, secret="between us, and long"))
        self.assertIn("apple", Bloom.loads(data, secret=b"between us, and long"))
        self.assertRaises(ValueError, Bloom.loads, data)
        self.assertRaises(ValueError, Bloom.loads, data, secret="another, just as long")
        self.assertIn("apple", filter.copy())


if __name__ == "__main__":
    support.main()
