"""Filters on their way in: a header of a few bytes buys nothing, half a filter answers nothing, is not copied, compacted or dumped,
and survives whatever happens between two chunks. Limits, the count of saturated filters, words that are not shown, and the
setting for a mixed fleet."""
import struct
import time

from harness import OK, Refused, Server, Simple, check, chunks_of, free_port, main, until

BLOOM = Refused("ERR the filter is being loaded: BF.LOADCHUNK has not brought its last chunk")
CUCKOO = Refused("ERR the filter is being loaded: CF.LOADCHUNK has not brought its last chunk")
ONLY = Refused("ERR RedisBloom does not have this command or option, and bf-redisbloom-only is set")
COMMANDS = {"BF": ["ADD k x", "MADD k x y", "INSERT k ITEMS x", "EXISTS k x", "MEXISTS k x y", "INFO k", "CARD k", "DEBUG k",
                   "SCANDUMP k 0", "RESERVE k 0.01 10", "MERGE k 1 whole", "MERGE whole 1 k", "MERGE new 1 k", "CLEAR k", "HEALTH k",
                   "DEL k x", "ROTATE k"],
            "CF": ["ADD k x", "ADDNX k x", "INSERT k ITEMS x", "INSERTNX k ITEMS x", "EXISTS k x", "MEXISTS k x y", "COUNT k x",
                   "DEL k x", "COMPACT k", "INFO k", "DEBUG k", "SCANDUMP k 0", "RESERVE k 10"]}


def field(r, section, name):
    return int(r("INFO", section).split(name.encode() + b":")[1].split(b"\r\n")[0])


def fill(r):
    r("BF.RESERVE", "whole", "0.01", "50")
    r("CF.RESERVE", "cuckoo", "64")
    for at in range(0, 400, 50):
        r("BF.MADD", "whole", *range(at, at + 50))
        r("CF.INSERT", "cuckoo", "ITEMS", *range(at, at + 50))


def refused(r):
    for key, kind, answer in (("half.bf", "BF", BLOOM), ("half.cf", "CF", CUCKOO)):
        for command in COMMANDS[kind]:
            words = [key if word == "k" else word for word in command.split()]
            check(r(f"{kind}.{words[0]}", *words[1:]), answer, f"{kind}.{command}")
        check(isinstance(r("COPY", key, "copied"), Refused), True)
        check(r("RESTORE", "copied", 0, r("DUMP", key)), Refused("ERR Bad data format"))
        check([r("EXISTS", "copied"), r("TYPE", key)], [0, Simple("BLOOMERY1")])
    check(r("CF.EXISTS", "half.bf", "x"), CUCKOO, "the other family says no \"no\" either")
    check(r("CF.LOADCHUNK", "half.bf", 2, "x"), Refused("WRONGTYPE Operation against a key holding the wrong kind of value"))
    check(field(r, "bf_bloom", "bf_loading_filters"), 2)


def half(r):
    """Headers, and every other chunk, the last first: any order will do."""
    r("DEL", "half.bf", "half.cf")
    for key, kind, source in (("half.bf", "BF", "whole"), ("half.cf", "CF", "cuckoo")):
        parts = chunks_of(r, kind, source)
        check(len(parts) > 3, True)
        check(r(f"{kind}.LOADCHUNK", key, *parts[0]), OK)
        for part in parts[:0:-2]:
            check(r(f"{kind}.LOADCHUNK", key, *part), OK)
        r("PEXPIREAT", key, 4_000_000_000_123)


def finish(r):
    for key, kind, source in (("half.bf", "BF", "whole"), ("half.cf", "CF", "cuckoo")):
        for part in chunks_of(r, kind, source)[1:]:
            check(r(f"{kind}.LOADCHUNK", key, *part), OK)
        check(r("DUMP", key) == r("DUMP", source), True, f"{key} is whole")
        check([r("PEXPIRETIME", key), r("TYPE", key)], [4_000_000_000_123, r("TYPE", source)], "and keeps its time to live")
    check(field(r, "bf_bloom", "bf_loading_filters"), 0)


def between(module):
    """What can come between two chunks."""
    with Server(module, options=["appendonly yes", "aof-use-rdb-preamble no"], port=free_port()) as server:
        r = server.client()
        fill(r)
        gone = server.client()
        half(gone)
        gone.close()  # a client that disconnects leaves half a filter, and another may finish it
        refused(r)
        with Server(module, options=[f"replicaof 127.0.0.1 {server.port}"]) as replica:
            s = replica.client()
            check(until(lambda: b"master_link_status:up" in s("INFO", "replication")), True)
            check(s("BF.EXISTS", "half.bf", "1"), BLOOM, "a full synchronisation")
            check(r("DEBUG", "RELOAD"), OK)
            refused(r)
            server.restart()
            r = server.client()
            refused(r)
            r("BGREWRITEAOF")
            check(until(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                        and b"aof_rewrite_scheduled:0" in r("INFO", "persistence")), True)
            server.restart()
            r = server.client()
            refused(r)
            check(r("SWAPDB", 0, 1), OK)
            r("SELECT", 1)
            check([r("RENAME", "half.bf", "moved"), r("RENAME", "moved", "half.bf")], [OK, OK])
            finish(r)
            check(until(lambda: b"master_link_status:up" in s("INFO", "replication")
                        and s("DEBUG", "DIGEST") == r("DEBUG", "DIGEST")), True, "and on the replica")
        half(r)
        r("FLUSHALL")
        check(r("BF.LOADCHUNK", "half.bf", 9, "x"), Refused("ERR not found"))
        fill(r)
        position, _ = r("BF.SCANDUMP", "whole", 1)
        r("FLUSHALL")
        check(r("BF.SCANDUMP", "whole", position), Refused("ERR not found"), "a dump whose filter went away")
        check(field(r, "bf_bloom", "bf_loading_filters"), 0)


def claims(module):
    """38 bytes that claim gigabytes, and 73."""
    with Server(module) as server:
        r = server.client()
        used, resident = field(r, "memory", "used_memory"), field(r, "memory", "used_memory_rss")
        headers = {"cuckoo": struct.pack("<QQQQHHH", 1, 1 << 30, 0, 1, 2, 20, 1),
                   "layers": struct.pack("<QQQQHHH", 1, 1, 0, 1 << 30, 2, 20, 1)}
        size = 1 << 30
        bloom = struct.pack("<QIII", 0, 1, 5, 2) + struct.pack("<QQQddIQB", size, size * 8, 0, 0.005, 11.027755275521184, 8, 10, 0)
        slowest = 0
        for key, kind, header in (*((key, "CF", header) for key, header in headers.items()), ("bloom", "BF", bloom)):
            for command in ((f"{kind}.LOADCHUNK", key, 1, header), (f"{kind}.LOADCHUNK", key, 4, b"abc"), ("COPY", key, "copied"),
                            ("CF.COMPACT", key), ("DUMP", key), ("MEMORY", "USAGE", key), ("DEBUG", "DIGEST-VALUE", key), ("SAVE",)):
                started = time.monotonic()
                reply = r(*command)
                slowest = max(slowest, time.monotonic() - started)
                if command[0] == "DUMP":
                    check(len(reply) < 1000, True, "a dump is what has come")
        check(r("EXISTS", "copied"), 0)
        check(slowest < 0.5, True, f"slowest {slowest} s")
        check(field(r, "memory", "used_memory_rss") - resident < 30 << 20, True, "pages that were never touched")
        r("DEL", "cuckoo", "bloom", "layers")
        check(field(r, "memory", "used_memory") - used < 4 << 20, True)


def limits(module):
    """A filter is as large as maxmemory allows, where nothing else is said."""
    with Server(module) as server:
        r = server.client()
        check(r("CONFIG", "GET", "bf.bf-filter-memory-limit")[1], b"0")
        check(r("CONFIG", "SET", "maxmemory", "100mb"), OK)
        none = Refused("ERR Insufficient memory to create filter")
        check([r("BF.RESERVE", "k", "0.01", "1000000000"), r("BF.RESERVE", "k", "0.01", "1000000000", "COUNTING"),
               r("CF.RESERVE", "k", "1000000000"), r("BF.INSERT", "k", "CAPACITY", "1000000000", "ITEMS", "x")], [none] * 4)
        check(r("BF.LOADCHUNK", "k", 1, struct.pack("<QIII", 0, 1, 5, 2) + struct.pack(
            "<QQQddIQB", 1 << 27, 1 << 30, 0, 0.005, 11.027755275521184, 8, 10, 0)), Refused("ERR received bad data"))
        check(r("CF.LOADCHUNK", "k", 1, struct.pack("<QQQQHHH", 1, 1 << 27, 0, 1, 2, 20, 1)), Refused("Couldn't create filter!"))
        check(r("BF.RESERVE", "k", "0.01", "1000000"), OK)
        check(r("CONFIG", "SET", "maxmemory", "0"), OK)
        check(r("BF.RESERVE", "large", "0.01", "200000000"), OK, "without maxmemory, what the machine has")
        check(r("BF.RESERVE", "absurd", "1e-300", "1073741824"), none)
        check(r("DEL", "large"), 1)
        for value in ("63", "-1", "x"):
            check(isinstance(r("CONFIG", "SET", "bf.bf-filter-memory-limit", value), Refused), True)


def saturated(module):
    def count():
        return field(r, "bf_bloom", "bf_saturated_filters")
    with Server(module) as server:
        r = server.client()
        r("BF.RESERVE", "full", "0.01", "2", "NONSCALING")
        r("BF.MADD", "full", "a", "b")
        for key, options, limit in (("own", ["COUNTING"], "400"), ("grown", [], "128")):
            r("CONFIG", "SET", "bf.bf-filter-memory-limit", limit)
            check(r("BF.RESERVE", key, "0.01", "50", *options), OK)
            r("BF.MADD", key, *range(400))
        check(count(), 3)
        for key in ("full", "grown", "own"):
            check(r("BF.ADD", key, "a" if key == "full" else "0") in (0, 1), True)
            check(count(), 3, f"an item that {key} has already makes no room")
        check(r("DEBUG", "RELOAD"), OK)
        check(count(), 3, "after a reload")
        r("CF.RESERVE", "cuckoo", "4", "EXPANSION", "0")
        r("CF.INSERT", "cuckoo", "ITEMS", *range(40))
        check(count(), 4)
        r("CF.ADDNX", "cuckoo", "0")
        check(count(), 4)
        held = [i for i in range(40) if r("CF.EXISTS", "cuckoo", i)]
        check([r("CF.DEL", "cuckoo", held[0]), count()], [1, 3], "a removal does")
        check([r("BF.CLEAR", "full"), count()], [OK, 2])
        r("FLUSHALL")
        check(count(), 0)


def hidden(module):
    """The secret of a manifest is in no monitor and no slow log, whether it is taken or not."""
    with Server(module, options=["slowlog-log-slower-than 0"]) as server:
        r, monitor = server.client(), server.client()
        check(monitor("MONITOR"), OK)
        r("BF.RESERVE", "k", "0.01", "10", "SECRET")
        parts = chunks_of(r, "BF", "k")
        secret = parts[0][1][44:60]
        for part in parts:
            check(r("BF.LOADCHUNK", "copy", *part), OK)
        r("BF.LOADCHUNK", "damaged", 1, parts[0][1][:-1] + b"!")
        check(isinstance(r("BF.RESERVE", "mine", "0.01", "10", "SECRET", "SECRETBYTES", secret.hex()), Refused), True)
        r("SET", "end of the monitor", "x")
        heard = b""
        while b"end of the monitor" not in heard:
            heard += monitor.file.readline()
        check(heard.count(b"(redacted)") >= 3, True, heard[-300:])
        shown = heard + b"".join(b"".join(row[3]) for row in r("SLOWLOG", "GET", "-1"))
        spelled = "".join(chr(c) if 32 <= c < 127 and c not in (34, 92) else f"\\x{c:02x}" for c in secret).encode()
        check([secret in shown, secret.hex().encode() in shown, spelled in shown], [False] * 3, "a secret is shown")


def mixed_fleet(module):
    with Server(module, ["bf-redisbloom-only", "yes"]) as server, Server(module) as other:
        r, o = server.client(), other.client()
        check(r("CONFIG", "GET", "bf.bf-redisbloom-only")[1], b"yes")
        o("BF.RESERVE", "own", "0.01", "10", "COUNTING")
        manifest = o("BF.SCANDUMP", "own", 0)[1]
        r("BF.ADD", "k", "x")
        for command in ("BF.RESERVE c 0.01 10 COUNTING", "BF.RESERVE c 0.01 10 WINDOW 9", "BF.RESERVE c 0.01 10 LAYOUT BLOCK",
                        "BF.RESERVE c 0.01 10 SECRET", "BF.MERGE c 1 k", "BF.CLEAR k", "BF.HEALTH k", "BF.DEL k x", "BF.ROTATE k"):
            check(r(*command.split()), ONLY, command)
        check(r("BF.LOADCHUNK", "c", 1, manifest), ONLY)
        check(r("RESTORE", "c", 0, o("DUMP", "own")), Refused("ERR Bad data format"))
        check([r("BF.RESERVE", "d", "0.01", "10", "EXPANSION", "4"), r("CF.ADD", "e", "x")], [OK, 1])
        with Server(module, options=[f"replicaof 127.0.0.1 {other.port}"], load_arguments=["bf-redisbloom-only", "yes"]) as replica:
            s = replica.client()
            check(until(lambda: b"master_link_status:up" in s("INFO", "replication")), True)
            o("BF.RESERVE", "more", "0.01", "10", "SECRET")
            check(until(lambda: s("DEBUG", "DIGEST") == o("DEBUG", "DIGEST")), True, "what the primary has, a replica takes")
        check(r("CONFIG", "SET", "bf.bf-redisbloom-only", "no"), OK)
        check(r("BF.RESERVE", "c", "0.01", "10", "COUNTING"), OK)
        check(isinstance(r("CONFIG", "SET", "bf.bf-redisbloom-only", "maybe"), Refused), True)


def modules(module):
    """Loaded twice, and unloaded: refused with a sentence, and the filters stay."""
    with Server(module, options=["enable-module-command yes"]) as server:
        r = server.client()
        r("BF.ADD", "k", "x")
        check(isinstance(r("MODULE", "LOAD", str(module)), Refused), True)
        check("already" in server.log(), True)
        check(isinstance(r("MODULE", "UNLOAD", "bf"), Refused), True, "a module with types cannot go")
        check(r("BF.EXISTS", "k", "x"), 1)


def test(module):
    claims(module)
    between(module)
    limits(module)
    saturated(module)
    hidden(module)
    mixed_fleet(module)
    modules(module)


main(test)
