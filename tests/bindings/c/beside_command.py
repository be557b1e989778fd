"""The C interface beside the command: the same options and keys give the same file, and the same JSON.

usage: beside_command.py COMMAND LIBRARY
"""
import ctypes
import pathlib
import subprocess
import sys
import tempfile

COMMAND, LIBRARY = pathlib.Path(sys.argv[1]).resolve(), ctypes.CDLL(sys.argv[2])
LIBRARY.bloomery_last_error.restype = ctypes.c_char_p
U64, F64, U32, TEXT, SIZE = ctypes.c_uint64, ctypes.c_double, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t


class Options(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("keys", U64), ("rate", F64), ("bits", U64), ("probes", U32), ("expansion", U32),
                ("bits_per_key", F64), ("blocks", U64), ("format", TEXT), ("layout", TEXT), ("hash", TEXT), ("seed", U64),
                ("secret", TEXT), ("secret_size", SIZE), ("counter_bits", U32), ("growth", U32), ("tightening", F64),
                ("max_layers", U32), ("base_lg", U32), ("funnel", TEXT), ("max_bytes", U64), ("guava_release", TEXT),
                ("user_data", TEXT), ("user_data_size", SIZE)]


class Key(ctypes.Structure):
    _fields_ = [("data", TEXT), ("size", SIZE)]


# What the command calls an option of ours.
NAMES = {"keys": "-n", "rate": "-p", "bits": "--bits", "probes": "--probes", "expansion": "--expansion",
         "bits_per_key": "--bits-per-key", "blocks": "--blocks", "format": "--format", "layout": "--layout",
         "hash": "--profile", "seed": "--seed", "counter_bits": "--counter-bits", "growth": "--growth",
         "tightening": "--tightening", "max_layers": "--max-layers", "base_lg": "--base-lg", "funnel": "--funnel",
         "guava_release": "--guava-release", "user_data": "--data"}
LAYOUTS = ["auto", "block", "lines", "classic", "counting", "scalable"]
TABLE = [
    *({"keys": 500, "rate": rate, "layout": layout, "hash": hash_, "seed": seed, "funnel": funnel}
      for layout, rate in zip(LAYOUTS, [0.01, 0.001, 1e-6, 0.02, 0.01, 0.05])
      for hash_, seed in [("xxh3-64", 0), ("xxh3", 7), ("aes", 3)]
      for funnel in ["bytes", "u64", "i64", "i32"]),
    {"keys": 500, "hash": "mix", "funnel": "u64"}, {"keys": 500, "layout": "classic", "hash": "mix", "funnel": "u64", "seed": 5},
    *({"keys": 500, "layout": layout, "hash": "siphash", "secret": "x", "funnel": "i64"} for layout in LAYOUTS),
    {"keys": 500, "hash": "siphash", "secret": "only for us"}, {"keys": 500, "funnel": "u64", "hash": "siphash", "secret": "x"},
    {"keys": 500, "rate": 1e-13}, {"keys": 500, "rate": 0.4}, {"bits": 10000}, {"bits": 10000, "probes": 3}, {"blocks": 40},
    {"keys": 500, "bits_per_key": 12}, {"keys": 500, "bits": 8192, "layout": "classic"},
    {"keys": 500, "layout": "counting", "counter_bits": 8}, {"keys": 500, "layout": "counting", "counter_bits": 2},
    {"keys": 50, "layout": "scalable", "growth": 3, "tightening": 0.8, "max_layers": 9},
    {"keys": 500, "format": "guava"}, {"keys": 500, "format": "guava", "guava_release": "31", "funnel": "i64"},
    {"keys": 500, "format": "guava:mitz32"}, {"keys": 500, "format": "dcso", "user_data": "hello"},
    {"keys": 500, "format": "bits-and-blooms"}, {"keys": 500, "format": "bits-and-blooms:json"},
    {"keys": 500, "rate": 0.02, "format": "go-bloom"}, {"keys": 500, "format": "parquet"}, {"keys": 50, "format": "redisbloom"},
    {"keys": 50, "format": "redisbloom", "expansion": 4}, {"keys": 500, "format": "rediscuckoo"},
    {"keys": 500, "format": "leveldb"}, {"keys": 500, "format": "leveldb", "bits_per_key": 14}, {"format": "ethereum"},
    {"bits": 9600, "probes": 7, "format": "eventhorizon"}, {"bits": 9600, "probes": 7, "format": "eventhorizon", "funnel": "i32"},
    {"bits": 9600, "probes": 7, "format": "eventhorizon:x64", "funnel": "i64"},
]


def keys_of(row):
    """500 of them; where the funnel has a sign, half are negative, and two are the ends of its range."""
    bits = {"i64": 64, "i32": 32}.get(row.get("funnel"))
    return range(500) if bits is None else [-2**(bits - 1), 2**(bits - 1) - 1, *range(-249, 249)]


def check(code):
    assert code == 0, LIBRARY.bloomery_last_error().decode()


def by_library(row, path, measures):
    options = Options(struct_size=ctypes.sizeof(Options))
    for name, value in row.items():
        setattr(options, name, value.encode() if isinstance(value, str) else value)
    options.secret_size, options.user_data_size = len(row.get("secret", "")), len(row.get("user_data", ""))
    filter_ = ctypes.c_void_p()
    check(LIBRARY.bloomery_create(ctypes.byref(options), ctypes.byref(filter_)))
    if row.get("funnel", "bytes") == "bytes":
        texts = [str(number).encode() for number in keys_of(row)]
        keys = (Key * 500)(*(Key(text, len(text)) for text in texts))
        check(LIBRARY.bloomery_insert(filter_, keys, SIZE(500), None, None))
    else:
        call = LIBRARY.bloomery_insert_u64 if row["funnel"] == "u64" else LIBRARY.bloomery_insert_i64
        check(call(filter_, (ctypes.c_int64 * 500)(*keys_of(row)), SIZE(500), None, None))
    check(LIBRARY.bloomery_save(filter_, str(path).encode(), None))
    text = ctypes.c_char_p()
    check(LIBRARY.bloomery_describe(filter_, int(measures), ctypes.byref(text)))
    json = text.value.decode()
    LIBRARY.bloomery_free(filter_)
    return json


def by_command(row, path, folder):
    words = [word for name, value in row.items() if name in NAMES for word in (NAMES[name], str(value))]
    if "secret" in row:
        (folder / "secret").write_text(row["secret"])
        words += ["--secret-file", str(folder / "secret")]
    done = subprocess.run([COMMAND, "--quiet", "build", "-o", path, *words], input="".join(f"{key}\n" for key in keys_of(row)),
                          text=True, capture_output=True, check=False)
    assert done.returncode == 0, (row, done.stderr)


def inspected(row, path):
    sizes = [word for name in ("keys", "rate", "bits", "probes") if row.get("format", "").startswith(("go-bloom", "event"))
             and name in row for word in ({"keys": "--keys", "rate": "--fpr"}.get(name, f"--{name}"), str(row[name]))]
    secret = ["--secret-file", str(path.parent / "secret")] if "secret" in row else []
    format_ = ["--format", row["format"]] if "format" in row else []
    done = subprocess.run([COMMAND, "inspect", "--json", path, *format_, *sizes, *secret], text=True, capture_output=True,
                          check=False)
    assert done.returncode == 0, (row, done.stderr)
    return done.stdout.rstrip("\n")


def main():
    jsons = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, row in enumerate(TABLE):
            mine, theirs = folder / "mine", folder / "theirs"
            measures = "format" not in row and number % 12 == 0  # it takes a while
            json = by_library(row, mine, measures)
            by_command(row, theirs, folder)
            theirs_bytes = theirs.read_bytes()
            assert mine.read_bytes() == theirs_bytes, f"another file than the command's: {row}"
            if measures:
                assert json == inspected(row, mine), (row, json)
                jsons += 1
            theirs.unlink()
    print(f"{len(TABLE)} files equal the command's, and {jsons} descriptions")


main()
