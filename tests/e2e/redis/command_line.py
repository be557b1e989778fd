"""redis://host:port/key where the bloomery command takes a filter file: all five commands, both ways."""
import json
import pathlib
import threading
import urllib.parse

from command import Folder, bloomery, lines, read
from harness import OK, Server, check, chunks_of, main

KEYS = lines(*(f"key:{i}" for i in range(3000)))
OTHERS = lines(*(f"other:{i}" for i in range(20000)))


def scan(client, family, key):
    """The bytes of a dump, as a client puts them together."""
    return b"".join(chunk for _, chunk in chunks_of(client, family, key))


def fill(client):
    """Filters that grew, one that does not grow, cuckoo filters with several tables and with none of their slots used."""
    client("BF.RESERVE", "grown", 0.01, 100)
    client("BF.MADD", "grown", *KEYS.split()[:1000])
    client("BF.RESERVE", "fixed", 0.001, 500, "NONSCALING")
    client("BF.MADD", "fixed", *KEYS.split()[:300])
    client("CF.RESERVE", "cuckoo", 64, "EXPANSION", 2)
    client("CF.INSERT", "cuckoo", "NOCREATE", "ITEMS", *KEYS.split()[:500])


def there_and_back(client, url):
    for key, family, form in [("grown", "BF", "redisbloom"), ("fixed", "BF", "redisbloom"), ("cuckoo", "CF", "rediscuckoo")]:
        bloomery("convert", "--to", form, "-o", f"{key}.bin", url(key))
        check(read(f"{key}.bin"), scan(client, family, key), key)
        bloomery("convert", "--format", form, "--to", form, "-o", url(key + ":copy"), f"{key}.bin")
        check(client("DUMP", key + ":copy"), client("DUMP", key), key)
        check(client("PTTL", key + ":copy"), -1)
        found = bloomery("inspect", "--json", url(key)).out
        check(found, bloomery("inspect", "--json", "--format", form, f"{key}.bin").out, key)
        payload = bloomery("convert", "--to", form + ":payload", "-o", f"{key}.dump", url(key))
        check(json.loads(bloomery("inspect", "--json", f"{key}.dump").out)["bits"], json.loads(found)["bits"], payload.err)
    client("CF.RESERVE", "empty", 1000)
    bloomery("convert", "--to", "rediscuckoo", "-o", url("empty:copy"), url("empty"))
    check(client("DUMP", "empty:copy"), client("DUMP", "empty"))
    bloomery("verify", url("grown"))
    check(bloomery("compare", url("grown"), url("grown:copy")).code, 0)


def large(client, url):
    """More than one chunk, and no reader meanwhile finds anything but the old filter or the new one."""
    bloomery("build", "--format", "redisbloom", "-n", "30M", "-p", "1%", "-o", "large.bin", records=KEYS)
    check(pathlib.Path("large.bin").stat().st_size > 2 * 2**24, True)
    client("BF.RESERVE", "large", 0.01, 10)
    client("BF.ADD", "large", "old")
    seen, done = set(), threading.Event()

    def look(connection):
        while not done.is_set():
            seen.add((connection("BF.EXISTS", "large", "old"), connection("BF.EXISTS", "large", "key:2999")))
    watcher = threading.Thread(target=look, args=[url.server.client()])
    watcher.start()
    try:
        client("PEXPIRE", "large", 3_000_000)
        bloomery("convert", "--format", "redisbloom", "--to", "redisbloom", "--force", "-o", url("large"), "large.bin")
    finally:
        done.set()
        watcher.join()
    # The two questions are two commands: the filter may be replaced between them.
    check(seen - {(1, 0), (0, 1), (1, 1)}, set())
    check(client("PTTL", "large") in range(1, 3_000_001), True, "its time to live is kept")
    check(scan(client, "BF", "large") == read("large.bin"), True, "all chunks")
    bloomery("convert", "--to", "redisbloom", "-o", "large.back", url("large"))
    check(read("large.back") == read("large.bin"), True, "and back")
    check(bloomery("inspect", "-m", "1Mi", url("large"), code=4).out, b"")


def questions(url):
    """Every output of query is what a file gives."""
    records = KEYS + OTHERS
    for key, form in [("grown", "redisbloom"), ("cuckoo", "rediscuckoo")]:
        for options in [[], ["-v"], ["-c"], ["--label"], ["--line-number"], ["-z"], ["-j", "4"], ["-q"]]:
            expected = bloomery("query", *options, "--format", form, f"{key}.bin", records=records, code=None)
            found = bloomery("query", *options, url(key), records=records, code=expected.code)
            check((found.out == expected.out, found.err), (True, expected.err), f"{key} {options}")
    check(bloomery("query", url("grown"), records=b"absent:7\n", code=1).out, b"")
    told = json.loads(bloomery("query", "--json", url("grown"), records=records).out)
    known = json.loads(bloomery("query", "--json", "--format", "redisbloom", "grown.bin", records=records).out)
    for name in ["records", "selected", "dropped", "bytes"]:
        check(told[name], known[name], name)
    for name in ["fill", "estimated_fpr"]:  # foretold from counts, and counted
        check(abs(told[name] / known[name] - 1) < 0.05, True, f"{name}: {told[name]} {known[name]}")
    long_key = b"x" * 3_000_000
    bloomery("add", url("grown:copy"), records=long_key + b"\n")
    check(bloomery("query", "-c", url("grown:copy"), records=long_key + b"\n" + long_key + b"y\n").out, b"1\n")
    check(bloomery("dedup", "--against", url("grown"), "-n", "100", records=lines("key:1", "new", "new")).out, b"new\n")


def additions(client, url):
    """The server's filter becomes what the file becomes."""
    for key, family, form in [("grown", "BF", "redisbloom"), ("cuckoo", "CF", "rediscuckoo")]:
        new = lines(*(f"added:{i % 700}" for i in range(2500)))
        far = bloomery("add", "--json", url(key), records=new)
        near = bloomery("add", "--json", "--format", form, f"{key}.bin", records=new)
        check(scan(client, family, key) == read(f"{key}.bin"), True, f"{key}: the same bytes after the same keys")
        names = ["records", "bytes"] + ["selected"] * (family == "BF")
        check([json.loads(far.out)[n] for n in names], [json.loads(near.out)[n] for n in names], key)
        check("2,500 records" in far.err and "in the server" in far.err, True, far.err)
    check("no such key" in bloomery("add", url("missing"), records=b"a\n", code=2).err, True)
    check(client("EXISTS", "missing"), 0)
    check("--strict" in bloomery("add", "--strict", url("grown"), records=b"a\n", code=2).err, True)
    full = bloomery("add", url("fixed"), records=OTHERS, code=4)
    check("non scaling filter is full" in full.err, True, full.err)
    check("on files only" in bloomery("remove", url("cuckoo"), records=b"a\n", code=2).err, True)
    check("takes a file" in bloomery("dedup", "--save", url("grown"), records=b"a\n", code=2).err, True)


def unions(client, url):
    for name, keys in [("east", KEYS), ("west", OTHERS)]:
        bloomery("build", "--format", "redisbloom", "-n", "30k", "-o", f"{name}.bin", records=keys)
        bloomery("build", "--format", "redisbloom", "-n", "30k", "-o", url(name), records=keys)
    form = ["--format", "redisbloom"]
    bloomery("merge", *form, "-o", "all.bin", "east.bin", "west.bin")
    bloomery("merge", *form, "-o", url("all"), "east.bin", url("west"))
    bloomery("merge", "-o", "all.mixed", url("east"), url("west"))
    check(scan(client, "BF", "all") == read("all.bin"), True)
    check(read("all.mixed") == read("all.bin"), True)
    check("key exists" in bloomery("merge", "-o", url("all"), url("east"), url("west"), code=2).err, True)
    bloomery("merge", "--force", "-o", url("east"), url("east"), url("west"))
    check(scan(client, "BF", "east") == read("all.bin"), True)
    check(bloomery("merge", "--max-fpr", "1e-9", "-o", url("never"), url("east"), url("west"), code=4).out, b"")
    check(client("EXISTS", "never"), 0)
    bloomery("merge", "-o", url("odd"), url("east"), url("grown"), code=3)


def refusals(client, url):
    client("SET", "text", "precious")
    check("type 'string'" in bloomery("query", url("text"), records=b"a\n", code=3).err, True)
    check("type 'string'" in bloomery("inspect", url("text"), code=3).err, True)
    wanted = ["convert", "--format", "redisbloom", "--to", "redisbloom", "--force", "-o", url("text"), "all.bin"]
    check("only a filter can be replaced" in bloomery(*wanted, code=2).err, True)
    check(client("GET", "text"), b"precious")
    check("no such key" in bloomery("inspect", url("missing"), code=2).err, True)
    check("of format redisbloom" in bloomery("query", "--format", "guava", url("grown"), records=b"a\n", code=2).err, True)
    bloomery("query", "--format", "redisbloom", url("grown"), records=b"key:1\n")
    check("redisbloom and rediscuckoo" in bloomery("build", "-o", url("native"), records=b"a\n", code=2).err, True)
    check("cannot connect" in bloomery("inspect", "rediss://127.0.0.1:1/x", code=2).err, True)
    check("names no key" in bloomery("inspect", "redis://127.0.0.1", code=2).err, True)
    check("cannot connect" in bloomery("inspect", "redis://u:hush@127.0.0.1:1/x", code=2).err, True)


def odd_names(client, url):
    """Keys of any bytes, another database, and a tag of a cluster."""
    for key in [b"a b/c?d=%\x00\xff", b"{tag}:x", b"no}tag{", b"{}:x"]:
        bloomery("convert", "--to", "redisbloom", "-o", url(urllib.parse.quote(key, safe="")), url("grown"))
        check(client("DUMP", key), client("DUMP", "grown"), str(key))
    bloomery("convert", "--to", "redisbloom", "-o", url("far") + "?db=3", url("grown"))
    check(client("EXISTS", "far"), 0)
    check(bloomery("query", url("far") + "?db=3", records=b"key:1\n").out, b"key:1\n")


def native_type(client, url):
    """Filters of our own type are asked and added to by the server; one in one part is a file of ours."""
    for key, words in [("block", ["LAYOUT", "BLOCK"]), ("counting", ["COUNTING"])]:
        check(client("BF.RESERVE", key, 0.01, 5000, *words), OK)
        check("2,000 records" in bloomery("add", url(key), records=b"\n".join(KEYS.split()[:2000]) + b"\n").err, True)
        check(bloomery("query", url(key), records=KEYS).out.count(b"\n") < 2100, True)
        bloomery("convert", "--to", "bloomery", "-o", f"{key}.bloom", url(key))
        near = bloomery("query", f"{key}.bloom", records=KEYS + OTHERS)
        check(bloomery("query", url(key), records=KEYS + OTHERS).out == near.out, True, "false positives too")
        bloomery("inspect", url(key))
    client("BF.RESERVE", "window", 0.01, 1000, "WINDOW", 3600, "SLICES", 3)
    bloomery("add", url("window"), records=b"a\n")
    check(bloomery("query", url("window"), records=b"a\nb\n").out, b"a\n")
    client("BF.RESERVE", "layers", 0.01, 10, "LAYOUT", "BLOCK")
    bloomery("add", url("layers"), records=KEYS)
    check("only a filter in one part" in bloomery("inspect", url("layers"), code=3).err, True)
    check("redisbloom and rediscuckoo only" in bloomery("merge", "-o", url("not"), url("block"), url("block"), code=2).err, True)


class Url:
    def __init__(self, server):
        self.server = server

    def __call__(self, key):
        return f"redis://127.0.0.1:{self.server.port}/{key}"


def test(module):
    with Folder(), Server(module) as server:
        client, url = server.client(), Url(server)
        fill(client)
        there_and_back(client, url)
        questions(url)
        additions(client, url)
        unions(client, url)
        refusals(client, url)
        odd_names(client, url)
        native_type(client, url)
        large(client, url)
        check([k for k in client("KEYS", "*") if b"bloomery-loading" in k], [], "temporary keys are gone")


main(test)
