"""BF.RESERVE with COUNTING, WINDOW, LAYOUT BLOCK and SECRET: replies in both protocols, refusals, and what filters promise."""
import random
import re
import time

from harness import OK, WRONG_TYPE, Map, Refused, Server, Simple, arity, check, main

BAD_WINDOW = Refused("ERR WINDOW takes whole seconds from 1 to 2147483647")
BAD_SLICES = Refused("ERR SLICES takes a number from 2 to 64, and goes with WINDOW")
BAD_LAYOUT = Refused("ERR LAYOUT takes BLOCK")
NOT_COUNTING = Refused("ERR only a filter made with BF.RESERVE ... COUNTING can delete items")
NO_WINDOW = Refused("ERR only a filter made with BF.RESERVE ... WINDOW rotates")
FROM_PRIMARY = Refused("ERR START and SECRETBYTES are what a primary tells its replicas")
MIXED = Refused("ERR filters made with and without COUNTING, WINDOW, LAYOUT or SECRET cannot be merged")
FULL = Refused("ERR non scaling filter is full")
KINDS = {"counting": ["COUNTING"], "window": ["WINDOW", "3600"], "block": ["LAYOUT", "BLOCK"], "secret": ["SECRET"],
         "both": ["COUNTING", "SECRET"], "all": ["LAYOUT", "BLOCK", "WINDOW", "3600", "SLICES", "3", "SECRET", "EXPANSION", "4"]}
NAMES = ["Capacity", "Size", "Number of filters", "Number of items inserted", "Expansion rate", "Layout", "Counting", "Window",
         "Slices", "Secret"]


def now():
    return int(time.time() * 1000)


def words(r):
    def reserve(*options):
        return r("BF.RESERVE", "w", "0.01", "10", *options)
    for options, expected in [
            (["COUNTING", "JUNK"], Refused("ERR unknown option; COUNTING, WINDOW, SLICES, LAYOUT, PART, SECRET, EXPANSION and "
                                           "NONSCALING go together")),
            (["SECRET", "secret"], Refused("ERR an option is given twice")),
            (["WINDOW"], BAD_WINDOW), (["WINDOW", "0"], BAD_WINDOW), (["WINDOW", "1.5"], BAD_WINDOW),
            (["WINDOW", "9", "SLICES", "1"], BAD_SLICES), (["SECRET", "SLICES", "4"], BAD_SLICES),
            (["LAYOUT"], BAD_LAYOUT), (["LAYOUT", "CLASSIC"], BAD_LAYOUT),
            (["COUNTING", "LAYOUT", "BLOCK"],
             Refused("ERR COUNTING and LAYOUT BLOCK exclude each other: a block has no counters")),
            (["COUNTING", "WINDOW", "9"],
             Refused("ERR COUNTING and WINDOW exclude each other: a filter forgets on demand or by time")),
            (["SECRET", "SECRETBYTES", "00" * 16], FROM_PRIMARY), (["WINDOW", "9", "START", "5"], FROM_PRIMARY),
            (["COUNTING", "EXPANSION"], Refused("ERR no expansion")),
            (["COUNTING", "EXPANSION", "x"], Refused("ERR bad expansion")),
            (["COUNTING", "EXPANSION", "2", "NONSCALING"], Refused("Nonscaling filters cannot expand"))]:
        check(reserve(*options), expected, options)
    check(r("BF.RESERVE", "w", "x", "10", "SECRET"), Refused("ERR bad error rate"))
    check(r("BF.RESERVE", "w", "0.1", "0", "SECRET"), Refused("ERR capacity must be in the range [1, 1073741824]"))
    check(r("EXISTS", "w"), 0)
    check(reserve("JUNK", "SLICES", "START"), OK, "without one of the four, words mean what they mean to the peer")
    check(r("TYPE", "w"), Simple("MBbloom--"))
    check(reserve("EXPANSION", "2", "A", "B"), arity("bf.reserve"), "and there are at most seven")
    for kind, options in KINDS.items():
        check(r("BF.RESERVE", kind, "0.01", "100", *options), OK, kind)
        check(r("TYPE", kind), Simple("BLOOMERY1"), kind)
        check(r("BF.RESERVE", kind, "0.01", "100", *options), Refused("ERR item exists"))
        check(r("BF.RESERVE", kind, "0.01", "100"), Refused("ERR item exists"))
        check(r("BF.RESERVE", kind, "x", "100"), Refused("ERR bad error rate"), "what is said is checked first")
    check(reserve("SECRET"), Refused("ERR item exists"), "on a filter of the peer's type")
    r("SET", "text", "x")
    check(r("BF.RESERVE", "text", "0.01", "10", "SECRET"), WRONG_TYPE)
    check([r("BF.DEL", "none", "x"), r("BF.DEL", "text", "x"), r("BF.DEL", "w", "x"), r("BF.DEL", "block", "x")],
          [Refused("ERR not found"), WRONG_TYPE, NOT_COUNTING, NOT_COUNTING])
    check([r("BF.ROTATE", "none"), r("BF.ROTATE", "text"), r("BF.ROTATE", "w"), r("BF.ROTATE", "block")],
          [Refused("ERR not found"), WRONG_TYPE, NO_WINDOW, NO_WINDOW])
    for bad in ("x", "-1", str(2**53)):
        check(r("BF.ROTATE", "window", bad), Refused("ERR the time is in milliseconds since 1970"))
    check([r("BF.DEL", "w"), r("BF.ROTATE", "w", "1", "2")], [arity("bf.del"), arity("bf.rotate")])


def replies(r, resp):
    yes, no = (True, False) if resp == 3 else (1, 0)
    for kind in KINDS:
        key = f"{kind} {resp}"
        check(r("BF.RESERVE", key, "0.01", "100", *KINDS[kind]), OK)
        check([r("BF.ADD", key, "a"), r("BF.ADD", key, "a")], [yes, no], kind)
        check(r("BF.MADD", key, "a", "b", "b", ""), [no, yes, no, yes])
        check(r("BF.INSERT", key, "NOCREATE", "CAPACITY", "5", "ITEMS", "b", "c"), [no, yes])
        check(r("BF.INSERT", key, "WHAT", "b"), Refused("Unknown argument received"))
        check([r("BF.EXISTS", key, "a"), r("BF.EXISTS", key, "z")], [yes, no])
        check(r("BF.MEXISTS", key, "", "z", "c"), [yes, no, yes])
        counting = "COUNTING" in KINDS[kind]
        items = 8 if counting else 4
        check(r("BF.CARD", key), items, "copies are counted where they can be deleted")
        info = r("BF.INFO", key)
        pairs = list(info) if resp == 3 else list(zip(info[::2], info[1::2]))
        check(isinstance(info, Map), resp == 3)
        check([str(name) for name, _ in pairs], NAMES)
        values = dict(pairs)
        window = int(KINDS[kind][KINDS[kind].index("WINDOW") + 1]) if "WINDOW" in KINDS[kind] else None
        slices = {"window": 8, "all": 3}.get(kind)
        check([values[name] for name in NAMES[2:]],
              [1, items, 4 if kind == "all" else 2, b"block" if "BLOCK" in KINDS[kind] else b"classic", yes if counting else no,
               window, slices, yes if "SECRET" in KINDS[kind] else no], kind)
        for word in ("CAPACITY", "size", "FILTERS", "ITEMS", "EXPANSION", "Layout", "COUNTING", "WINDOW", "SLICES", "SECRET"):
            name, value = pairs[[w.upper() for w in ("CAPACITY", "SIZE", "FILTERS", "ITEMS", "EXPANSION", "LAYOUT", "COUNTING",
                                                     "WINDOW", "SLICES", "SECRET")].index(word.upper())]
            check(r("BF.INFO", key, word), Map([(name, value)]) if resp == 3 else [value], word)
        check(r("BF.INFO", key, "JUNK"), Refused("Invalid information value"))
        health = r("BF.HEALTH", key)
        health = dict(health) if resp == 3 else dict(zip(health[::2], health[1::2]))
        check(list(map(str, health)), ["Fill", "Number of items inserted", "Estimated items", "Design error rate",
                                       "Error rate now", "Verdict", *NAMES[5:], "Filters"])
        # A secret is new in every run, and bits of four keys may coincide.
        check(health["Estimated items"] in ((3, 4, 5) if "SECRET" in KINDS[kind] else (4,)), True, kind)
        check([health["Verdict"], len(health["Filters"])], [b"ok", 1])
        debug = r("BF.DEBUG", key)
        check(debug[0], b"size:%d" % items)
        check(re.fullmatch(rb"bytes:\d+ bits:\d+ hashes:\d+ hashwidth:128 capacity:\d+ size:\d+ ratio:\S+( start:\d+)?",
                           debug[1]) is not None, True, debug[1])
        check(r("BF.CLEAR", key), OK)
        check([r("BF.CARD", key), r("BF.EXISTS", key, "a")], [0, no])
        if counting:
            r("BF.MADD", key, "a", "a")
            check([r("BF.DEL", key, "a") for _ in range(3)], [yes, yes, no])


def full(r):
    for kind in ("counting", "block", "secret", "window"):
        key = f"full {kind}"
        r("BF.RESERVE", key, "0.001", "16", "NONSCALING", *KINDS[kind])
        size = 2 if kind == "window" else 16  # of one slice of eight
        check(r("BF.MADD", key, *range(size)), [1] * size)
        check(r("BF.MADD", key, "0", "new", "1"), [0, FULL], "a full filter ends the answers")
        check(r("BF.ADD", key, "new"), FULL)
        check(r("BF.INFO", key, "EXPANSION"), [None])
    check(r("BF.DEL", "full counting", "5"), 1)
    check(r("BF.ADD", "full counting", "new"), 1, "what was deleted makes room")
    for kind in ("counting", "block", "secret", "window"):
        key = f"grown {kind}"
        r("BF.RESERVE", key, "0.01", "50", *KINDS[kind])
        for at in range(0, 5000, 250):
            r("BF.MADD", key, *range(at, at + 250))
        check(all(r("BF.MEXISTS", key, *range(5000))), True, key)
        check(sum(r("BF.MEXISTS", key, *range(100_000, 110_000))) < 150, True, "1 % of 10,000 are 100")
        check(r("BF.INFO", key, "FILTERS")[0] > 4, True)


def multiset(r):
    """Whatever comes in between, an item is in as long as it was added more often than deleted."""
    source, exact = random.Random(1), {}
    r("BF.RESERVE", "multiset", "0.02", "30", "COUNTING")
    for step in range(60):
        adds = [str(source.randrange(2000 if step % 20 < 10 else 30)) for _ in range(100)]
        adds = [item for item in adds if exact.get(item, 0) + adds.count(item) < 12]
        if adds:
            r("BF.MADD", "multiset", *adds)
        for item in adds:
            exact[item] = exact.get(item, 0) + 1
        gone = []
        for item in source.sample(sorted(exact), min(len(exact), 70)):
            if exact[item] > 0:
                exact[item] -= 1
                gone.append(("BF.DEL", "multiset", item))
        check(set(r.all(gone)) if gone else {1}, {1}, "every item that is in can be deleted")
        held = [item for item, count in exact.items() if count > 0]
        check(all(r("BF.MEXISTS", "multiset", *held)), True, f"step {step}")
        check(r("BF.CARD", "multiset"), sum(exact.values()))
    for item, count in exact.items():
        r.all([("BF.DEL", "multiset", item)] * count)
    check([r("BF.CARD", "multiset"), r("BF.INFO", "multiset", "FILTERS")], [0, [1]])
    check(any(r("BF.MEXISTS", "multiset", *exact)), False)


def window(r):
    """BF.ROTATE with a time begins slices early, and ends none before its time: no argument makes a filter forget."""
    check(r("BF.RESERVE", "t", "0.001", "100", "WINDOW", "40", "SLICES", "4", "LAYOUT", "BLOCK"), OK)
    start = int(re.search(rb"start:(\d+)", r("BF.DEBUG", "t")[1])[1])
    check(abs(start - now()) < 60_000, True)
    check(r("BF.ROTATE", "t"), 0, "nothing is due")
    check(r("BF.ROTATE", "t", start + 9999), 0)
    for step in range(6):
        check(r("BF.ADD", "t", f"step {step}"), 1)
        check(r("BF.ADD", "t", "always"), 1 if step == 0 else 0)
        held = r("BF.MEXISTS", "t", *[f"step {i}" for i in range(step + 1)])
        check(held, [1] * (step + 1), "nothing is forgotten")
        check(r("BF.EXISTS", "t", "always"), 1, "what is added again stays")
        check(r("BF.ROTATE", "t", start + 10_000 * (step + 1)), 1 if step < 4 else 0)
    for time_given in (0, start - 5_000_000, start - 1, start + 5_000_000, now() + 10**12):
        r("BF.ROTATE", "t", time_given)
        check(r("BF.MEXISTS", "t", *[f"step {i}" for i in range(6)], "always"), [1] * 7, f"BF.ROTATE to {time_given}")
    r("BF.RESERVE", "short", "0.001", "100", "WINDOW", "1", "SLICES", "2")
    r("BF.ADD", "short", "x")
    added = time.monotonic()
    while r("BF.EXISTS", "short", "x"):  # the one test that waits for the clock: 1 to 1.5 seconds
        if time.monotonic() - added > 10:
            break
        time.sleep(0.01)
    lived = time.monotonic() - added
    check(0.95 < lived < 1.8, True, f"an item of a window of 1 s lived for {lived} s")
    check([r("BF.CARD", "short"), len(r("BF.DEBUG", "short"))], [0, 2], "what is over is not asked, though it is still there")
    check(r("BF.ROTATE", "short"), 1, "what the clock says")
    check(r("BF.ADD", "short", "x"), 1)


def merges(r):
    for kind in ("counting", "block", "window"):
        for name, items in (("a", range(30)), ("b", range(20, 60))):
            r("BF.RESERVE", f"{kind}.{name}", "0.01", "100", *KINDS[kind])
            for at in items:
                r("BF.ADD", f"{kind}.{name}", at)
        a, b, union = f"{kind}.a", f"{kind}.b", f"{kind}.union"
        forced = ["FORCE"] if kind == "window" else []
        reply = r("BF.MERGE", union, 2, a, b, *forced)
        if kind == "window":  # one slice of it has grown: shapes differ
            check("layers" in str(reply) or reply == OK, True, reply)
            if reply != OK:
                continue
        check(reply, OK, kind)
        check(all(r("BF.MEXISTS", union, *range(60))), True, kind)
        check(r("BF.MERGE", a, 1, b, *forced), OK)
        check(r("DEBUG", "DIGEST-VALUE", a), r("DEBUG", "DIGEST-VALUE", union), "the same union on either way")
    check([r("BF.DEL", "counting.union", "25") for _ in range(3)], [1, 1, 0], "counts add up")
    check(r("BF.MERGE", "block.a", 1, "block.a"), OK)
    r("BF.ADD", "plain", "x")
    r("BF.RESERVE", "secret.a", "0.01", "100", "LAYOUT", "BLOCK", "SECRET")
    check([r("BF.MERGE", "block.a", 1, "plain"), r("BF.MERGE", "plain", 1, "block.a"), r("BF.MERGE", "new", 2, "block.a", "plain")],
          [MIXED, WRONG_TYPE, MIXED])
    check(r("BF.MERGE", "block.a", 1, "secret.a"),
          Refused("ERR the filters hash differently: a SECRET is that of one filter and its copies"))
    check(r("BF.MERGE", "block.a", 1, "counting.b"), Refused("ERR the filters have different layouts or windows"))
    check(r("BF.MERGE", "new", 2, "block.a", "none"), Refused("ERR not found"))
    check(r("EXISTS", "new"), 0)
    r("COPY", "secret.a", "secret.b")
    r("BF.MADD", "secret.a", 1, 2)
    r("BF.MADD", "secret.b", 3, 4)
    check(r("BF.MERGE", "secret.a", 1, "secret.b"), OK, "a copy has the same secret")
    check(all(r("BF.MEXISTS", "secret.a", 1, 2, 3, 4)), True)


def one_item_at_a_time(r):
    """The short path of BF.ADD and BF.EXISTS, across growth, several filters and their end."""
    for key in ("first", "second"):
        check(r("BF.RESERVE", key, "0.001", "100", "LAYOUT", "BLOCK"), OK)
    check(r("BF.RESERVE", "hidden", "0.001", "100", "LAYOUT", "BLOCK", "SECRET"), OK)
    r("BF.ADD", "plain", "x")
    check([r("BF.ADD", "first", i) for i in range(300)], [1] * 300, "with a growth")
    check([r("BF.EXISTS", key, 7) for key in ("first", "second", "first", "plain", "hidden", "first")], [1, 0, 1, 0, 0, 1])
    check([r("BF.ADD", key, "new") for key in ("second", "second", "hidden", "hidden", "plain", "plain")], [1, 0] * 3)
    check([r("BF.EXISTS", "first", i) for i in (1, 2, 3)], [1, 1, 1])
    for command in ("DEL", "UNLINK", "BF.CLEAR"):
        r(command, "first")
        check([r("BF.EXISTS", key, "new") for key in ("first", "second", "second", "second")], [0, 1, 1, 1], command)
        r("BF.RESERVE", "first", "0.001", "100", "LAYOUT", "BLOCK")
        check([r("BF.ADD", "first", i) for i in (1, 2, 1)], [1, 1, 0], command)
    check(r("BF.INFO", "first", "ITEMS"), [2])
    r("DEL", "first", "second", "hidden", "plain")


def documented(r):
    for command, least, flags in (("bf.del", 3, {"write", "module", "fast"}), ("bf.rotate", -2, {"write", "module"})):
        row = r("COMMAND", "INFO", command)[0]
        check([row[1], set(map(str, row[2]))], [least, flags], command)
        check(r("COMMAND", "GETKEYS", command, "k", "x"), [b"k"])
    docs = str(r("COMMAND", "DOCS", "bf.reserve"))
    check(all(word in docs for word in ("COUNTING", "WINDOW", "SLICES", "LAYOUT", "BLOCK", "SECRET")), True)


def test(module):
    with Server(module) as server:
        words(server.client())
        for resp in (2, 3):
            replies(server.client(resp), resp)
        r = server.client()
        full(r)
        multiset(r)
        window(r)
        merges(r)
        one_item_at_a_time(r)
        documented(r)


main(test)
