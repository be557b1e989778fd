"""What MEMORY USAGE, INFO and the process itself say; freeing, defragmentation, events, watchers."""
from harness import OK, Refused, Server, check, main, until


def field(r, section, name):
    return int(r("INFO", section).split(name.encode() + b":")[1].split(b"\r\n")[0])


def cpu_seconds(r):
    """What the server computed: a busy machine does not add to it."""
    times = dict(line.split(b":") for line in r("INFO", "cpu").split(b"\r\n") if b":" in line)
    return float(times[b"used_cpu_sys"]) + float(times[b"used_cpu_user"])


def sizes(r):
    """32, 64 for each sub-filter, and the bytes; the server adds the key's own."""
    def usage(key):
        return r("MEMORY", "USAGE", key) - r("BF.INFO", key, "SIZE")[0]
    r("BF.RESERVE", "a", "0.001", "100")
    check(r("BF.INFO", "a", "SIZE"), [296])
    r("BF.ADD", "b", "x")
    check(r("BF.INFO", "b", "SIZE"), [240])
    r("BF.RESERVE", "c", "0.01", "10")
    for i in range(100):
        r("BF.ADD", "c", i)
    check(r("BF.INFO", "c", "SIZE"), [32 + 4 * 64 + 16 + 32 + 72 + 160])
    check(usage("a"), usage("b"))
    check(usage("a"), usage("c"))


def lazy(server, r):
    """Gigabytes are reserved, grown into and freed without being touched."""
    resident = lambda: field(r, "memory", "used_memory_rss")
    before, used = resident(), field(r, "memory", "used_memory")
    started = cpu_seconds(r)
    check(r("BF.RESERVE", "large", "0.01", "500000000"), OK)  # 690 MB
    check(r("BF.ADD", "large", "x"), 1)
    check(cpu_seconds(r) - started < 0.5, True, "made at once")
    check(field(r, "memory", "used_memory") - used > 600_000_000, True, "the server counts it")
    check(resident() - before < 50_000_000, True, "its pages are not touched")
    check(r("BF.RESERVE", "grows", "0.01", "1", "EXPANSION", "32768"), OK)
    started = cpu_seconds(r)
    r("BF.MADD", "grows", *range(40000))  # 1, 32768 and 1073741824 items: 2.2 GB
    check(r("BF.INFO", "grows", "FILTERS"), [3])
    check(cpu_seconds(r) - started < 1, True, "grown at once")
    check(resident() - before < 400_000_000, True, "only what keys touched")
    huge = r("BF.RESERVE", "huge", "0.0000000000000000001", "1073741824")  # 13 GB, where the kernel promises as much
    check(huge in (OK, Refused("ERR Insufficient memory to create filter")), True, huge)
    r("DEL", "huge")


def freed(r):
    check(r("BF.RESERVE", "unlinked", "0.01", "1000000"), OK)
    before = field(r, "stats", "lazyfreed_objects") if b"lazyfreed_objects" in r("INFO", "stats") else \
        field(r, "memory", "lazyfreed_objects")
    filters = field(r, "bf_bloom", "bf_filters")
    check(r("UNLINK", "unlinked"), 1)
    check(until(lambda: field(r, "memory", "lazyfreed_objects") == before + 1), True, "freed in the background")
    check(until(lambda: field(r, "bf_bloom", "bf_filters") == filters - 1), True)
    r("BF.RESERVE", "small", "0.01", "10")
    check(r("UNLINK", "small"), 1)
    check(field(r, "memory", "lazyfreed_objects"), before + 1, "a small one at once")


def statistics(r):
    r("FLUSHALL", "SYNC")  # Valkey frees in the background unless asked
    check([field(r, "bf_bloom", name) for name in ("bf_filters", "bf_bytes", "bf_saturated_filters")], [0, 0, 0])
    r("BF.RESERVE", "k", "0.01", "2", "NONSCALING")
    check(field(r, "bf_bloom", "bf_bytes"), 8)
    r("BF.MADD", "k", "a", "b")
    check(field(r, "bf_bloom", "bf_saturated_filters"), 1)
    r("COPY", "k", "c")
    check([field(r, "bf_bloom", name) for name in ("bf_filters", "bf_bytes", "bf_saturated_filters")], [2, 16, 2])
    r("DEL", "k", "c")
    check([field(r, "bf_bloom", name) for name in ("bf_filters", "bf_bytes", "bf_saturated_filters")], [0, 0, 0])
    rejected = field(r, "bf_bloom", "bf_rejected_loads")
    r("BF.LOADCHUNK", "k", 1, "junk")
    check(field(r, "bf_bloom", "bf_rejected_loads"), rejected + 1)


def events(server, r):
    r("CONFIG", "SET", "notify-keyspace-events", "KEAd")
    listener = server.client()
    check(listener("PSUBSCRIBE", "__keyevent@0__:bloom.*")[0], b"psubscribe")
    r("BF.RESERVE", "e", "0.01", "10")
    r("BF.ADD", "e", "x")
    r("BF.ADD", "e", "x")
    r("BF.ADD", "made", "x")
    r("BF.LOADCHUNK", "loaded", 1, r("BF.SCANDUMP", "e", 0)[1])
    heard = [(listener.read()[2].split(b":")[1]) for _ in range(5)]
    check(heard, [b"bloom.reserve", b"bloom.add", b"bloom.reserve", b"bloom.add", b"bloom.load"])
    listener.close()
    watcher = server.client()
    for change, outcome in ((("BF.ADD", "e", "x"), [b"PONG"]), (("BF.ADD", "e", "new"), None)):
        watcher("WATCH", "e")
        r(*change)
        watcher("MULTI")
        watcher("PING")
        reply = watcher("EXEC")
        check(reply is None, outcome is None, f"{change} and a watcher")


def out_of_memory(r):
    r("BF.RESERVE", "oom", "0.01", "10")
    r("CONFIG", "SET", "maxmemory", "1")
    for command in (("BF.ADD", "oom", "x"), ("BF.RESERVE", "p", "0.01", "10"), ("BF.INSERT", "oom", "ITEMS", "x"),
                    ("BF.LOADCHUNK", "oom", "2", "x"), ("BF.MADD", "oom", "x")):
        reply = r(*command)
        check(isinstance(reply, Refused) and reply.startswith("OOM"), True, f"{command}: {reply!r}")
    check(r("BF.EXISTS", "oom", "x"), 0)
    r("CONFIG", "SET", "maxmemory", "0")


def defragmentation(r):
    if isinstance(r("CONFIG", "SET", "activedefrag", "yes"), Refused):
        print("note: this server cannot defragment")
        return
    for i in range(2000):
        r("BF.ADD", f"d{i}", i)
    digest = r("DEBUG", "DIGEST")
    r("CONFIG", "SET", "active-defrag-ignore-bytes", "1", "active-defrag-threshold-lower", "0")
    until(lambda: field(r, "stats", "active_defrag_key_hits") > 100, 5)
    check(r("DEBUG", "DIGEST"), digest)


def test(module):
    with Server(module, options=["lazyfree-lazy-user-del no"]) as server:
        r = server.client()
        sizes(r)
        lazy(server, r)
        freed(r)
        statistics(r)
        events(server, r)
        out_of_memory(r)
        defragmentation(r)


main(test)
