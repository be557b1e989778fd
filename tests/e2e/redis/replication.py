"""A replica holds the same bytes, whatever its own settings are, and hears only of changes."""
from harness import OK, Refused, Server, caught_up, check, main


def writes(r):
    r("BF.ADD", "added", "x")
    r("BF.MADD", "madded", *range(200))
    r("BF.INSERT", "inserted", "ITEMS", *range(150))
    r("BF.INSERT", "options", "CAPACITY", "33", "ERROR", "0.07", "ITEMS", *range(100))
    r("BF.INSERT", "fixed", "NONSCALING", "CAPACITY", "5", "ITEMS", *range(10))
    r("BF.RESERVE", "reserved", "0.013", "40")
    r("BF.MADD", "reserved", *range(100))
    r("BF.RESERVE", "expands", "0.9", "10", "EXPANSION", "7")
    r("BF.MADD", "expands", *range(100))
    header, bits = r("BF.SCANDUMP", "added", 0)[1], r("BF.SCANDUMP", "added", 1)[1]
    r("BF.LOADCHUNK", "loaded", 1, header)
    r("BF.LOADCHUNK", "loaded", 1 + len(bits), bits)
    r("MULTI")
    r("BF.ADD", "in a transaction", "x")
    r("BF.ADD", "in a transaction", "y")
    r("EXEC")
    r("EVAL", "redis.call('BF.ADD', KEYS[1], 'x') return redis.call('BF.MADD', KEYS[1], 'y', 'z')", 1, "script")
    r("COPY", "madded", "copied")
    r("RESTORE", "restored", 0, r("DUMP", "madded"))


def hears_of_changes_only(r):
    dirty = lambda: int(r("INFO", "persistence").split(b"rdb_changes_since_last_save:")[1].split(b"\r\n")[0])
    r("BF.ADD", "quiet", "x")
    before = dirty()
    r("BF.ADD", "quiet", "x")
    r("BF.MADD", "quiet", "x", "x")
    r("BF.EXISTS", "quiet", "x")
    check(dirty(), before, "known items change nothing")
    r("BF.ADD", "quiet", "y")
    check(dirty() > before, True)


def refused_growth(module):
    """Items that the primary had no room for are not added on the replica, which has no limit of its own."""
    with Server(module, ["bf-filter-memory-limit", "64"]) as primary, Server(module, options=[
            f"replicaof 127.0.0.1 {primary.port}"]) as replica:
        p, s = primary.client(), replica.client()
        caught_up(p, s)
        check(p("BF.RESERVE", "k", "0.01", "10"), OK)
        refused = Refused("ERR problem inserting into filter")
        p("BF.MADD", "k", *range(30))  # 16 and 32 bytes fit, the next 72 do not
        more = p("BF.MADD", "k", *range(25, 40))
        check(refused in more, True, "growth beyond the limit is refused, item by item")
        check(p("BF.MADD", "k", "0", "never seen", "1"), [0, refused, 0], "and known items are still known")
        check(p("BF.RESERVE", "large", "0.01", "1000"), Refused("ERR Insufficient memory to create filter"))
        check(p("BF.ADD", "large", "x"), Refused("ERR Insufficient memory to create filter"))
        check(b"bf_saturated_filters:1" in p("INFO", "bf_bloom"), True)
        caught_up(p, s)
        check(s("DEBUG", "DIGEST"), p("DEBUG", "DIGEST"))


def replica_with_a_lower_limit(module):
    with Server(module) as primary, Server(module, ["bf-filter-memory-limit", "64"], options=[
            f"replicaof 127.0.0.1 {primary.port}"]) as replica:
        p, s = primary.client(), replica.client()
        p("BF.RESERVE", "before", "0.01", "1000")
        caught_up(p, s)
        p("BF.RESERVE", "after", "0.01", "1000")
        p("RESTORE", "restored", 0, p("DUMP", "before"))
        caught_up(p, s)
        check(s("DEBUG", "DIGEST"), p("DEBUG", "DIGEST"), "what the primary has, the replica takes")


def test(module):
    with Server(module, ["INITIAL_SIZE", "20"]) as primary:
        p = primary.client()
        p("BF.MADD", "before", *range(100))
        options = [f"replicaof 127.0.0.1 {primary.port}"]
        with Server(module, ["INITIAL_SIZE", "500", "ERROR_RATE", "0.2"], options) as replica:
            s = replica.client()
            caught_up(p, s)
            writes(p)
            p("CONFIG", "SET", "bf.bf-expansion-factor", "3")
            p("BF.RESERVE", "reserved with a new default", "0.01", "10")
            p("BF.MADD", "made with a new default", *range(100))
            caught_up(p, s)
            check(s("DEBUG", "DIGEST"), p("DEBUG", "DIGEST"))
            names = sorted(p("KEYS", "*"))
            check(sorted(s("KEYS", "*")), names)
            for name in names:
                check(s("DUMP", name) == p("DUMP", name), True, name)
            hears_of_changes_only(p)
    refused_growth(module)
    replica_with_a_lower_limit(module)


main(test)
