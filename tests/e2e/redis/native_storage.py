"""Filters of our own type saved, rewritten, dumped, loaded in pieces, copied, replicated and freed: the same bytes everywhere,
and the secret nowhere to be seen."""
import pathlib
import re
import subprocess
import sys
import tempfile

from harness import OK, Refused, Server, caught_up, check, chunks_of, main, until

LOADING = Refused("ERR the filter is being loaded: BF.LOADCHUNK has not brought its last chunk")
BAD = Refused("ERR received bad data")
OPTIONS = {"counting": ["COUNTING"], "block": ["LAYOUT", "BLOCK"], "secret": ["SECRET"], "window": ["WINDOW", "3600", "SLICES", "3"],
           "all": ["WINDOW", "3600", "LAYOUT", "BLOCK", "SECRET", "EXPANSION", "3"], "full": ["NONSCALING", "COUNTING", "SECRET"]}


def fill(r):
    for name, options in OPTIONS.items():
        check(r("BF.RESERVE", name, "0.01", "50", *options), OK)
        r("BF.MADD", name, *range(40))
        if name not in ("full", "window"):
            r("BF.MADD", name, *range(40, 300))
    for name in ("window", "all"):
        turn(r, name, 1)
        r("BF.MADD", name, *range(5))
    r("BF.DEL", "counting", "7")
    r("BF.RESERVE", "empty", "0.001", "100", "SECRET", "LAYOUT", "BLOCK")
    r("BF.RESERVE", "large", "0.01", "15000000", "LAYOUT", "BLOCK")  # 18 MB: more than one piece
    r("BF.MADD", "large", *range(1000))


NAMES = [*OPTIONS, "empty", "large"]


def turn(r, name, spans):
    """A slice begun early, so many spans after the newest; no slice that still answers ends by it."""
    start = max(map(int, re.findall(rb"start:(\d+)", b" ".join(r("BF.DEBUG", name)))))
    seconds, slices = r("BF.INFO", name, "WINDOW")[0], r("BF.INFO", name, "SLICES")[0]
    check(r("BF.ROTATE", name, start + spans * -(-seconds * 1000 // slices)), 1)


def pieces(r, key):
    return chunks_of(r, "BF", key)


def state(r):
    return dict(zip(NAMES, r("DEBUG", "DIGEST-VALUE", *NAMES)))


def use(r, key):
    """What came back is a filter that works as the original."""
    check(all(r("BF.MEXISTS", key, *range(5))), True, key)
    check(r("BF.MADD", key, "one more")[0] in (0, 1), True, key)


def rdb_and_aof(module):
    with Server(module) as server:
        r = server.client()
        fill(r)
        before = state(r)
        check(len(set(before.values())), len(NAMES), "digests tell filters apart")
        check(r("SAVE"), OK)
        server.restart()
        r = server.client()
        check(state(r), before, "SAVE and a restart")
        check(r("DEBUG", "RELOAD"), OK)
        check(state(r), before, "DEBUG RELOAD")
        use(r, "all")
    for preamble in ("no", "yes"):
        with Server(module, options=["appendonly yes", f"aof-use-rdb-preamble {preamble}", "appendfsync no"]) as server:
            r = server.client()
            fill(r)
            before = state(r)
            server.restart()
            r = server.client()
            check(state(r), before, "a restart from commands")
            half_loaded(r)
            r("BGREWRITEAOF")
            check(until(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                        and b"aof_rewrite_scheduled:0" in r("INFO", "persistence")), True)
            check(b"aof_last_bgrewrite_status:ok" in r("INFO", "persistence"), True)
            server.restart()
            r = server.client()
            check(state(r), before, f"a rewrite with preamble {preamble}")
            finish_half(r)


def half_loaded(r):
    """A load that stops between two pieces, and one that stops within a header."""
    parts = pieces(r, "counting")
    for iterator, piece in parts[:-2]:
        check(r("BF.LOADCHUNK", "half", iterator, piece), OK)
    iterator, piece = parts[-2]
    check(len(piece), 128)
    check(r("BF.LOADCHUNK", "half", iterator - 100, piece[:28]), OK, "any pieces, in their order")


def finish_half(r):
    for command in (("BF.ADD", "half", "x"), ("BF.EXISTS", "half", "x"), ("BF.INFO", "half"), ("BF.SCANDUMP", "half", 0),
                    ("BF.CARD", "half"), ("BF.DEL", "half", "x"), ("BF.MERGE", "half", 1, "counting"), ("BF.CLEAR", "half"),
                    ("BF.RESERVE", "half", "0.01", "10", "SECRET"), ("BF.HEALTH", "half"), ("BF.DEBUG", "half"),
                    ("BF.MERGE", "counting", 1, "half")):
        check(r(*command), LOADING, command)
    check(isinstance(r("COPY", "half", "copied"), Refused), True, "half a filter is not copied")
    check(r("EXISTS", "copied"), 0)
    check(r("RESTORE", "copied", 0, r("DUMP", "half")), Refused("ERR Bad data format"), "half a filter is not restored")
    parts = pieces(r, "counting")
    (at, header), (end, body) = parts[-2:]
    check(r("BF.LOADCHUNK", "half", end, body), Refused("ERR invalid offset - no link found"), "not the next bytes")
    check(r("BF.LOADCHUNK", "half", at, header[28:]), OK)
    check(r("BF.LOADCHUNK", "half", end, body), OK)
    check(len(set(r("DEBUG", "DIGEST-VALUE", "half", "counting"))), 1)
    check(r("BF.LOADCHUNK", "half", end, body), Refused("ERR invalid offset - no link found"), "it is whole")
    use(r, "half")
    r("DEL", "half")


def dumps(module):
    with Server(module) as server, Server(module) as other:
        r, o = server.client(), other.client()
        fill(r)
        before = state(r)
        for name in NAMES:
            payload = r("DUMP", name)
            check(o("RESTORE", name, 0, payload), OK)
            check(r("COPY", name, "copied"), 1)
            check(r("DEBUG", "DIGEST-VALUE", "copied"), [before[name]])
            r("BF.ADD", "copied", "something else entirely")
            check(r("DEBUG", "DIGEST-VALUE", name), [before[name]], "a copy is its own")
            r("DEL", "copied")
        check(state(o), before, "DUMP and RESTORE in another server")
        o("FLUSHALL")
        for name in NAMES:
            parts = pieces(r, name)
            check(max(len(piece) for _, piece in parts) <= 16 << 20, True)
            for iterator, piece in parts:
                check(o("BF.LOADCHUNK", name, iterator, piece), OK)
            check([r("BF.SCANDUMP", name, parts[-1][0]), r("BF.SCANDUMP", name, -1)], [[0, b""]] * 2)
        check(len(pieces(r, "large")), 4, "the manifest, a header, and a body in two pieces")
        check(state(o), before, "SCANDUMP and LOADCHUNK in another server")
        for name in NAMES:
            check(o("BF.MEXISTS", name, *range(50)), r("BF.MEXISTS", name, *range(50)))
            if name != "empty":
                use(o, name)
        damaged(r, o)


def damaged(r, o):
    parts = pieces(r, "block")
    manifest, (at, header), (end, body) = parts[0][1], parts[1], parts[2]
    o("FLUSHALL")
    check(o("BF.LOADCHUNK", "bad", 1, manifest[:-1] + b"!"), BAD)
    check(o("BF.LOADCHUNK", "bad", 1, manifest[:20]), BAD)
    check(o("EXISTS", "bad"), 0)
    for wrong_header, wrong_body in ((header[:-1] + b"!", body), (header, b"!" + body[1:])):
        check(o("BF.LOADCHUNK", "bad", 1, manifest), OK)
        replies = [o("BF.LOADCHUNK", "bad", at, wrong_header), o("BF.LOADCHUNK", "bad", end, wrong_body)]
        check(BAD in replies, True, replies)
        check(o("EXISTS", "bad"), 0, "what cannot become whole is freed")


def native_files(module, command):
    """After the manifest a dump is a file of our own format, and the bloomery command answers as the server does."""
    if command is None:
        print("note: the bloomery command was not given")
        return
    with Server(module) as server, tempfile.TemporaryDirectory() as directory:
        r = server.client()
        for name, options in (("block", ["LAYOUT", "BLOCK"]), ("counting", ["COUNTING"]), ("secret", ["SECRET", "LAYOUT", "BLOCK"])):
            r("BF.RESERVE", name, "0.01", "1000", *options)
            r("BF.MADD", name, *range(500))
            parts = pieces(r, name)
            path = pathlib.Path(directory, name + ".bloom")
            path.write_bytes(b"".join(piece for _, piece in parts[1:]))
            secret = pathlib.Path(directory, "secret")
            secret.write_bytes(parts[0][1][44:60])
            more = ["--secret-file", str(secret)] if "SECRET" in options else []
            items = [str(i) for i in range(3000)]
            asked = subprocess.run([command, "query", str(path), *more], input="\n".join(items) + "\n", capture_output=True,
                                   text=True, check=False)
            held = [item for item, answer in zip(items, r("BF.MEXISTS", name, *items)) if answer]
            check(asked.stdout.split() == held, True, f"{name}: {asked.stderr[:200]}")


def replicas(module):
    with Server(module) as primary:
        p = primary.client()
        fill(p)
        half_loaded(p)
        with Server(module, ["bf-filter-memory-limit", "64", "INITIAL_SIZE", "7"],
                    [f"replicaof 127.0.0.1 {primary.port}", "appendonly yes", "slowlog-log-slower-than 0"]) as replica:
            s = replica.client()
            caught_up(p, s)
            monitor = replica.client()
            check(monitor("MONITOR"), OK)
            p("RENAME", "counting", "counted")
            p("RENAME", "counted", "counting")
            finish_half(p)
            for kind, options in OPTIONS.items():
                p("BF.RESERVE", "live " + kind, "0.013", "33", *options)
                p("BF.MADD", "live " + kind, *range(100))
            p("BF.RESERVE", "short", "0.01", "100", "WINDOW", "1", "SLICES", "4", "SECRET")
            check(until(lambda: p("BF.ADD", "short", "x") in (0, 1) and len(p("BF.DEBUG", "short")) > 4), True,
                  "the primary's clock turns the window while it writes")
            turn(p, "live window", 2)
            turn(p, "live all", 7)
            p("BF.MADD", "live all", *range(5))
            p("BF.DEL", "live counting", "1")
            p("BF.MERGE", "union", 1, "live block")
            p("BF.CLEAR", "live secret")
            damaged(p, p)
            fill(p)
            caught_up(p, s)
            check(s("DEBUG", "DIGEST"), p("DEBUG", "DIGEST"))
            names = p("KEYS", "*")
            check(s("DEBUG", "DIGEST-VALUE", *names), p("DEBUG", "DIGEST-VALUE", *names))
            p("SET", "end of the monitor", "x")
            hidden(p, s, monitor, names)
            replica.restart()
            check(replica.client()("DEBUG", "DIGEST-VALUE", *names), p("DEBUG", "DIGEST-VALUE", *names),
                  "and what the replica wrote to its own file")


def hidden(p, s, monitor, names):
    """The secrets, taken from the dumps, are in no reply and no log."""
    secrets = []
    for name in names:
        if p("TYPE", name) == "BLOOMERY1" and p("BF.INFO", name, "SECRET") == [1]:
            secrets.append(p("BF.SCANDUMP", name, 0)[1][44:60])
    check([len(secrets) > 3, len(set(secrets)) > 3], [True, True], "each has its own")
    heard = b""
    while b"end of the monitor" not in heard:
        heard += monitor.file.readline()
    check(b"SECRETBYTES" in heard and b"(redacted)" in heard, True, "the monitor heard of it")
    shown = heard + str([s("SLOWLOG", "GET", "-1"), p("SLOWLOG", "GET", "-1")]).encode()
    for name in names:
        shown += str([p("BF.INFO", name), p("BF.DEBUG", name), p("BF.HEALTH", name)]).encode()
    for secret in secrets:
        check(secret.hex().encode() in shown or secret in shown, False, "a secret is shown")


def memory(module):
    def field(section, name):
        return int(r("INFO", section).split(name.encode() + b":")[1].split(b"\r\n")[0])
    with Server(module) as server:
        r = server.client()
        r("CONFIG", "SET", "notify-keyspace-events", "KEAd")
        listener = server.client()
        listener("PSUBSCRIBE", "__keyevent@0__:bloom.*")
        r("BF.RESERVE", "c", "0.01", "100", "COUNTING")
        r("BF.ADD", "c", "x")
        r("BF.DEL", "c", "x")
        r("BF.RESERVE", "w", "0.01", "100", "WINDOW", "9")
        turn(r, "w", 1)
        check([listener.read()[2].split(b":")[1] for _ in range(5)],
              [b"bloom.reserve", b"bloom.add", b"bloom.del", b"bloom.reserve", b"bloom.rotate"])
        check(r("MEMORY", "USAGE", "c") >= r("BF.INFO", "c", "SIZE")[0], True)
        resident = field("memory", "used_memory_rss")
        for options in (["LAYOUT", "BLOCK"], ["COUNTING"], ["SECRET", "WINDOW", "60", "SLICES", "2"]):
            check(r("BF.RESERVE", options[0], "0.01", "100000000", *options), OK)
            check(r("BF.ADD", options[0], "x"), 1)
            check(r("MEMORY", "USAGE", options[0]) > 60_000_000, True)
        turn(r, "SECRET", 1)
        check(field("memory", "used_memory_rss") - resident < 60_000_000, True, "pages are not touched before their keys come")
        filters, freed = field("bf_bloom", "bf_filters"), field("memory", "lazyfreed_objects")
        check(r("UNLINK", "LAYOUT", "COUNTING", "SECRET"), 3)
        check(until(lambda: field("memory", "lazyfreed_objects") == freed + 3), True, "freed in the background")
        check(until(lambda: field("bf_bloom", "bf_filters") == filters - 3), True)
        r("FLUSHALL")
        check([field("bf_bloom", name) for name in ("bf_filters", "bf_bytes", "bf_saturated_filters")], [0, 0, 0])
        r("CONFIG", "SET", "bf.bf-filter-memory-limit", "1000")
        check(r("BF.RESERVE", "k", "0.01", "10000", "LAYOUT", "BLOCK"), Refused("ERR Insufficient memory to create filter"))
        r("BF.RESERVE", "k", "0.01", "300", "LAYOUT", "BLOCK")
        check(Refused("ERR problem inserting into filter") in r("BF.MADD", "k", *range(1000)), True)
        check(field("bf_bloom", "bf_saturated_filters"), 1)
        r("CONFIG", "SET", "maxmemory", "1")
        check(r("BF.ADD", "k", "y").startswith("OOM"), True)
        check([r("BF.DEL", "k", "y").startswith("ERR only"), r("BF.CLEAR", "k")], [True, OK], "what frees is allowed")


def test(module):
    rdb_and_aof(module)
    dumps(module)
    native_files(module, sys.argv[3] if len(sys.argv) > 3 else None)
    replicas(module)
    memory(module)


main(test)
