"""BF.MERGE, BF.CLEAR and BF.HEALTH, which RedisBloom does not have: replies, refusals, replication, keys."""
import re

from harness import OK, WRONG_TYPE, Map, Refused, Server, Simple, arity, check, free_port, main, until

NOT_FOUND = Refused("ERR not found")
NUMKEYS = Refused("ERR numkeys is a number from 1 to that of the words after it")
ONLY_FORCE = Refused("ERR only FORCE may follow the sources; see that numkeys counts all of them")
TOO_HIGH = re.compile(r"ERR the union would have an error rate of (\S+), and the filter is designed for (\S+); "
                      r"nothing is changed; say FORCE to merge all the same")


def fill(r, key, items, size="100", rate="0.01", *options):
    check(r("BF.RESERVE", key, rate, size, *options), OK)
    r("BF.MADD", key, *items)


def health(r, key):
    """Names to values, in either protocol; layers too."""
    def pairs(reply):
        return dict(reply) if isinstance(reply, Map) else dict(zip(reply[::2], reply[1::2]))
    found = pairs(r("BF.HEALTH", key))
    found["Filters"] = [pairs(layer) for layer in found["Filters"]]
    return found


def holds(r, key, items):
    check(all(r("BF.MEXISTS", key, *items)), True, f"{key} lost an item")


def dirty(r):
    return int(r("INFO", "persistence").split(b"rdb_changes_since_last_save:")[1].split(b"\r\n")[0])


def merges(r):
    fill(r, "a", range(40))
    fill(r, "b", range(30, 80))
    check(r("BF.MERGE", "new", 2, "a", "b"), OK)
    holds(r, "new", range(80))
    check(r("BF.INFO", "new", "FILTERS"), r("BF.INFO", "a", "FILTERS"))
    check(r("BF.MERGE", "a", 1, "b"), OK, "into one that exists")
    holds(r, "a", range(80))
    check(r("DUMP", "a") == r("DUMP", "new"), True, "the same union on either way")
    before, changes = r("DUMP", "a"), dirty(r)
    check(r("bf.merge", "a", 4, "a", "b", "b", "a", "force"), OK, "what it holds already changes nothing")
    check([r("DUMP", "a") == before, dirty(r)], [True, changes])
    check(r("BF.MERGE", "copy", 2, "a", "a"), OK, "a source named twice counts once")
    check(r("DUMP", "copy") == before, True)


def merges_layers(r):
    fill(r, "grown", range(150))
    fill(r, "grown too", range(1000, 1150))
    check(r("BF.MERGE", "both", 2, "grown", "grown too", "FORCE"), OK)
    holds(r, "both", [*range(150), *range(1000, 1150)])
    check(len(health(r, "both")["Filters"]), 2)
    r("BF.MADD", "both", *range(2000, 2500))
    holds(r, "both", range(2000, 2500))


def refuses_what_is_too_full(r):
    fill(r, "full", range(100), "100", "0.01", "NONSCALING")
    fill(r, "fuller", range(100, 200), "100", "0.01", "NONSCALING")
    before = r("DUMP", "full")
    for destination in ("full", "nowhere"):
        reply = r("BF.MERGE", destination, 2, "full", "fuller")
        said = TOO_HIGH.fullmatch(reply)
        check(isinstance(reply, Refused) and said is not None, True, reply)
    check([r("DUMP", "full") == before, r("EXISTS", "nowhere")], [True, 0], "a refusal changes nothing")
    check(r("BF.MERGE", "full", 1, "fuller", "FORCE"), OK)
    holds(r, "full", range(200))
    found = health(r, "full")
    rate = float(found["Error rate now"])
    check([f"{rate:.6g}", said[2]], [said[1], "0.01"], "the rate that was predicted is the rate it has")
    check(rate > 0.05, True)
    check(found["Verdict"], b"over-design")
    check(r("BF.ADD", "full", "one more"), Refused("ERR non scaling filter is full"))


def refuses_other_shapes(r):
    fill(r, "small", ["x"], "10")
    check(r("BF.MERGE", "small", 1, "a"), Refused("ERR layer 1 of the filters differs: 1152 bits and 8 probes against 128 "
                                                  "and 8, or another hash"))
    check(r("BF.MERGE", "a", 1, "grown", "FORCE"),
          Refused("ERR the filters have 2 and 1 layers: keys of one cannot join the bits of the other"))
    check(isinstance(r("BF.MERGE", "nowhere", 2, "a", "small"), Refused), True)


def refuses(r):
    r("SET", "text", "x")
    for words, expected in [
            (("nowhere", "0", "a"), NUMKEYS), (("nowhere", "-1", "a"), NUMKEYS), (("nowhere", "x", "a"), NUMKEYS),
            (("nowhere", "2", "a"), NUMKEYS), (("nowhere", "99999999999999999999", "a"), NUMKEYS),
            (("nowhere", "1", "a", "b"), ONLY_FORCE), (("nowhere", "1", "a", "FORCE", "FORCE"), ONLY_FORCE),
            (("nowhere", "1", "missing"), NOT_FOUND), (("a", "2", "b", "FORCE"), NOT_FOUND),
            (("nowhere", "2", "a", "text"), WRONG_TYPE), (("text", "1", "a"), WRONG_TYPE)]:
        check(r("BF.MERGE", *words), expected, words)
        check(r("EXISTS", "nowhere"), 0, words)
    for command, counts in {"bf.merge": [1, 2, 3], "bf.clear": [1, 3], "bf.health": [1, 3]}.items():
        for count in counts:
            check(r(command, *["1"] * (count - 1)), arity(command), f"{command} with {count} words")
    for command in ("BF.CLEAR", "BF.HEALTH"):
        check([r(command, "missing"), r(command, "text")], [NOT_FOUND, WRONG_TYPE])


def tells_health(r, resp):
    def number(value):
        return value if resp == 3 else (b"%d" % value if value == int(value) else repr(value).encode())

    def reply(pairs):
        named = [(Simple(name), value) for name, value in pairs]
        return Map(named) if resp == 3 else [part for pair in named for part in pair]
    check(r("BF.RESERVE", "h", "0.2", "10", "NONSCALING"), OK)
    shared = [("Fill", number(0.0)), ("Number of items inserted", 0), ("Estimated items", 0),
              ("Design error rate", number(0.2)), ("Error rate now", number(0.0)), ("Verdict", b"ok")]
    layer = reply([("Bits", 64), ("Probes", 3), *shared])
    check(r("BF.HEALTH", "h"), reply([*shared, ("Filters", [layer])]))
    fill(r, "told", range(1000), "100")
    found = health(r, "told")
    check([abs(found["Estimated items"] - 1000) < 60, found["Verdict"]], [True, b"ok"])
    check(0 < float(found["Error rate now"]) < float(found["Design error rate"]), True)
    check([layer["Number of items inserted"] for layer in found["Filters"]][:3], [100, 200, 400])
    check([float(layer["Design error rate"]) for layer in found["Filters"]], [0.005, 0.0025, 0.00125, 0.000625])


def clears(r):
    fill(r, "c", range(1000), "50", "0.02", "EXPANSION", "3")
    check(r("BF.RESERVE", "fresh", "0.02", "50", "EXPANSION", "3"), OK)
    check(r("BF.CLEAR", "c"), OK)
    check(r("DUMP", "c") == r("DUMP", "fresh"), True, "as it was made")
    changes = dirty(r)
    check([r("BF.CLEAR", "c"), dirty(r)], [OK, changes], "nothing to clear")
    r("BF.MADD", "c", *range(1000))
    r("BF.MADD", "fresh", *range(1000))
    check(r("DUMP", "c") == r("DUMP", "fresh"), True, "and it grows as it did")
    fill(r, "no room", range(5), "5", "0.01", "NONSCALING")
    saturated = lambda: r("INFO", "bf_bloom").split(b"bf_saturated_filters:")[1].split(b"\r\n")[0]
    before = int(saturated())
    check([r("BF.CLEAR", "no room"), int(saturated())], [OK, before - 1])
    check(r("BF.CARD", "no room"), 0)


def commands(r):
    check(r("COMMAND", "GETKEYS", "BF.MERGE", "d", "2", "a", "b", "FORCE"), [b"d", b"a", b"b"])
    check(r("COMMAND", "GETKEYS", "BF.MERGE", "d", "1", "FORCE"), [b"d", b"FORCE"])
    check(r("COMMAND", "GETKEYS", "BF.MERGE", "d", "2", "a"), [b"d"], "where the number is wrong, by the module itself")
    check(r("COMMAND", "GETKEYS", "BF.CLEAR", "k"), [b"k"])
    check("keynum" in str(r("COMMAND", "INFO", "bf.merge")[0][8]), True, "clients can find the keys by themselves")
    flags = {command: {str(flag) for flag in r("COMMAND", "INFO", command)[0][2]}
             for command in ("bf.merge", "bf.clear", "bf.health")}
    check({"write", "denyoom", "movablekeys"} <= flags["bf.merge"], True, flags)
    check(["denyoom" in flags["bf.clear"], "write" in flags["bf.clear"]], [False, True])
    check(["readonly" in flags["bf.health"], "fast" in flags["bf.health"]], [True, False])
    check(b"FORCE" in r("COMMAND", "DOCS", "bf.merge")[1][-1][-1], True, "COMMAND DOCS knows the option")
    r("ACL", "SETUSER", "limited", "on", "nopass", "+@all", "~d")
    check(r("ACL", "DRYRUN", "limited", "BF.MERGE", "d", "1", "d"), OK)
    check(b"'secret'" in r("ACL", "DRYRUN", "limited", "BF.MERGE", "d", "2", "d", "secret"), True)


def events(server, r):
    r("CONFIG", "SET", "notify-keyspace-events", "KEAd")
    listener = server.client()
    listener("PSUBSCRIBE", "__keyevent@0__:bloom.*")
    r("BF.MERGE", "event", "1", "b")
    r("BF.MERGE", "event", "1", "b")
    r("BF.CLEAR", "event")
    r("BF.CLEAR", "event")
    r("BF.ADD", "event", "x")
    check([listener.read()[2].split(b":")[1] for _ in range(3)], [b"bloom.merge", b"bloom.clear", b"bloom.add"])
    listener.close()


def out_of_memory(r):
    r("CONFIG", "SET", "maxmemory", "1")
    check(r("BF.MERGE", "oom", "1", "b").startswith("OOM"), True)
    check([r("BF.CLEAR", "b"), r("BF.CARD", "b")], [OK, 0], "clearing needs no leave")
    r("CONFIG", "SET", "maxmemory", "0")


def replicates(module):
    with Server(module, options=["appendonly yes"]) as primary, Server(module, ["bf-filter-memory-limit", "64"], options=[
            f"replicaof 127.0.0.1 {primary.port}"]) as replica:
        p, s = primary.client(), replica.client()
        check(until(lambda: b"master_link_status:up" in s("INFO", "replication")), True)
        merges(p)
        merges_layers(p)
        refuses_what_is_too_full(p)
        fill(p, "cleared", range(500))
        p("BF.CLEAR", "cleared")
        p("BF.MADD", "cleared", *range(7))
        digest = p("DEBUG", "DIGEST")
        check(until(lambda: s("DEBUG", "DIGEST") == digest), True, "the replica holds the same bytes")
        check(p("DEBUG", "LOADAOF"), OK)
        check(p("DEBUG", "DIGEST"), digest, "and so does the log of commands")


def limits(module):
    with Server(module) as server:
        r = server.client()
        fill(r, "a", range(10))
        fill(r, "b", range(10, 20))
        r("CONFIG", "SET", "bf.bf-filter-memory-limit", "64")
        check(r("BF.MERGE", "new", "1", "a"), Refused("ERR Insufficient memory to create filter"))
        check(r("BF.MERGE", "b", "1", "a"), OK, "what is there does not become larger")


def spans_slots(module):
    with Server(module, options=["cluster-enabled yes", f"cluster-port {free_port()}"]) as server:
        r = server.client()
        check(r("CLUSTER", "ADDSLOTSRANGE", "0", "16383"), OK)
        check(r("BF.MERGE", "d", "2", "{d}1", "elsewhere"), Refused("CROSSSLOT Keys in request don't hash to the same slot"))


def test(module):
    for resp in (2, 3):
        with Server(module) as server:
            r = server.client(resp)
            merges(r)
            merges_layers(r)
            refuses_what_is_too_full(r)
            refuses_other_shapes(r)
            refuses(r)
            tells_health(r, resp)
            clears(r)
            if resp == 2:
                commands(r)
            events(server, r)
            out_of_memory(r)
    replicates(module)
    limits(module)
    spans_slots(module)


main(test)
