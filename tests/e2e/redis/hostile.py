"""Payloads and chunks that were tampered with, checksums made right again: the server always answers, and what it took
it can save, copy, dump and load. A few thousand, or 100,000 with BLOOMERY_FULL=1."""
import os
import random
import struct

from harness import OK, Refused, Server, Simple, check, main, with_checksum
from mutations import NUMBERS, mutated

ROUNDS = 100_000 if os.environ.get("BLOOMERY_FULL") == "1" else 4_000
SEED = int(os.environ.get("BLOOMERY_SEED", "20261115"))
BAD_FORMAT = "ERR Bad data format"


def samples(r):
    r("BF.RESERVE", "one", "0.01", "10")
    r("BF.MADD", "one", "foo", "bar")
    r("BF.RESERVE", "grown", "0.01", "4")
    r("BF.MADD", "grown", *range(50))
    r("BF.RESERVE", "fixed", "0.1", "20", "NONSCALING")
    r("BF.MADD", "fixed", *range(15))
    return ["one", "grown", "fixed"]


def use(r, key):
    """Whatever was taken is a filter: each command answers without harm."""
    replies = r.all([("BF.ADD", key, "x"), ("BF.EXISTS", key, "x"), ("BF.MADD", key, "a", "b", "c"), ("BF.INFO", key),
                     ("BF.DEBUG", key), ("BF.CARD", key), ("BF.SCANDUMP", key, 0), ("BF.SCANDUMP", key, 1),
                     ("MEMORY", "USAGE", key), ("COPY", key, "copied", "REPLACE"), ("DUMP", key)])
    check(replies[9], 1)
    check(r("RESTORE", "again", 0, replies[10], "REPLACE"), OK, "its own DUMP is taken back")
    check(r("DUMP", "again") == r("DUMP", key) and r("DUMP", "copied") == r("DUMP", key), True)
    if isinstance(replies[0], int):
        check(r("BF.EXISTS", key, "x"), 1)


def payloads(r, names, source):
    taken = 0
    dumps = [r("DUMP", name) for name in names]
    for _ in range(ROUNDS):
        payload = with_checksum(mutated(source, source.choice(dumps), 10))
        reply = r("RESTORE", "hostile", 0, payload, "REPLACE")
        if reply == OK:
            taken += 1
            use(r, "hostile")
        elif not str(reply).startswith((BAD_FORMAT, "ERR DUMP payload version or checksum")):
            check(reply, Refused(BAD_FORMAT))
    return taken


def chunks(r, names, source):
    taken = 0
    dumps = [[r("BF.SCANDUMP", name, 0)[1], r("BF.SCANDUMP", name, 1)[1]] for name in names]
    for _ in range(ROUNDS):
        r("DEL", "hostile")
        header, bits = source.choice(dumps)
        reply = r("BF.LOADCHUNK", "hostile", 1, mutated(source, header, 0))
        if reply != OK:
            check(reply, Refused("ERR received bad data"))
            check(r("EXISTS", "hostile"), 0)
            continue
        taken += 1
        position = source.choice([1, 2, len(bits), 1 + len(bits), *NUMBERS, -1])
        reply = r("BF.LOADCHUNK", "hostile", min(position, 2**63 - 1), mutated(source, bits, 0))
        check(reply == OK or reply.startswith("ERR "), True, reply)
        use(r, "hostile")
    return taken


def limits(r):
    """A header of a few bytes does not buy memory beyond the limit, nor beyond what there is."""
    def header(size, probes=8, bits_per_key=11.027755275521184, layers=1):
        layer = struct.pack("<QQQddIQB", size, size * 8, 0, 0.005, bits_per_key, probes, 10, 0)
        return struct.pack("<QIII", 0, layers, 5, 2) + layer * layers
    bad = Refused("ERR received bad data")
    check(r("BF.LOADCHUNK", "limit", 1, header(1 << 35)), bad)
    check(r("BF.LOADCHUNK", "limit", 1, header((1 << 61) - 8)), bad)
    check(r("BF.LOADCHUNK", "limit", 1, header(64, 1_000_000, 1442695.0)), bad, "look-ups of a second")
    check(r("BF.LOADCHUNK", "limit", 1, header(8, layers=5000)), bad, "too many layers")
    check(r("BF.LOADCHUNK", "limit", 1, header(1 << 20, layers=1000)[:-1]), bad)
    r("CONFIG", "SET", "bf.bf-filter-memory-limit", str(1 << 45))
    reply = r("BF.LOADCHUNK", "limit", 1, header(1 << 44))
    check(reply in (OK, bad), True, reply)
    r("DEL", "limit")
    check(r("PING"), Simple("PONG"))


def test(module):
    print(f"seed {SEED}, {ROUNDS} rounds each")
    source = random.Random(SEED)
    with Server(module, ["bf-filter-memory-limit", "1048576"]) as server:
        r = server.client()
        names = samples(r)
        taken = payloads(r, names, source), chunks(r, names, source)
        print(f"taken: {taken[0]} payloads, {taken[1]} headers")
        check(min(taken) > ROUNDS // 100, True, "some are still filters, or nothing was tried")
        check(r("SAVE"), OK)
        digest = r("DEBUG", "DIGEST")
        server.restart()
        r = server.client()
        check(r("DEBUG", "DIGEST"), digest)
        check("crash" in server.log().lower(), False)
        check(r("CONFIG", "SET", "bf.bf-filter-memory-limit", str(16 << 30)), OK)
        limits(r)


main(test)
