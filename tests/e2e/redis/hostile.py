"""Payloads and chunks that were tampered with, checksums made right again, with traffic in between: the server always
answers, and what it took it can save, copy, dump and load. No RESTORE holds more than twice its payload, no header of a
chunk more than the limit of a filter, no command takes 10 ms. 10,000 of them, or 100,000 with BLOOMERY_FULL=1."""
import os
import pathlib
import random
import struct

from harness import OK, Refused, Server, Simple, check, main, with_checksum
from mutations import NUMBERS, mutated
from watched import Walk, Watched

FULL = os.environ.get("BLOOMERY_FULL") == "1"
ROUNDS = 50_000 if FULL else 5_000  # payloads, and as many chunks
BATCH = 50
SEED = int(os.environ.get("BLOOMERY_SEED", "20261115"))
LIMIT = 1 << 20
SMALL = 8192  # the entry of a key, the buffer of the log file that a refusal is written to
RECORDS = 8192 * 128  # of each table of a cuckoo filter, and it may have as many
MOST_MILLISECONDS = 10
REFUSALS = ("ERR Bad data format", "ERR DUMP payload version or checksum")


def samples(r):
    """Filters of every kind that this module has; one it does not know becomes a plain one."""
    made = {"one": "0.01 10", "grown": "0.01 4", "fixed": "0.1 20 NONSCALING", "steady": "0.05 1 EXPANSION 1",
            "wide": "0.01 20000", "counting": "0.01 20 COUNTING", "block": "0.01 20 LAYOUT BLOCK"}
    for name, words in made.items():
        r("BF.RESERVE", name, *words.split())
        r("BF.MADD", name, *range(15))
    r("CF.RESERVE", "cuckoo", "20")
    r("CF.RESERVE", "buckets", "64", "BUCKETSIZE", "4", "EXPANSION", "2")
    for name in ("cuckoo", "buckets"):
        r("CF.INSERT", name, "ITEMS", *range(60))
    return [name for name in [*made, "cuckoo", "buckets"] if r("EXISTS", name)]


def tampered(source, dump):
    """Half of the time where the numbers are, in a payload that has many more bits than numbers."""
    near = 120 if source.randrange(2) else len(dump)
    return with_checksum(mutated(source, dump[:near], 10) + dump[near:])


def family(name):
    return "CF" if name in ("cuckoo", "buckets") else "BF"


def use(r, key, kind):
    """Whatever was taken is a filter: each command answers without harm."""
    many = ("CF.INSERT", key, "ITEMS", "a", "b") if kind == "CF" else ("BF.MADD", key, "a", "b", "c")
    replies = r.all([(f"{kind}.ADD", key, "x"), (f"{kind}.EXISTS", key, "x"), many, (f"{kind}.MEXISTS", key, "a", "y"),
                     (f"{kind}.INFO", key), (f"{kind}.DEBUG", key), (f"{kind}.SCANDUMP", key, 0), (f"{kind}.SCANDUMP", key, 1),
                     ("MEMORY", "USAGE", key), ("COPY", key, "copied", "REPLACE"), ("DUMP", key)])
    if str(replies[4]).startswith("ERR the filter is being loaded"):
        check([isinstance(replies[9], Refused), r("RESTORE", "again", 0, replies[10], "REPLACE")],
              [True, Refused("ERR Bad data format")], "half a filter is neither copied nor restored")
        return
    check(replies[9], 1)
    again = r.all([("RESTORE", "again", 0, replies[10], "REPLACE"), ("DUMP", "again"), ("DUMP", "copied")])
    check(again[0], OK, "its own DUMP is taken back")
    check(again[1] == replies[10] and again[2] == replies[10], True)
    if isinstance(replies[0], int) and not isinstance(replies[0], Refused):
        check(replies[1], 1)


class Payloads:
    """RESTORE. Each is held to twice its length; what it only claims to hold, the server asks for by itself."""

    def __init__(self, r, names):
        self.dumps = [(family(name), r("DUMP", name)) for name in names]
        self.tried = self.taken = self.claiming = 0
        self.most = 0.0

    def batch(self, r, source):
        chosen = [(kind, tampered(source, dump)) for kind, dump in (source.choice(self.dumps) for _ in range(BATCH))]
        r.all([("DEL", f"hostile{i}") for i in range(BATCH)])
        replies = r.all([("RESTORE", f"hostile{i}", 0, payload) for i, (_, payload) in enumerate(chosen)])
        self.tried += BATCH
        for (_, payload), held in zip(chosen, r.held):
            claimed = Walk(payload).claimed
            self.claiming += claimed > 0
            check(held <= 2 * len(payload) + claimed + SMALL, True, f"{held} bytes for {len(payload)}, {claimed} claimed")
            if claimed == 0 and len(payload) > SMALL:
                self.most = max(self.most, held / len(payload))
        for i, reply in enumerate(replies):
            if reply == OK:
                self.taken += 1
                use(r, f"hostile{i}", chosen[i][0])
            elif not str(reply).startswith(REFUSALS):
                check(reply, Refused(REFUSALS[0]))


class Chunks:
    """LOADCHUNK: a header is held to the limit of a filter; then bits, anywhere."""

    def __init__(self, r, names):
        self.dumps = [(family(name), r(f"{family(name)}.SCANDUMP", name, 0)[1], r(f"{family(name)}.SCANDUMP", name, 1)[1])
                      for name in names]
        self.tried = self.taken = self.most = 0

    def batch(self, r, source):
        chosen = [(kind, mutated(source, header, 0), bits)
                  for kind, header, bits in (source.choice(self.dumps) for _ in range(BATCH))]
        r.all([("DEL", f"hostile{i}") for i in range(BATCH)])
        replies = r.all([(f"{kind}.LOADCHUNK", f"hostile{i}", 1, header) for i, (kind, header, _) in enumerate(chosen)])
        self.tried += BATCH
        self.most = max(self.most, *r.held)
        check(max(r.held) <= LIMIT + RECORDS, True, f"{max(r.held)} bytes for a header")
        for i, reply in enumerate(replies):
            kind, _, bits = chosen[i]
            key = f"hostile{i}"
            if reply != OK:
                check(isinstance(reply, Refused), True, reply)
                check(r("EXISTS", key), 0)
                continue
            self.taken += 1
            position = source.choice([1, 2, len(bits), 1 + len(bits), *NUMBERS, -1])
            reply = r(f"{kind}.LOADCHUNK", key, min(position, 2**63 - 1), mutated(source, bits, 0))
            check(reply == OK or isinstance(reply, Refused), True, reply)
            use(r, key, kind)


def traffic(r, number):
    """Other keys are as before."""
    r("SET", "string", number)
    replies = r.all([("GET", "string"), ("BF.ADD", "good", f"item {number}"), ("BF.MEXISTS", "good", "item 0", f"item {number}"),
                     ("PING",)])
    check([replies[0], replies[2], replies[3]], [str(number).encode(), [1, 1], Simple("PONG")])


def saved_and_back(server, r, watched):
    check(r("SAVE"), OK)
    digest = r("DEBUG", "DIGEST")
    check(r("DEBUG", "RELOAD"), OK)
    check(r("DEBUG", "DIGEST"), digest)
    return digest


def limits(server, r, watched):
    """A header of a few bytes does not buy memory beyond the limit, nor beyond what there is; and it touches none."""
    def header(size, probes=8, bits_per_key=11.027755275521184, layers=1):
        layer = struct.pack("<QQQddIQB", size, size * 8, 0, 0.005, bits_per_key, probes, 10, 0)
        return struct.pack("<QIII", 0, layers, 5, 2) + layer * layers

    def resident():
        return int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * 4096

    bad = Refused("ERR received bad data")
    check(r("CONFIG", "SET", "bf.bf-filter-memory-limit", str(1 << 30)), OK)
    before = resident()
    check(watched("BF.LOADCHUNK", "limit", 1, header(1 << 30)), OK)
    check(watched.held[0] < (1 << 30) + 64 * 1024, True, watched.held)
    check(resident() - before < 1 << 20, True, "pages that were never touched")
    r("DEL", "limit")
    check(r("BF.LOADCHUNK", "limit", 1, header((1 << 30) + 8)), bad)
    check(r("CONFIG", "SET", "bf.bf-filter-memory-limit", str(16 << 30)), OK)
    check(r("BF.LOADCHUNK", "limit", 1, header(1 << 35)), bad)
    check(r("BF.LOADCHUNK", "limit", 1, header((1 << 61) - 8)), bad)
    check(r("BF.LOADCHUNK", "limit", 1, header(64, 1_000_000, 1442695.0)), bad, "look-ups of a second")
    check(r("BF.LOADCHUNK", "limit", 1, header(8, layers=5000)), OK, "as many layers as the header brings")
    r("DEL", "limit")
    check(r("BF.LOADCHUNK", "limit", 1, header(1 << 20, layers=1000)[:-1]), bad)
    r("CONFIG", "SET", "bf.bf-filter-memory-limit", str(1 << 45))
    reply = r("BF.LOADCHUNK", "limit", 1, header(1 << 44))
    check(reply in (OK, bad), True, reply)
    r("DEL", "limit")
    check(r("PING"), Simple("PONG"))


def many_tables(r, watched):
    """As many tables as the limit allows, each of them tiny: none is made before its bytes come. One more is refused."""
    header = lambda tables: struct.pack("<QQQQHHH", 0, 1, 0, tables, 2, 20, 1)
    check(watched("CF.LOADCHUNK", "tables", 1, header(LIMIT // 2)), OK)
    check(watched.held[0] < SMALL, True, watched.held)
    check(watched("CF.LOADCHUNK", "tables", 10_003, b"ab"), OK)
    use(watched, "tables", "CF")
    check(watched("CF.LOADCHUNK", "more", 1, header(LIMIT // 2 + 1)), Refused("Couldn't create filter!"))
    r("DEL", "tables", "copied", "again")


def run(server, source):
    r, watched = server.client(), Watched(server.port)
    names = samples(r)
    r("BF.ADD", "good", "item 0")
    watched.all([("RESTORE", f"hostile{i}", 0, r("DUMP", "one")) for i in range(BATCH)])  # the keyspace grows once
    kinds = [Payloads(r, names), Chunks(r, names)]
    batches = ROUNDS // BATCH
    for number in range(batches):
        for kind in kinds:
            kind.batch(watched, source)
        traffic(watched, number)
        if number % (batches // 10) == 0:
            saved_and_back(server, r, watched)
    many_tables(r, watched)
    payloads, chunks = kinds
    print(f"RESTORE: {payloads.tried}, {payloads.taken} taken, {payloads.claiming} claimed strings that are not there; held at most "
          f"{payloads.most:.3f} times the payload")
    print(f"LOADCHUNK: {chunks.tried} headers, {chunks.taken} taken; held at most {chunks.most} bytes (limit {LIMIT})")
    print(f"slowest: {watched.report()}")
    check(1 < payloads.most < 2.5, True, "what was counted is what was held")
    for kind in kinds:
        check(kind.taken > kind.tried // 100, True, "some are still filters, or nothing was tried")
    check(watched.most_milliseconds() < MOST_MILLISECONDS, True, watched.report())
    return saved_and_back(server, r, watched)


def test(module):
    print(f"seed {SEED}, {ROUNDS} payloads and as many headers")
    watch = pathlib.Path(os.environ["BLOOMERY_ALLOCATION_WATCH"]).resolve()
    with Server(module, ["bf-filter-memory-limit", str(LIMIT)], ["rdbcompression no"], [(watch, [])],
                environment={"LD_PRELOAD": str(watch)}) as server:
        digest = run(server, random.Random(SEED))
        server.restart()
        r = server.client()
        check(r("DEBUG", "DIGEST"), digest)
        check("crash" in server.log().lower(), False)
        limits(server, r, Watched(server.port))


main(test)
