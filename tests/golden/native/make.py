#!/usr/bin/env python3
"""Makes the golden files beside it. A second reading of docs/formats/bloomery.md: it shares no code
with the library, and its hashes come from libxxhash and libsodium."""
import ctypes, decimal, json, math, pathlib, struct

HERE = pathlib.Path(__file__).parent
MASK = (1 << 64) - 1
xxhash = ctypes.CDLL("libxxhash.so.0")
sodium = ctypes.CDLL("libsodium.so.23")


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxhash.XXH3_128bits_withSeed.restype = Hash128
xxhash.XXH3_128bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64
xxhash.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def xxh3_64(data):
    return xxhash.XXH3_64bits(data, len(data))


def siphash(data, key):
    out = ctypes.create_string_buffer(16)
    sodium.crypto_shorthash_siphashx24(out, data, ctypes.c_ulonglong(len(data)), key)
    return struct.unpack("<QQ", out.raw)


def sip_key(secret):
    out = ctypes.create_string_buffer(32)
    sodium.crypto_generichash(out, ctypes.c_size_t(32), secret, ctypes.c_ulonglong(len(secret)), None, ctypes.c_size_t(0))
    return out.raw[:16]


def mix(data, seed):
    x = (struct.unpack("<Q", data)[0] ^ seed) * 0xBEA225F9EB34556D & MASK
    place = (x ^ x >> 32) * 0xD6E8FEB86659FD93 & MASK
    return place, (place ^ place >> 32) * 0x9E3779B97F4A7C15 & MASK


def digest(case, key):
    if case["profile"] == "siphash":
        return siphash(key, sip_key(bytes.fromhex(case["secret"])))
    if case["profile"] == "mix":
        return mix(key, case["seed"])
    if case["profile"] == "xxh3-64":
        place = xxhash.XXH3_64bits_withSeed(key, len(key), case["seed"])
        return place, (place ^ place >> 32) * 0x9E3779B97F4A7C15 & MASK
    both = xxhash.XXH3_128bits_withSeed(key, len(key), case["seed"])
    return both.low, both.high


def positions(case, key, bits, probes):
    place, step = digest(case, key)
    return [((place + i * (step | 1) + (i**3 - i) // 6) & MASK) * bits >> 64 for i in range(probes)]


def shape_for(keys, rate):
    need = lambda k: -k / math.log(-math.expm1(math.log(rate) / k))
    low = max(1, math.floor(-math.log2(rate)))
    probes = low + 1 if need(low + 1) < need(low) else low
    bits = max(64, math.ceil(need(probes) * (keys + 0.5) + 1))
    return (bits + 63) // 64 * 64, probes  # small filters only: a multiple of 64


def to_bytes(number, bits):
    return number.to_bytes((bits + 63) // 64 * 8, "little")


def classic(case):
    bits, probes = case["bits"], case["probes"]
    memory, added = 0, 0
    for key in map(bytes.fromhex, case["keys"]):
        mask = sum({p: 1 << p for p in positions(case, key, bits, probes)}.values())
        added += mask & ~memory != 0
        memory |= mask
    maybe = lambda key: all(memory >> p & 1 for p in positions(case, key, bits, probes))
    return to_bytes(memory, bits), added, maybe


# Two spreads of each number of probes, and where the 32 window sets find the bits of the eight sectors.
SPREADS = {4: (0x0F, 0x4B), 5: (0x1F, 0x5B), 6: (0x3F, 0x77), 7: (0x7F, 0xDF), 8: (0xFF, 0xFF)}
WINDOWS = [[int(number) for number in line.split()] for line in (HERE / "windows.txt").read_text().splitlines()]


def block_probes(place, bits, blocks, probes, seeds=None):
    """The number of the block, and for each sector that is used its bit, 0 to 63."""
    block = place * blocks >> 64
    turn = place >> 20 & 15
    spread, by = SPREADS[probes][turn >> 3], turn & 7
    used = (spread << by | spread >> (8 - by)) & 0xFF
    windows = WINDOWS[seeds[block] if seeds else 0]
    return block, {i: ((bits >> windows[i] | bits << (64 - windows[i])) & 63) for i in range(8) if used >> i & 1}


def block(case):
    blocks, probes, seeds = case["bits"] // 512, case["probes"], case.get("seeds")
    memory, added = 0, 0

    def mask(key):
        number, sectors = block_probes(*digest(case, key), blocks, probes, seeds)
        return sum(1 << (number * 512 + sector * 64 + bit) for sector, bit in sectors.items())

    for key in map(bytes.fromhex, case["keys"]):
        added += mask(key) & ~memory != 0
        memory |= mask(key)
    maybe = lambda key: mask(key) & ~memory == 0
    return memory.to_bytes(blocks * 64, "little") + bytes(seeds or []), added, maybe


def next_line(place, bits):
    """Where the next line of a key takes its block and its bits from."""
    fold = lambda word: word ^ word >> 32
    return (fold((bits ^ place >> 32 ^ 0xD4734CE9E9CF5005) * 0xE6AA8C09F645BA2D & MASK),
            fold((place ^ bits >> 32 ^ 0xD4734CE9E9CF5005) * 0xD70AE99618686D57 & MASK))


def lines(case):
    blocks, count = case["bits"] // 512, case["probes"] // 8
    memory, added = 0, 0

    def mask(key):
        words, set_bits = digest(case, key), 0
        for _ in range(count):
            number, sectors = block_probes(*words, blocks, 8)
            for sector, bit in sectors.items():
                set_bits |= 1 << (number * 512 + sector * 64 + bit)
            words = next_line(*words)
        return set_bits

    for key in map(bytes.fromhex, case["keys"]):
        added += mask(key) & ~memory != 0
        memory |= mask(key)
    maybe = lambda key: mask(key) & ~memory == 0
    return memory.to_bytes(blocks * 64, "little"), added, maybe


def counting(case):
    bits, probes, width = case["bits"], case["probes"], case["counter_bits"]
    counters = [0] * bits
    for key in map(bytes.fromhex, case["keys"]):
        for p in set(positions(case, key, bits, probes)):
            counters[p] = min(counters[p] + 1, (1 << width) - 1)
    memory = sum(c << (i * width) for i, c in enumerate(counters))
    maybe = lambda key: all(counters[p] for p in positions(case, key, bits, probes))
    return to_bytes(memory, bits * width), len(case["keys"]), maybe


def scalable(case):
    goal_keys, rate = case["goal"][0], case["goal"][1] * (1 - case["tightening"])
    layers = []

    def known(key):
        return any(all(l["memory"] >> p & 1 for p in positions(case, key, l["bits"], l["probes"])) for l in layers)

    for key in map(bytes.fromhex, case["keys"]):
        if known(key):
            continue
        if not layers or layers[-1]["count"] == layers[-1]["keys"]:
            if layers:
                goal_keys, rate = goal_keys * case["factor"], rate * case["tightening"]
            bits, probes = shape_for(goal_keys, rate)
            layers.append({"memory": 0, "count": 0, "keys": goal_keys, "rate": rate, "bits": bits, "probes": probes})
        for p in positions(case, key, layers[-1]["bits"], layers[-1]["probes"]):
            layers[-1]["memory"] |= 1 << p
        layers[-1]["count"] += 1
    pad = lambda data: data + bytes(-len(data) % 64)
    body = pad(b"".join(struct.pack("<QIIQd", l["bits"], l["probes"], 0, l["count"], l["rate"]) for l in layers))
    body += b"".join(pad(to_bytes(l["memory"], l["bits"])) for l in layers)
    case.update(bits=layers[0]["bits"], probes=layers[0]["probes"], layers=len(layers))
    return body, sum(l["count"] for l in layers), known


KINDS = {"classic": (1, classic), "block": (2, block), "counting": (3, counting), "scalable": (4, scalable),
         "lines": (5, lines)}
PROFILES = {"xxh3": 1, "aes": 2, "mix": 3, "siphash": 4, "xxh3-64": 5}
FUNNELS = {"bytes": 0, "u64": 4, "json": 10}


def make(case):
    kind, build = KINDS[case["layout"]]
    if case["layout"] != "scalable" and "bits" not in case:
        case["bits"], case["probes"] = shape_for(*case["goal"])
    body, added, maybe = build(case)
    keyed = case["profile"] == "siphash"
    check = siphash(b"BLOOMERY", sip_key(bytes.fromhex(case["secret"])))[0] if keyed else 0
    goal = case.get("goal") or [0, 0.0]
    grows = case["layout"] == "scalable"
    header = struct.pack("<8sHHIIHBBQIIQQQdQQQdII8s", b"BLOOMERY", 1, kind, (2 if keyed else 0) | ("seeds" in case),
                         PROFILES[case["profile"]], FUNNELS[case["funnel"]], case.get("counter_bits", 0), 0,
                         case["bits"], case["probes"], case.get("layers", 1), 0 if keyed else case["seed"], check,
                         goal[0], goal[1], added, len(body), xxh3_64(body),
                         case["tightening"] if grows else 0.0, case["factor"] if grows else 0,
                         case["max_layers"] if grows else 0, bytes(8))
    data = header + struct.pack("<Q", xxh3_64(header)) + body
    (HERE / (case["id"] + ".bloom")).write_bytes(data)
    asked = dict.fromkeys(case["keys"] + case.pop("others"))
    case["keys_inserted"] = added
    case["answers"] = [[key, int(maybe(bytes.fromhex(key)))] for key in asked]
    return case


def words(*texts):
    return [text.encode().hex() for text in texts]


def numbers(*values):
    return [struct.pack("<Q", value).hex() for value in values]


def json_number(text):
    sign, digits, exponent = decimal.Decimal(text).as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    stripped = digits.rstrip("0")
    if not stripped:
        return b"d0;"
    return f"d{'-' if sign else ''}{stripped}e{exponent + len(digits) - len(stripped)};".encode()


def json_string(text):
    return b"s%d:" % len(text.encode()) + text.encode()


def json_key(text):
    """The bytes of the funnel json."""
    class Members(list):
        pass

    def encode(value):
        if value is None or isinstance(value, bool):
            return {None: b"n", False: b"f", True: b"t"}[value]
        if isinstance(value, bytes):
            return value
        if isinstance(value, str):
            return json_string(value)
        if isinstance(value, Members):
            assert len(dict(value)) == len(value)
            return b"{" + b"".join(json_string(k) + encode(v) for k, v in sorted(value, key=lambda m: m[0].encode())) + b"}"
        return b"[" + b"".join(map(encode, value)) + b"]"

    return encode(json.loads(text, parse_float=json_number, parse_int=json_number, object_pairs_hook=Members))


JSON_TEXTS = ["null", "true", "false", "0", "-0", "0.0", "0e7", "1", "1.0", "1e0", "10e-1", "0.1e1", "1E+0", "-1", "100", "1e2",
              "0.10", "1e999", "1e-999", "123456789012345678901234567890", "0.10000000000000000000000000000001", '""', '"1"',
              '"null"', '"\\u00fc"', '"\u00fc"', '"\\ud83d\\ude00"', '"\\/\\n\\u0000"', "[]", "[[]]", "[1,[2]]", "[[1],2]", "{}",
              '{"a":1,"b":2}', '{"b":2,"a":1.0}', '{"a":{"x":null},"":[true,"s"]}', '{"\u00fc":1,"z":2,"Z":3}', ' [ 1 , "a" ] ']
(HERE.parent / "json_keys.json").write_text(json.dumps(
    {"about": "JSON texts and the bytes of their keys under the funnel json.", "made_by": "native/make.py",
     "rows": [[text, json_key(text).hex()] for text in JSON_TEXTS]}, indent=1) + "\n")
FRUIT = words("", "apple", "pear", "quince", "medlar", "a key that is longer than sixteen bytes, as keys may be")
OTHERS = words(*(f"other {i}" for i in range(60)))
common = dict(profile="xxh3", seed=0, funnel="bytes")
CASES = [
    dict(common, id="classic", layout="classic", goal=[10, 0.01], keys=FRUIT, others=OTHERS),
    dict(common, id="classic-seed", layout="classic", bits=100, probes=3, seed=0x0123456789ABCDEF, keys=FRUIT, others=OTHERS),
    dict(common, id="classic-mix", layout="classic", profile="mix", funnel="u64", seed=7, goal=[10, 0.1],
         keys=numbers(0, 1, 1 << 40, MASK), others=numbers(*range(2, 60))),
    dict(common, id="classic-siphash", layout="classic", profile="siphash", secret=b"open sesame".hex(), goal=[10, 0.01],
         keys=FRUIT, others=OTHERS),
    dict(common, id="block", layout="block", bits=1024, probes=6, keys=FRUIT[1:4], others=OTHERS),
    dict(common, id="block-8", layout="block", bits=512, probes=8, keys=FRUIT + words(*(f"more {i}" for i in range(100))),
         others=OTHERS),
    dict(common, id="block-mix", layout="block", profile="mix", funnel="u64", seed=7, bits=1536, probes=4,
         keys=numbers(0, 1, 1 << 40, MASK, *range(100, 260)), others=numbers(*range(2, 60))),
    dict(common, id="block-siphash", layout="block", profile="siphash", secret=b"open sesame".hex(), bits=512, probes=5,
         keys=FRUIT, others=OTHERS),
    dict(common, id="block-seeded", layout="block", bits=1536, probes=7, seeds=[31, 0, 17],
         keys=FRUIT + words(*(f"more {i}" for i in range(240))), others=OTHERS),
    dict(common, id="classic-xxh3-64", layout="classic", profile="xxh3-64", seed=0x0123456789ABCDEF, goal=[10, 0.001],
         keys=FRUIT, others=OTHERS),
    dict(common, id="block-xxh3-64", layout="block", profile="xxh3-64", bits=1024, probes=6, keys=FRUIT[1:4], others=OTHERS),
    dict(common, id="block-xxh3-64-u64", layout="block", profile="xxh3-64", funnel="u64", seed=7, bits=1536, probes=8,
         keys=numbers(0, 1, 1 << 40, MASK, *range(100, 260)), others=numbers(*range(2, 60))),
    dict(common, id="classic-json", layout="classic", funnel="json", goal=[10, 0.001],
         keys=[json_key(text).hex() for text in ('"bob"', "1", "null", '{"b":[1.0,true],"a":"x"}', "1e2")],
         others=[json_key(text).hex() for text in ('"bob"', "1.0", '"1"', "true", '{"a":"x","b":[10e-1,true]}', "100", "[]")]),
    dict(common, id="counting-2", layout="counting", counter_bits=2, bits=70, probes=4, keys=FRUIT + FRUIT[1:3] * 2, others=OTHERS),
    dict(common, id="counting-4", layout="counting", counter_bits=4, goal=[6, 0.05], keys=FRUIT + FRUIT[1:2] * 20, others=OTHERS),
    dict(common, id="counting-8", layout="counting", counter_bits=8, bits=33, probes=4, keys=FRUIT + FRUIT[1:2] * 300, others=OTHERS),
    dict(common, id="scalable", layout="scalable", goal=[4, 0.1], factor=2, tightening=0.5, max_layers=5,
         keys=FRUIT + words(*(f"more {i}" for i in range(14))), others=OTHERS),
    dict(common, id="lines", layout="lines", bits=1536, probes=16, keys=FRUIT, others=OTHERS),
    dict(common, id="lines-24", layout="lines", profile="mix", funnel="u64", seed=7, bits=1024, probes=24,
         keys=numbers(0, 1, 1 << 40, MASK, *range(100, 160)), others=numbers(*range(2, 60))),
    dict(common, id="lines-32", layout="lines", profile="siphash", secret=b"open sesame".hex(), bits=512, probes=32, keys=FRUIT,
         others=OTHERS),
]
(HERE / "native.json").write_text(json.dumps({"made_by": "make.py beside it", "files": [make(case) for case in CASES]}, indent=1) + "\n")

# Parts of filters: flag 8, the part and the number of parts at byte 112, and only the blocks of the part, then their seeds.
def make_part(case, index, parts):
    kind, build = KINDS[case["layout"]]
    blocks = case["bits"] // 512
    first, end = index * blocks // parts, (index + 1) * blocks // parts
    body, _, _ = build(case)
    body = body[first * 64:end * 64] + body[blocks * 64 + first:blocks * 64 + end]
    own = [key for key in case["keys"] if first <= digest(case, bytes.fromhex(key))[0] * blocks >> 64 < end]
    added = MASK if case["layout"] == "lines" else build(dict(case, keys=own))[1]
    header = struct.pack("<8sHHIIHBBQIIQQQdQQQdIIII", b"BLOOMERY", 1, kind, 8 | ("seeds" in case), PROFILES[case["profile"]],
                         FUNNELS[case["funnel"]], 0, 0, case["bits"], case["probes"], 1, case["seed"], 0, 0, 0.0, added,
                         len(body), xxh3_64(body), 0.0, 0, 0, index, parts)
    (HERE / f"{case['id']}.{index}-of-{parts}.bloom").write_bytes(header + struct.pack("<Q", xxh3_64(header)) + body)


MORE = FRUIT + words(*(f"more {i}" for i in range(60)))
for i in range(3):
    make_part(dict(common, id="part-block", layout="block", bits=5120, probes=6, keys=MORE), i, 3)
    make_part(dict(common, id="part-lines", layout="lines", bits=5120, probes=16, keys=MORE), i, 3)
    make_part(dict(common, id="part-seeded", layout="block", bits=5120, probes=7, seeds=list(range(10)), keys=MORE), i, 3)

# Which bits of which block, straight from numbers: no hash takes part.
PLACES = [0, MASK, 0x8000000000000000, 0x5CF5D97583AB91BB, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x00000000000FFFFF]
BITS = [0, MASK, 0x5AC82BE78F916755, 0x0102030405060708]
BLOCKS = [1, 3, 64, 1000003, (1 << 32) - 1, (1 << 32) + 1, 1 << 39]
cases = []
for probes in sorted(SPREADS):
    for i, place in enumerate(PLACES + [(0x9E3779B97F4A7C15 * t) & MASK & ~0xF00000 | t << 20 for t in range(16)]):
        blocks, bits, seed = BLOCKS[i % len(BLOCKS)], BITS[i % len(BITS)], i * 3 % 32
        number, plain = block_probes(place, bits, blocks, probes)
        _, seeded = block_probes(place, bits, blocks, probes, {number: seed})
        cases.append({"probes": probes, "place": f"{place:016x}", "bits": f"{bits:016x}", "blocks": blocks, "block": number,
                      "sectors": list(plain), "positions": list(plain.values()), "seed": seed,
                      "seeded_positions": list(seeded.values())})
lines = ",\n  ".join(json.dumps(case) for case in cases)
(HERE.parent / "block.json").write_text(
    '{\n "about": "Where the block layout puts a key: its block, the sectors it uses, the bit in each of them, plain and with a seed.",\n'
    ' "made_by": "native/make.py",\n "cases": [\n  ' + lines + "\n ]\n}\n")

# The words of a key's lines, straight from numbers.
rows = []
for place in PLACES:
    for bits in BITS:
        words, rest = (place, bits), []
        for _ in range(3):
            words = next_line(*words)
            rest += [f"{word:016x}" for word in words]
        rows.append({"place": f"{place:016x}", "bits": f"{bits:016x}", "next": rest})
(HERE.parent / "lines.json").write_text(
    '{\n "about": "The layout lines: place and bits of the second, third and fourth line of a key, from those of the first.",\n'
    ' "made_by": "native/make.py",\n "cases": [\n  ' + ",\n  ".join(map(json.dumps, rows)) + "\n ]\n}\n")
