#!/usr/bin/env python3
"""Makes the golden files beside it: a second reading of docs/formats/bloomindex.md that shares no code
with the library. The filters are those of ../native, whose answers it takes from native.json."""
import ctypes, json, math, pathlib, struct

HERE = pathlib.Path(__file__).parent
NATIVE = HERE.parent / "native"
CASES = {case["id"]: case for case in json.loads((NATIVE / "native.json").read_text())["files"]}
PAGE, PIECE = 4096, 1 << 20
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
SPREADS = {4: (0x0F, 0x4B), 5: (0x1F, 0x5B), 6: (0x3F, 0x77), 7: (0x7F, 0xDF), 8: (0xFF, 0xFF)}


def xxh3_64(data):
    return xxhash.XXH3_64bits(bytes(data), len(data))


def set_bits(name):
    """The header of a filter, and the positions that are not zero."""
    data = (NATIVE / (name + ".bloom")).read_bytes()
    header, body = data[:128], data[128:]
    kind, counter_bits = struct.unpack_from("<H", header, 10)[0], header[22]
    bits = struct.unpack_from("<Q", header, 24)[0]
    number, width = int.from_bytes(body, "little"), counter_bits if kind == 3 else 1
    return header, {i for i in range(bits) if number >> (i * width) & ((1 << width) - 1)}


def shape_of(header):
    """What all filters of an index have in common: a classic filter's header stands for counters."""
    shape = bytearray(header[:120])
    bits = struct.unpack_from("<Q", shape, 24)[0]
    if struct.unpack_from("<H", shape, 10)[0] == 3:
        struct.pack_into("<H", shape, 10, 1)
        shape[22] = 0
        struct.pack_into("<Q", shape, 80, (bits + 63) // 64 * 8)
    struct.pack_into("<QdQ", shape, 56, 0, 0.0, 0)
    struct.pack_into("<Q", shape, 88, 0)
    return bytes(shape) + struct.pack("<Q", xxh3_64(shape))


def rate_of(header, ones):
    kind, bits, probes = *struct.unpack_from("<H", header, 10), *struct.unpack_from("<QI", header, 24)
    if kind in (1, 3):
        return (len(ones) / bits) ** probes
    in_line, total = min(probes, 8), 0.0
    for block in range(bits // 512):
        counts = [sum(block * 512 + s * 64 + i in ones for i in range(64)) for s in range(8)]
        for turn in range(16):
            spread, by = SPREADS[in_line][turn >> 3], turn & 7
            used = (spread << by | spread >> (8 - by)) & 0xFF
            total += math.prod(counts[s] for s in range(8) if used >> s & 1) / 16
    return (total / (bits // 512) / 64**in_line) ** max(1, probes // 8)


def row_bits(positions, columns):
    """One row: column j is bit 7 - j % 8 of byte j / 8."""
    row = bytearray((columns + 7) // 8)
    for j in positions:
        row[j // 8] |= 0x80 >> j % 8
    return bytes(row)


def make(name, segments, deleted=(), changes=0, garbage=0):
    """Segments are lists of (filter, name); deleted are names."""
    out, rows_of_directory, deleted_rows = bytearray(512), [], []
    shape = shape_of(set_bits(segments[0][0][0])[0])
    bits = struct.unpack_from("<Q", shape, 24)[0]
    live = 0
    for filters in segments:
        out += bytes(-len(out) % PAGE)
        offset, read = len(out), [set_bits(which) for which, _ in filters]
        assert all(shape_of(header) == shape for header, _ in read)
        rows = b"".join(row_bits((j for j, (_, ones) in enumerate(read) if r in ones), len(filters)) for r in range(bits))
        sums = b"".join(struct.pack("<Q", xxh3_64(rows[i:i + PIECE])) for i in range(0, len(rows), PIECE))
        table = b"".join(struct.pack("<QdQQdII", len(ones), rate_of(header, ones), *struct.unpack_from("<Q", header, 72),
                                     *struct.unpack_from("<Qd", header, 56), len(called.encode()), 0)
                         for (header, ones), (_, called) in zip(read, filters))
        table += b"".join(called.encode() for _, called in filters)
        gone = [j for j, (_, called) in enumerate(filters) if called in deleted]
        live += len(filters) - len(gone)
        out += rows + bytes(-len(rows) % 8) + sums + table
        rows_of_directory.append(struct.pack("<QQQQQQ", offset, len(filters), xxh3_64(sums), len(table), xxh3_64(table), len(gone)))
        deleted_rows.append(row_bits(gone, len(filters)))
    directory = struct.pack("<Q", len(segments)) + b"".join(rows_of_directory) + b"".join(deleted_rows)
    at = len(out)
    out += directory
    header = struct.pack("<8sHHIQQQQQQ", b"BLOOMIDX", 1, 0, 0, len(out), at, len(directory), xxh3_64(directory), live, changes)
    header = (header + shape).ljust(504, b"\0")
    out[:512] = header + struct.pack("<Q", xxh3_64(header))
    (HERE / (name + ".bloomindex")).write_bytes(out + b"\xa5" * garbage)
    case = {"id": name}
    first = CASES[segments[0][0][0]]
    if "secret" in first:
        case["secret"] = first["secret"]
    if len(segments) == 1 and not deleted and not garbage and all(called == which + ".bloom" for which, called in segments[0]):
        case["filters"] = [called for _, called in segments[0]]
    order = [(which, called) for filters in segments for which, called in filters if called not in deleted]
    keys = [key for key, _ in first["answers"]]
    answers = {which: dict(map(tuple, CASES[which]["answers"])) for which, _ in order}
    case["answers"] = {key: [called for which, called in order if answers[which][key]] for key in keys}
    return case


def alone(*names):
    return [(name, name + ".bloom") for name in names]


FILES = [
    make("classic", [alone("classic")]),
    make("block", [alone("block")]),
    make("counting", [alone("counting-8")]),
    make("siphash", [alone("lines-32")]),
    make("segments", [[("lines", f"a{i}") for i in range(9)], [("lines", "b")], [("lines", f"c{i}") for i in range(3)]],
         deleted=("a0", "a7", "c2"), changes=5, garbage=77),
]
(HERE / "index.json").write_text(json.dumps({"made_by": "make.py beside it", "files": FILES}, indent=1) + "\n")
