"""Bad input gives the same sentence in the C library, in Python and in PostgreSQL: errors.py BUILD COMMAND

BUILD holds libbloomery_c.so, the Python package and the extension; what was not built there, or has no server, is left out
with a sentence. Each case says which words its sentence must have, so that three equal but empty ones do not pass.
"""
import base64
import contextlib
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden"
WANTED = "only the bloomery command and the C++ library bloomery::remote read"


def cases(folder, command):
    """(name, words of the sentence, what is done, its arguments); bytes as base64."""
    def native(*options, keys=b"a\nb\nc\n"):
        path = folder / "made.bloom"
        subprocess.run([command, "build", "-qF", "-o", path, *options], input=keys, check=True, timeout=60)
        return path.read_bytes()

    def changed(data, at, to):
        return data[:at] + bytes([to]) + data[at + 1:]

    block = native("-n", "1000", "-p", "1%")
    classic = native("-n", "1000", "-p", "1%", "--layout", "classic")
    keyed = (GOLDEN / "native/block-siphash.bloom").read_bytes()
    part = (GOLDEN / "native/part-block.0-of-3.bloom").read_bytes()
    guava = native("-n", "1000", "-p", "1%", "--format", "guava")
    parquet = native("-n", "1000", "-p", "1%", "--format", "parquet")
    full = native("-n", "8", "--format", "rediscuckoo", "--expansion", "0")
    loads = [
        ("truncated", "should have 1344 bytes", block[:-1], "bloomery", {}),
        ("only a header", "should have 1344 bytes", block[:128], "bloomery", {}),
        ("a changed bit", "checksum", changed(block, 300, block[300] ^ 1), "auto", {}),
        ("a changed header", "checksum", changed(block, 40, block[40] ^ 1), "auto", {}),
        ("another version", "only version 1", changed(block, 8, 9), "auto", {}),
        ("more bytes than the filter", "goes on for 1 bytes", block + b"x", "auto", {}),
        ("a part of a filter", "part 0 of 3", part, "auto", {}),
        ("a secret that is missing", "secret", keyed, "auto", {}),
        ("a name of no format", "unknown format 'guavo'", block, "guavo", {}),
        ("bytes of no format", "the format is not recognised", b"apple,plum\n" * 9, "auto", {}),
        ("no bytes", "the format is not recognised", b"", "auto", {}),
        ("a truncated filter of Guava", "are needed", guava[:-3], "guava", {}),
        ("a strategy that Guava has not", "strategy", changed(guava, 0, 7), "guava", {}),
        ("damaged Thrift", "compact protocol", changed(parquet, 0, 0xFF), "parquet", {}),
        ("go-bloom without its size", "has no header", b"\1\2\3", "go-bloom", {}),
        ("sizes that the file has", "stores its size", block, "bloomery", {"bits": 1000, "probes": 5}),
    ]
    rows = [(name, words, "load", data, *more) for name, words, data, *more in loads] + [
        ("a merge of two sizes", "differ in shape", "merge", block, native("-n", "2000", "-p", "1%")),
        ("a merge of two hashes", "hash differently", "merge", block, native("-n", "1000", "-p", "1%", "--seed", "7")),
        ("a merge of two layouts", "different kinds", "merge", block, classic),
        ("a conversion that cannot be", "cannot be written as guava", "encode", block, "guava"),
        ("a conversion to no format", "unknown format 'guavo'", "encode", block, "guavo"),
        ("a full filter", "full", "fill", full, "rediscuckoo"),
        ("a rate above 1", "rate", "create", {"keys": 1000, "rate": 1.5}),
        ("a layout of no name", "layout", "create", {"keys": 1000, "layout": "round"}),
        ("a layout that the format has not", "layout", "create", {"keys": 1000, "layout": "lines", "format": "guava"}),
        ("a file that is not there", "No such file", "file", str(folder / "none.bloom")),
        ("a file of another kind", "the format is not recognised", "file", str(HERE / "errors.py")),
        ("a web address", WANTED, "file", "https://host/seen.bloom"),
        ("a web address to map", WANTED, "map", "https://host/seen.bloomset"),
        ("a map of a file that is not there", "No such file", "map", str(folder / "none.bloom")),
    ]
    encoded = [[base64.b64encode(each).decode() if isinstance(each, bytes) else each for each in row] for row in rows]
    assert len({row[0] for row in rows}) == len(rows)
    return encoded


class Refused(Exception):
    """The sentence of one of the three."""


class CLibrary:
    """The C interface, by its shared library."""

    class Options(ctypes.Structure):
        _fields_ = [("struct_size", ctypes.c_size_t), ("keys", ctypes.c_uint64), ("rate", ctypes.c_double), ("bits", ctypes.c_uint64),
                    ("probes", ctypes.c_uint32), ("expansion", ctypes.c_uint32), ("bits_per_key", ctypes.c_double),
                    ("blocks", ctypes.c_uint64), ("format", ctypes.c_char_p), ("layout", ctypes.c_char_p), ("hash", ctypes.c_char_p),
                    ("seed", ctypes.c_uint64), ("secret", ctypes.c_char_p), ("secret_size", ctypes.c_size_t),
                    ("counter_bits", ctypes.c_uint32), ("growth", ctypes.c_uint32), ("tightening", ctypes.c_double),
                    ("max_layers", ctypes.c_uint32), ("base_lg", ctypes.c_uint32), ("funnel", ctypes.c_char_p),
                    ("max_bytes", ctypes.c_uint64), ("guava_release", ctypes.c_char_p), ("user_data", ctypes.c_char_p),
                    ("user_data_size", ctypes.c_size_t)]

    class LoadOptions(ctypes.Structure):
        _fields_ = [("struct_size", ctypes.c_size_t), ("secret", ctypes.c_char_p), ("secret_size", ctypes.c_size_t),
                    ("keys", ctypes.c_uint64), ("rate", ctypes.c_double), ("bits", ctypes.c_uint64), ("probes", ctypes.c_uint32),
                    ("concurrent", ctypes.c_uint32), ("funnel", ctypes.c_char_p)]

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.bloomery_last_error.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments) != 0:
            raise Refused(self.library.bloomery_last_error().decode())

    def made(self, name, *arguments):
        filter = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(filter))
        return filter  # freed with the process

    def structure(self, kind, values):
        return ctypes.byref(kind(struct_size=ctypes.sizeof(kind), **{name: value.encode() if isinstance(value, str) else value
                                                                      for name, value in values.items()}))

    def load(self, data, format, options):
        return self.made("bloomery_decode", data, ctypes.c_size_t(len(data)), format.encode(), ctypes.c_uint64(0),
                         self.structure(self.LoadOptions, options))

    def merge(self, into, other):
        self.call("bloomery_merge", self.load(into, "auto", {}), self.load(other, "auto", {}))

    def encode(self, data, format):
        size = ctypes.c_size_t()
        self.call("bloomery_encode", self.load(data, "auto", {}), format.encode(), ctypes.byref(ctypes.c_void_p()), ctypes.byref(size))

    def fill(self, data, format):
        filter = self.load(data, format, {})
        for i in range(200):
            key = b"key %d" % i
            self.call("bloomery_insert_one", filter, key, ctypes.c_size_t(len(key)), None)

    def create(self, options):
        self.made("bloomery_create", self.structure(self.Options, options))

    def file(self, path):
        self.made("bloomery_load", path.encode(), None, ctypes.c_uint64(0), None)

    def map(self, path):
        self.made("bloomery_map", path.encode(), None)


class Package:
    """The Python package."""

    def __init__(self):
        import bloomery
        self.bloomery = bloomery

    def load(self, data, format, options):
        return self.said(self.bloomery.loads, data, format, **options)

    def said(self, function, *arguments, **options):
        try:
            return function(*arguments, **options)
        except OSError as error:
            raise Refused(error.strerror or str(error)) from None  # its text begins with the number
        except (ValueError, MemoryError) as error:
            raise Refused(str(error)) from None

    def merge(self, into, other):
        self.said(lambda: self.load(into, "auto", {}) | self.load(other, "auto", {}))

    def encode(self, data, format):
        self.said(self.load(data, "auto", {}).dumps, format)

    def fill(self, data, format):
        filter = self.load(data, format, {})
        for i in range(200):
            self.said(filter.add, b"key %d" % i)

    def create(self, options):
        self.said(self.bloomery.Bloom, **{{"funnel": "key_type"}.get(name, name): value for name, value in options.items()})

    def file(self, path):
        self.said(self.bloomery.load, path)

    def map(self, path):
        self.said(self.bloomery.Bloom.open, path)


class Database:
    """The extension on a server. It opens no files."""

    def __init__(self, connection, binary, error):
        self.cursor, self.binary, self.error = connection.cursor(), binary, error

    def one(self, sql, *arguments):
        try:
            self.cursor.execute("select " + sql, [self.binary(each) if isinstance(each, bytes) else each for each in arguments])
        except self.error as error:
            raise Refused(error.diag.message_primary) from None
        return self.cursor.fetchone()[0]

    def load(self, data, format, options):
        named = "".join(f", {name} => %s" for name in options)
        return self.one(f"bloom_from_bytea(%s, %s{named})", data, format, *options.values())

    def merge(self, into, other):
        self.one("bloom_from_bytea(%s) | bloom_from_bytea(%s)", into, other)

    def encode(self, data, format):
        self.one("bloom_to_bytea(bloom_from_bytea(%s), %s)", data, format)

    def fill(self, data, format):
        filter = self.load(data, format, {})
        for i in range(200):
            filter = self.one("bloom_add(%s::bloomery, %s::bytea)", filter, b"key %d" % i)

    def create(self, options):
        self.one(f"bloom_create({', '.join(f'{name} => %s' for name in options)})", *options.values())


def sentences(driver, rows):
    """What it says of each case; None where it took the input."""
    said = {}
    for name, _, task, *arguments in rows:
        if not hasattr(driver, task):
            continue
        try:
            getattr(driver, task)(*[base64.b64decode(each) if is_bytes(task, i) else each for i, each in enumerate(arguments)])
            said[name] = None
        except Refused as refused:
            said[name] = str(refused)
    return said


def is_bytes(task, argument):
    return task == "merge" or (task in ("load", "encode", "fill") and argument == 0)


def of_package(build, rows):
    """Its own process: the Python it was built for, and an allocator that notices writes behind the end."""
    package = build / "bindings/python/package"
    if not list(package.glob("bloomery/_bloomery*.so")):
        print("skipped: the Python package was not built")
        return None
    cache = (build / "CMakeCache.txt").read_text()
    python = next(line.partition("=")[2] for line in cache.splitlines() if line.startswith("BLOOMERY_PYTHON_EXECUTABLE:"))
    done = subprocess.run([python, __file__, "--package"], input=json.dumps(rows), capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(package), "PYTHONMALLOC": "debug"})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def postgres_server(build):
    """The module that starts servers, or None. It may start this program again, by the Python that has psycopg2."""
    if not (build / "bindings/postgres/bloomery.so").exists():
        print("skipped: the extension for PostgreSQL was not built")
        return None
    sys.path.insert(0, str(HERE / "postgres"))
    try:
        import server
    except SystemExit:  # it has said what is missing
        return None
    if not server.has_server():
        print("skipped: PostgreSQL's server is not installed")
        return None
    return server


def of_database(server, build, rows):
    if server is None:
        return None
    module = build / "bindings/postgres/bloomery.so"
    # "with" of a connection is one transaction, which an error would end for the rows behind it.
    with server.Cluster(module) as cluster, contextlib.closing(cluster.connect()) as connection:
        with connection.cursor() as cursor:
            cursor.execute("create extension bloomery")
        said = sentences(Database(connection, server.psycopg2.Binary, server.psycopg2.Error), rows)
    return said


def main():
    if sys.argv[1] == "--package":
        print(json.dumps(sentences(Package(), json.load(sys.stdin))))
        return 0
    build, command = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    server = postgres_server(build)
    with tempfile.TemporaryDirectory() as folder:
        rows = cases(pathlib.Path(folder), command)
        said = {"C": sentences(CLibrary(build / "bindings/c/libbloomery_c.so"), rows), "Python": of_package(build, rows),
                "PostgreSQL": of_database(server, build, rows)}
    said = {name: of for name, of in said.items() if of is not None}
    wrong = 0
    for name, words, *_ in rows:
        every = {of: sentence[name] for of, sentence in said.items() if name in sentence}
        if len(set(every.values())) != 1 or not all(sentence and words in sentence for sentence in every.values()):
            wrong += 1
            print(f"{name}: {json.dumps(every, indent=2)}")
    print(f"{len(rows) - wrong} of {len(rows)} sentences are the same in {', '.join(said)}")
    return 1 if wrong else 0


sys.exit(main())
