"""Files and payloads that RedisBloom can write and few servers have seen: 1,067 sub-filters, 30,000 of them in a cuckoo filter;
and values that no filter can be made of. The server starts with all of them, and saves back what it cannot use."""
import math
import pathlib
import struct
import time

from harness import OK, Refused, Server, check, chunks_of, main, until, with_checksum

KEPT = "ERR the value is kept from a file and cannot be used: "
SEED = 0xC6A4A7935BD1E995


def murmur(data, seed):
    """MurmurHash64A."""
    m, word = 0xC6A4A7935BD1E995, 2**64 - 1
    h = (seed ^ len(data) * m) & word
    whole = len(data) // 8 * 8
    for (k,) in struct.iter_unpack("<Q", data[:whole]):
        k = k * m & word
        h = (h ^ (k ^ k >> 47) * m & word) * m & word
    if len(data) > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & word
    h = (h ^ h >> 47) * m & word
    return h ^ h >> 47


def length(n):
    """As a server writes it, so that what it saves back can be compared."""
    if n < 64:
        return bytes([n])
    if n < 16384:
        return (1 << 14 | n).to_bytes(2, "big")
    return b"\x80" + n.to_bytes(4, "big") if n < 2**32 else b"\x81" + n.to_bytes(8, "big")


def unsigned(n):
    return b"\x02" + length(n)


def double(x):
    return b"\x04" + struct.pack("<d", x)


def text(data):
    return b"\x05" + length(len(data)) + data


def type_id(name, encoding):
    """The nine characters in six bits each, and ten bits of the encoding."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    number = 0
    for letter in name:
        number = number << 6 | letters.index(letter)
    return b"\x81" + (number << 10 | encoding).to_bytes(8, "big")


def bloom_layers(items):
    """BF.RESERVE k 0.01 1 EXPANSION 1 and so many items: a sub-filter for each, its rate half of the one before."""
    rate, layers = 0.005, []
    for item in items:
        if rate == 0:
            break
        per_key = abs(math.log(rate) / 0.480453013918201)
        probes = math.ceil(0.693147180559945 * per_key)
        bits = (max(1, int(per_key)) + 63) // 64 * 64
        table = bytearray(bits // 8)
        first = murmur(item, SEED)
        second = murmur(item, first)
        for i in range(probes):
            at = (first + i * second) % 2**64 % bits
            table[at >> 3] |= 1 << (at & 7)
        layers.append((rate, probes, per_key, bits, bytes(table)))
        rate *= 0.5
    return layers


def bloom_value(layers, options=5, counted=None):
    value = unsigned(len(layers) if counted is None else counted) + unsigned(len(layers)) + unsigned(options) + unsigned(1)
    for rate, probes, per_key, bits, table in layers:
        value += (unsigned(1) + double(rate) + unsigned(probes) + double(per_key) + unsigned(bits) + unsigned(0) + text(table)
                  + unsigned(1))
    return type_id("MBbloom--", 4) + value + b"\x00"


def cuckoo_value(layers, keys):
    value = b"".join(map(unsigned, (layers, 2, keys, 0, 2, 20, 1)))
    table = unsigned(2) + text(b"\x07\x00\x00\x09")
    return type_id("MBbloomCF", 4) + value + table * layers + b"\x00"


def native_value():
    return type_id("BLOOMERY1", 1) + text(b"BLMREDIS of a release to come") + unsigned(1) + unsigned(1) + text(b"h") + text(b"b") + b"\x00"


def rdb(values):
    """A file without a checksum, which servers accept."""
    data = b"REDIS0009\xfe\x00"
    for key, value in values.items():
        data += b"\x07" + length(len(key)) + key.encode() + value
    return data + b"\xff" + bytes(8)


def payload(value):
    return with_checksum(b"\x07" + value + b"\x09\x00" + bytes(8))


def many(server, r, items, layers):
    check(r("BF.INFO", "many", "FILTERS"), [len(layers)])
    check(all(r("BF.MEXISTS", "many", *items[:len(layers)])), True, "every item of every sub-filter")
    r("CONFIG", "RESETSTAT")
    started = time.monotonic()
    for i in range(200):
        r("BF.EXISTS", "many", f"absent {i}")
    took = time.monotonic() - started
    print(f"{len(layers)} sub-filters: BF.EXISTS of an absent item takes {took / 200 * 1e6:.0f} us")
    check(took / 200 < 0.005, True, "a look-up of 1,067 sub-filters takes below 5 ms")
    reply = r("BF.ADD", "many", "one more")
    check(reply in (0, 1) or reply == Refused("ERR problem inserting into filter"), True, reply)
    check(r("CF.INFO", "cuckoos")[5], 30_000)
    check(r("CF.EXISTS", "cuckoos", "x") in (0, 1), True)
    check(r("CF.ADD", "cuckoos", "x"), Refused("Maximum expansions reached"))
    for key, kind in (("many", "BF"), ("cuckoos", "CF")):
        dump = r("DUMP", key)
        check(r("RESTORE", "again", 0, dump, "REPLACE"), OK)
        check(r("DUMP", "again") == dump, True)
        r("DEL", "loaded")
        check(set(r.all([(f"{kind}.LOADCHUNK", "loaded", *chunk) for chunk in chunks_of(r, kind, key)])), {OK})
        check(r("DUMP", "loaded") == dump, True, f"{kind}.SCANDUMP and {kind}.LOADCHUNK")
        check(r("COPY", key, "copied", "REPLACE"), 1)
    started = time.monotonic()
    check(r("CF.COMPACT", "copied"), OK)
    check(time.monotonic() - started < 2, True, "CF.COMPACT")
    r("DEL", "loaded", "copied", "again")


COMMANDS = {"BF": ["ADD k x", "MADD k x y", "INSERT k ITEMS x", "EXISTS k x", "MEXISTS k x", "INFO k", "CARD k", "DEBUG k",
                   "SCANDUMP k 0", "LOADCHUNK k 9 x", "RESERVE k 0.01 10", "RESERVE k 0.01 10 SECRET", "MERGE k 1 many", "CLEAR k",
                   "HEALTH k", "DEL k x", "ROTATE k"],
            "CF": ["ADD k x", "ADDNX k x", "INSERT k ITEMS x", "INSERTNX k ITEMS x", "EXISTS k x", "MEXISTS k x", "COUNT k x",
                   "DEL k x", "COMPACT k", "INFO k", "DEBUG k", "SCANDUMP k 0", "LOADCHUNK k 9 x", "RESERVE k 10"]}


def unreadable(r, bad):
    info = dict(line.split(b":") for line in r("INFO", "bf_bloom").split(b"\r\n") if b":" in line)
    check(info[b"bf_unreadable_filters"], b"%d" % len(bad))
    for key, value in bad.items():
        for family, commands in COMMANDS.items():
            for command in commands:
                words = [key if word == "k" else word for word in command.split()]
                reply = r(f"{family}.{words[0]}", *words[1:])
                check(str(reply).startswith(KEPT) and len(reply) > len(KEPT) + 10, True, f"{family}.{command} on {key}: {reply!r}")
        check(r("BF.MERGE", "many", 1, key) != OK, True)
        check(payload(value)[:-10] == r("DUMP", key)[:-10], True, f"{key} as it came")
        check(r("COPY", key, "copied", "REPLACE"), 1)
        check(r("DUMP", "copied") == r("DUMP", key), True)
        check(r("MEMORY", "USAGE", key) > 0, True)
        r("DEL", "copied")
        check(r("RESTORE", "mine", 0, payload(value)), Refused("ERR Bad data format"), "a client's is refused")


def test(module):
    items = [f"item {i}".encode() for i in range(3000)]
    layers = bloom_layers(items)
    check(len(layers), 1067)
    one = bloom_layers(items[:1])
    rate, probes, per_key, bits, table = one[0]
    bad = {"options": bloom_value(one, options=64), "count": bloom_value(one, counted=9),
           "probes": bloom_value([(rate, probes + 1, per_key, bits, table)]), "short": bloom_value([(rate, probes, per_key, 6400, table)]),
           "keys": cuckoo_value(1, 99), "own": native_value()}
    good = {"many": bloom_value(layers), "cuckoos": cuckoo_value(30_000, 60_000)}
    with Server(module, options=["rdbcompression no"]) as server:
        server.stop()
        pathlib.Path(server.directory, "dump.rdb").write_bytes(rdb({**good, **bad}))
        started = time.monotonic()
        server.start()
        print(f"started in {time.monotonic() - started:.2f} s")
        r = server.client()
        check(r("DBSIZE"), len(good) + len(bad))
        many(server, r, items, layers)
        unreadable(r, bad)
        check(r("SAVE"), OK)
        digest = r("DEBUG", "DIGEST")
        server.restart()
        r = server.client()
        check(r("DEBUG", "DIGEST"), digest, "SAVE and a restart")
        check(r("DEBUG", "RELOAD"), OK)
        unreadable(r, bad)
        with Server(module, options=[f"replicaof 127.0.0.1 {server.port}"]) as replica:
            s = replica.client()
            check(until(lambda: b"master_link_status:up" in s("INFO", "replication")), True)
            check(s("DEBUG", "DIGEST"), digest, "a replica")
        check(r("CONFIG", "SET", "aof-use-rdb-preamble", "no"), OK)
        check(r("CONFIG", "SET", "appendonly", "yes"), OK)
        check(until(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                    and b"aof_rewrite_scheduled:0" in r("INFO", "persistence"), 60), True)
        server.options = ["appendonly yes", "rdbcompression no"]
        server.restart()
        r = server.client()
        check(r("DEBUG", "DIGEST"), digest, "an append-only file")
        unreadable(r, bad)
        check(r("DEL", *bad), len(bad))
        check(b"bf_unreadable_filters:0" in r("INFO", "bf_bloom"), True)
        check("crash" in server.log().lower(), False)


main(test)
