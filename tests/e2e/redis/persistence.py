"""Saved, rewritten, dumped, copied: the same filter comes back, byte for byte."""
from harness import OK, Refused, Server, check, main, until


def fill(r):
    r("BF.RESERVE", "plain", "0.01", "1000")
    r("BF.MADD", "plain", *range(500))
    r("BF.RESERVE", "grown", "0.01", "10", "EXPANSION", "3")
    for i in range(300):
        r("BF.ADD", "grown", i)
    r("BF.RESERVE", "fixed", "0.2", "50", "NONSCALING")
    r("BF.MADD", "fixed", *range(40))
    r("BF.RESERVE", "empty", "0.001", "100")
    r("BF.RESERVE", "large", "0.0001", "8000000")  # 19 MB: more than one piece
    r("BF.MADD", "large", *range(1000))


NAMES = ["plain", "grown", "fixed", "empty", "large"]


def whole(r, key):
    iterator, pieces = r("BF.SCANDUMP", key, 0)[0], [r("BF.SCANDUMP", key, 0)[1]]
    while iterator:
        iterator, piece = r("BF.SCANDUMP", key, iterator)
        pieces.append(piece)
    return pieces


def state(r):
    return {name: whole(r, name) for name in NAMES}


def same(r, before, what):
    after = state(r)
    for name in NAMES:
        check(after[name] == before[name], True, f"{name} after {what}")


def rdb(module):
    with Server(module) as server:
        r = server.client()
        fill(r)
        before = state(r)
        check(max(map(len, before["large"])), 16 << 20)
        digest = r("DEBUG", "DIGEST")
        check(r("SAVE"), OK)
        server.restart()
        r = server.client()
        same(r, before, "SAVE and a restart")
        check(r("DEBUG", "DIGEST"), digest)
        check(r("DEBUG", "RELOAD"), OK)
        same(r, before, "DEBUG RELOAD")


def aof(module, preamble):
    with Server(module, options=["appendonly yes", f"aof-use-rdb-preamble {preamble}", "appendfsync no"]) as server:
        r = server.client()
        fill(r)
        before = state(r)
        server.restart()
        same(server.client(), before, "a restart from commands")
        r = server.client()
        r("BGREWRITEAOF")
        check(until(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                    and b"aof_rewrite_scheduled:0" in r("INFO", "persistence")), True)
        check(b"aof_last_bgrewrite_status:ok" in r("INFO", "persistence"), True)
        r("BF.ADD", "plain", "after the rewrite")
        before = state(r)
        server.restart()
        same(server.client(), before, f"a rewrite with preamble {preamble}")


def dump_and_copy(module):
    with Server(module) as server:
        r = server.client()
        fill(r)
        before = state(r)
        for name in NAMES:
            payload = r("DUMP", name)
            check(r("RESTORE", "back", 0, payload), OK)
            check(whole(r, "back") == before[name], True, f"RESTORE of {name}")
            check(r("DUMP", "back") == payload, True)
            check(r("COPY", name, "copied"), 1)
            check(whole(r, "copied") == before[name], True, f"COPY of {name}")
            digests = r("DEBUG", "DIGEST-VALUE", name, "back", "copied")
            check(len(set(digests)), 1)
            r("BF.ADD", "copied", "something else entirely")
            check(whole(r, name) == before[name], True, "a copy is its own")
            r("DEL", "back", "copied")
        digests = r("DEBUG", "DIGEST-VALUE", *NAMES)
        check(len(set(digests)), len(NAMES), "digests tell filters apart")
        check(r("RENAME", "plain", "renamed"), OK)
        check(r("MOVE", "renamed", 1), 1)


# The values of encodings 0 to 3, laid down by hand: 32-bit hash, n2, and no options or growth.
def legacy(module):
    import struct
    from harness import with_checksum
    names = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    def length(n):
        return bytes([n]) if n < 64 else b"\x81" + n.to_bytes(8, "big")

    def payload(version, values):
        identity = 0
        for letter in "MBbloom--":
            identity = identity << 6 | names.index(letter)
        body = b"\x07" + b"\x81" + (identity << 10 | version).to_bytes(8, "big")
        for value in values:
            if isinstance(value, bytes):
                body += b"\x05" + length(len(value)) + value
            elif isinstance(value, float):
                body += b"\x04" + struct.pack("<d", value)
            else:
                body += b"\x02" + length(value)
        return with_checksum(body + b"\x00" + b"\x09\x00" + bytes(8))

    bits_per_key = 11.027755275521184
    layer = [10, 0.005, 8, bits_per_key]
    cases = {
        0: [0, 1, *layer, bytes(14), 0],                       # 110 bits, from 10 * bits per key
        1: [0, 1, *layer, 128, 7, bytes(16), 0],               # 2^7 bits
        2: [0, 1, 0, *layer, 128, 7, bytes(16), 0],
        3: [0, 1, 4, *layer, 128, 7, bytes(16), 0],
        4: [0, 1, 5, 2, *layer, 128, 0, bytes(16), 0],
    }
    with Server(module, options=["appendonly yes", "aof-use-rdb-preamble no"]) as server:
        r = server.client()
        for version, values in cases.items():
            check(r("RESTORE", f"v{version}", 0, payload(version, values)), OK, f"version {version}")
            check(r("BF.MADD", f"v{version}", "a", "b", "a"), [1, 1, 0])
            check(r("BF.MEXISTS", f"v{version}", "a", "b", "c"), [1, 1, 0])
            for i in range(30):
                r("BF.ADD", f"v{version}", i)
            check(r("BF.INFO", f"v{version}", "FILTERS")[0] > 1, True, "it grows")
        check(r("RESTORE", "v5", 0, payload(5, cases[4])), Refused("ERR Bad data format"))
        digest = r("DEBUG", "DIGEST")
        check(r("DEBUG", "RELOAD"), OK)
        check(r("DEBUG", "DIGEST"), digest)
        r("BGREWRITEAOF")
        check(until(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                    and b"aof_rewrite_scheduled:0" in r("INFO", "persistence")), True)
        server.restart()
        check(server.client()("DEBUG", "DIGEST"), digest, "an AOF rewrite keeps old filters too")


def test(module):
    rdb(module)
    aof(module, "no")
    aof(module, "yes")
    dump_and_copy(module)
    legacy(module)


main(test)
