"""Cuckoo filters saved, rewritten, copied, replicated and tampered with: the same bytes come back, or an error."""
import os
import random

from harness import OK, Refused, Server, check, chunks_of, main, until, with_checksum
from mutations import NUMBERS, mutated

ROUNDS = 100_000 if os.environ.get("BLOOMERY_FULL") == "1" else 3_000
SEED = int(os.environ.get("BLOOMERY_SEED", "20261115"))


def fill(r):
    r("CF.ADD", "added", "x")
    r("CF.ADDNX", "added once", "x")
    r("CF.INSERT", "inserted", "CAPACITY", "500", "ITEMS", *range(400))
    r("CF.INSERTNX", "inserted once", "ITEMS", *range(100), *range(100))
    r("CF.RESERVE", "grown", "16", "BUCKETSIZE", "4", "MAXITERATIONS", "7", "EXPANSION", "2")
    r("CF.INSERT", "grown", "ITEMS", *range(300))
    r("CF.RESERVE", "flat", "16", "EXPANSION", "1")
    r("CF.INSERT", "flat", "ITEMS", *range(200))
    for i in range(60):
        r("CF.DEL", "flat", i)
    r("CF.DEL", "grown", 7)
    r("COPY", "grown", "compacted")
    r("CF.COMPACT", "compacted")
    r("CF.RESERVE", "fixed", "16", "EXPANSION", "0")
    r("CF.INSERT", "fixed", "ITEMS", *range(40))
    r("CF.RESERVE", "empty", "100")
    r("EVAL", "redis.call('CF.ADD', KEYS[1], 'x') return redis.call('CF.DEL', KEYS[1], 'x')", 1, "script")
    for position, chunk in chunks_of(r, "CF", "inserted"):
        check(r("CF.LOADCHUNK", "loaded", position, chunk), OK)


def state(r):
    return {name: r("DUMP", name) for name in r("KEYS", "*")}


def same(r, before, what):
    after = state(r)
    check(sorted(after), sorted(before), what)
    for name in before:
        check(after.get(name) == before[name], True, f"{name} after {what}")


def persistence(module):
    with Server(module) as server:
        r = server.client()
        fill(r)
        before, digest = state(r), r("DEBUG", "DIGEST")
        check(r("SAVE"), OK)
        server.restart()
        r = server.client()
        same(r, before, "SAVE and a restart")
        check(r("DEBUG", "DIGEST"), digest)
    with Server(module, options=["appendonly yes", "aof-use-rdb-preamble no", "appendfsync no"]) as server:
        r = server.client()
        fill(r)
        r("CF.RESERVE", "large", "20000000")  # 32 MiB: more than one piece
        r("CF.INSERT", "large", "ITEMS", *range(1000))
        before = state(r)
        server.load_arguments = ["CF_MAX_EXPANSIONS", "1", "bf-filter-memory-limit", "64"]
        server.restart()
        r = server.client()
        same(r, before, "a restart from commands")
        r("BGREWRITEAOF")
        check(until(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                    and b"aof_rewrite_scheduled:0" in r("INFO", "persistence")), True)
        check(r("CF.DEL", "added", "x"), 1)
        before = state(r)
        server.restart()
        same(server.client(), before, "a rewrite")


def copies(r):
    fill(r)
    for name, payload in state(r).items():
        check(r("RESTORE", "back", 0, payload), OK)
        check(r("COPY", name, "copied"), 1)
        check(len(set(r("DEBUG", "DIGEST-VALUE", name, "back", "copied"))), 1, name)
        check(r("MEMORY", "USAGE", "back") > 56, True)
        r("CF.ADD", "copied", "something else")
        check(r("DUMP", name) == payload, True, "a copy is its own")
        r("DEL", "back", "copied")
    r("CF.RESERVE", "unlinked", "4000000")
    check(r("UNLINK", "unlinked"), 1)


def replication(module):
    with Server(module) as primary, Server(module, ["CF_MAX_EXPANSIONS", "1", "bf-filter-memory-limit", "64"], options=[
            f"replicaof 127.0.0.1 {primary.port}"]) as replica:
        p, s = primary.client(), replica.client()
        check(until(lambda: b"master_link_status:up" in s("INFO", "replication")), True)
        p("CONFIG", "SET", "bf.cf-bucket-size", "3", "bf.cf-max-iterations", "9")
        p("CONFIG", "SET", "bf.cf-initial-size", "20", "bf.cf-expansion-factor", "2")
        s("CONFIG", "SET", "bf.cf-bucket-size", "255")
        fill(p)
        p("CF.INSERT", "inserted", "CAPACITY", "7", "ITEMS", "again", "again")
        p("CONFIG", "SET", "bf.bf-filter-memory-limit", "64")
        p("CF.RESERVE", "refused", "16", "BUCKETSIZE", "2", "EXPANSION", "1")
        check(Refused("ERR Insufficient memory") in p("CF.INSERT", "refused", "ITEMS", *range(100)), True)
        check(p("WAIT", 1, 20000), 1)
        same(s, state(p), "replication")
        before = s("DUMP", "grown")
        check(s("CF.COMPACT", "grown"), OK)
        check(s("DUMP", "grown") == before, True, "a replica holds what its primary does")

        def dirty():
            return int(p("INFO", "persistence").split(b"rdb_changes_since_last_save:")[1].split(b"\r\n")[0])
        changes = dirty()
        p("CF.ADDNX", "added", "x")
        p("CF.DEL", "added", "absent")
        p("CF.COMPACT", "added")
        check(dirty(), changes, "what changes nothing is not sent")


def use(r, key):
    """Whatever was taken is a filter: each command answers without harm."""
    replies = r.all([("CF.ADD", key, "x"), ("CF.EXISTS", key, "x"), ("CF.INSERTNX", key, "ITEMS", "a", "b"), ("CF.INFO", key),
                     ("CF.DEBUG", key), ("CF.COUNT", key, "x"), ("CF.SCANDUMP", key, 0), ("CF.SCANDUMP", key, 1),
                     ("CF.DEL", key, "a"), ("CF.COMPACT", key), ("MEMORY", "USAGE", key),
                     ("COPY", key, "copied", "REPLACE"), ("DUMP", key)])
    if str(replies[3]).startswith("ERR the filter is being loaded"):
        check(isinstance(replies[11], Refused), True, "half a filter is not copied")
        return
    check(replies[11], 1)
    check(r("RESTORE", "again", 0, replies[12], "REPLACE"), OK, "its own DUMP is taken back")
    check(r("DUMP", "again") == r("DUMP", "copied") == replies[12], True)
    if isinstance(replies[0], int):
        check(replies[1], 1)


def hostile(module):
    source, taken = random.Random(SEED), [0, 0]
    print(f"seed {SEED}, {ROUNDS} rounds each")
    with Server(module, ["bf-filter-memory-limit", "1048576"]) as server:
        r = server.client()
        fill(r)
        names = ["added", "grown", "flat", "fixed"]
        dumps = [r("DUMP", name) for name in names]
        chunks = [(r("CF.SCANDUMP", name, 0)[1], r("CF.SCANDUMP", name, 1)[1]) for name in names]
        for _ in range(ROUNDS):
            reply = r("RESTORE", "hostile", 0, with_checksum(mutated(source, source.choice(dumps), 10)), "REPLACE")
            if reply == OK:
                taken[0] += 1
                use(r, "hostile")
            elif not str(reply).startswith(("ERR Bad data format", "ERR DUMP payload version or checksum")):
                check(reply, Refused("ERR Bad data format"))
        for _ in range(ROUNDS):
            r("DEL", "hostile")
            header, table = source.choice(chunks)
            reply = r("CF.LOADCHUNK", "hostile", 1, mutated(source, header, 0))
            if reply != OK:
                check(reply in ("Invalid header", "Couldn't create filter!"), True, reply)
                continue
            taken[1] += 1
            position = source.choice([2, len(table), 1 + len(table), *NUMBERS, -1])
            reply = r("CF.LOADCHUNK", "hostile", min(position, 2**63 - 1), mutated(source, table, 0))
            check(isinstance(reply, str), True, reply)
            use(r, "hostile")
        print(f"taken: {taken[0]} payloads, {taken[1]} headers")
        check(min(taken) > ROUNDS // 100, True, "some are still filters, or nothing was tried")
        digest = r("DEBUG", "DIGEST")
        check(r("SAVE"), OK)
        server.restart()
        check(server.client()("DEBUG", "DIGEST"), digest)
        check("crash" in server.log().lower(), False)


def test(module):
    persistence(module)
    with Server(module) as server:
        copies(server.client())
    replication(module)
    hostile(module)


main(test)
