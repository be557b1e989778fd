"""Payloads and chunks of our own type that were tampered with, all checksums made right again: the server always answers, buys
no memory for promises, and takes no longer than a few milliseconds. A few thousand, or 100,000 with BLOOMERY_FULL=1."""
import os
import random
import struct
import time

from harness import OK, Refused, Server, Simple, check, chunks_of, main, with_checksum
from mutations import NUMBERS, mutated
from native_checksums import header_with_checksum, manifest_with_checksum

ROUNDS = 100_000 if os.environ.get("BLOOMERY_FULL") == "1" else 2_500
SEED = int(os.environ.get("BLOOMERY_SEED", "20261115"))
LONGEST = 0.010  # seconds of one command
BAD = Refused("ERR received bad data")
LOADING = Refused("ERR the filter is being loaded: BF.LOADCHUNK has not brought its last chunk")
# The size of a layer's body, its shape and its goal, in the header of its file.
FIELDS = [(10, "<H"), (12, "<I"), (16, "<I"), (20, "<H"), (22, "<B"), (24, "<Q"), (32, "<I"), (36, "<I"), (40, "<Q"), (48, "<Q"),
          (56, "<Q"), (64, "<d"), (72, "<Q"), (80, "<Q"), (88, "<Q"), (96, "<d"), (104, "<I"),
          (112, "<I"), (116, "<I")]


def samples(r):
    r("BF.RESERVE", "block", "0.01", "10", "LAYOUT", "BLOCK")
    r("BF.RESERVE", "counting", "0.01", "5", "COUNTING")
    r("BF.RESERVE", "secret", "0.1", "20", "SECRET", "NONSCALING")
    r("BF.RESERVE", "window", "0.01", "20", "WINDOW", "60", "SLICES", "3")
    for name in ("block", "counting", "secret", "window"):
        r("BF.MADD", name, *range(15))
    r("BF.ROTATE", "window", int(time.time() * 1000) + 25_000)
    r("BF.MADD", "window", "x", "y")
    r("BF.RESERVE", "part", "0.01", "300", "LAYOUT", "BLOCK", "PART", "1", "3")
    for i in range(60):  # those of other parts are refused
        r("BF.ADD", "part", i)
    return ["block", "counting", "secret", "window", "part"]


def pieces(r, key):
    return [chunk for _, chunk in chunks_of(r, "BF", key)]


def use(r, key):
    """Whatever was taken is a filter: each command answers without harm."""
    replies = r.all([("BF.ADD", key, "x"), ("BF.EXISTS", key, "x"), ("BF.MADD", key, "a", "b", "c"), ("BF.INFO", key),
                     ("BF.DEBUG", key), ("BF.CARD", key), ("BF.SCANDUMP", key, 0), ("BF.SCANDUMP", key, 1), ("BF.DEL", key, "x"),
                     ("BF.ROTATE", key), ("BF.HEALTH", key), ("MEMORY", "USAGE", key), ("COPY", key, "copied", "REPLACE"),
                     ("DUMP", key)])
    check(replies[12], 1)
    check(r("RESTORE", "again", 0, replies[13], "REPLACE"), OK, "its own DUMP is taken back")
    check(len(set(r("DEBUG", "DIGEST-VALUE", key, "again", "copied"))), 1)
    r("BF.MERGE", "again", 1, key, "FORCE")
    r("BF.CLEAR", "again")


def tampered(source, data, fields, first):
    """One of its numbers is another one, or some of its bytes."""
    if source.randrange(3) == 0:
        return mutated(source, data, first)
    at, form = source.choice(fields)
    data = bytearray(data)
    if at + struct.calcsize(form) <= len(data):
        number = source.choice(NUMBERS)
        size = struct.calcsize(form)
        data[at:at + size] = struct.pack(form, float(number)) if form == "<d" else (number % 256**size).to_bytes(size, "little")
    return bytes(data)


MANIFEST_FIELDS = [(8, "<H"), (10, "<B"), (11, "<B"), (12, "<I"), (16, "<Q"), (24, "<d"), (32, "<Q"), (40, "<I"), (60, "<I"),
                   (64, "<Q"), (72, "<I"), (76, "<Q"), (76, "<I"), (80, "<I"), (84, "<Q"), (92, "<I")]


def load(r, parts):
    """The replies of BF.LOADCHUNK, up to the first that refuses."""
    r("DEL", "hostile")
    position, replies = 1, []
    for i, part in enumerate(parts):
        position += len(part) if i > 0 else 0
        replies.append(r("BF.LOADCHUNK", "hostile", position, part))
        if replies[-1] != OK:
            break
    return replies


def tampered_parts(source, parts):
    """A dump with one of its pieces changed, and the checksums that vouch for it right."""
    parts = list(parts)
    i = source.randrange(len(parts))
    if i == 0:
        parts[0] = manifest_with_checksum(tampered(source, parts[0], MANIFEST_FIELDS, 8))
    elif i % 2 == 1:
        parts[i] = header_with_checksum(tampered(source, parts[i], FIELDS, 8))
    else:
        parts[i] = mutated(source, parts[i], 0)
        parts[i - 1] = header_with_checksum(parts[i - 1], parts[i])
    return parts


def chunks(r, names, source):
    taken = 0
    dumps = [pieces(r, name) for name in names]
    for _ in range(ROUNDS):
        replies = load(r, tampered_parts(source, source.choice(dumps)))
        check(all(reply == OK or reply.startswith("ERR ") for reply in replies), True, replies[-1])
        if replies[-1] == OK and r("BF.CARD", "hostile") != LOADING:
            taken += 1
            use(r, "hostile")
    return taken


def payload_of(start, parts):
    """What DUMP would have said: the manifest, whole, how many layers, and each one's header and body."""
    def length(n):
        return bytes([n]) if n < 64 else b"\x81" + n.to_bytes(8, "big")

    def text(data):
        return b"\x05" + length(len(data)) + data
    body = text(parts[0]) + b"\x02\x01\x02" + length(len(parts) // 2) + b"".join(map(text, parts[1:]))
    return with_checksum(start + body + b"\x00" + b"\x0a\x00" + bytes(8))


def payloads(r, names, source):
    taken = 0
    dumps = [(r("DUMP", name), pieces(r, name)) for name in names]
    for dump, parts in dumps:
        check(r("RESTORE", "hostile", 0, payload_of(dump[:10], parts), "REPLACE"), OK, "made by hand")
    for _ in range(ROUNDS):
        dump, parts = source.choice(dumps)
        if source.randrange(3) == 0:
            payload = with_checksum(mutated(source, dump, 10))
        else:
            payload = payload_of(dump[:10], tampered_parts(source, parts))
        reply = r("RESTORE", "hostile", 0, payload, "REPLACE")
        if reply == OK:
            taken += 1
            use(r, "hostile")
        elif not str(reply).startswith(("ERR Bad data format", "ERR DUMP payload version or checksum")):
            check(reply, Refused("ERR Bad data format"))
    return taken


def promises(server, r):
    """A header of 128 bytes may ask for memory up to the limit, which is not touched; a payload gets what it brings."""
    def used(name="used_memory"):
        return int(r("INFO", "memory").split(name.encode() + b":")[1].split(b"\r\n")[0])
    r("CONFIG", "SET", "bf.bf-filter-memory-limit", str(1 << 30))
    manifest, header, body = pieces(r, "block")[:3]

    def sized(size):
        return header_with_checksum(header[:24] + struct.pack("<Q", size * 8) + header[32:80] + struct.pack("<Q", size)
                                    + header[88:])
    for size in (1 << 31, 1 << 45, (1 << 61) - 64):
        check(load(r, [manifest, sized(size)])[-1], BAD)
        check(r("EXISTS", "hostile"), 0)
    resident = used("used_memory_rss")
    check(load(r, [manifest, sized(1 << 29), b"x" * 1000]), [OK, OK, OK])
    check(used("used_memory_rss") - resident < 20 << 20, True, "half a gigabyte is promised, and not touched")
    payload = r("DUMP", "hostile")
    check(len(payload) < 4000, True)
    check(r("RESTORE", "again", 0, payload, "REPLACE"), Refused("ERR Bad data format"))
    r("DEL", "hostile", "again")
    before, peak, start = used(), used("used_memory_peak"), r("DUMP", "block")[:10]
    for size in (1 << 29, 1 << 40):
        check(r("RESTORE", "again", 0, payload_of(start, [manifest, sized(size), body])), Refused("ERR Bad data format"))
    check([used() - before < 1 << 20, used("used_memory_peak") - peak < 1 << 20], [True, True], "nothing was bought")
    check(r("PING"), Simple("PONG"))


def deep(r):
    """The most layers and probes that a dump may have do not make a command long."""
    manifest, header = pieces(r, "secret")[:2]
    rows = struct.pack("<IqI", 1, 0, 1024) + struct.pack("<Q", 0) * 1024
    manifest = manifest_with_checksum(manifest[:60] + rows + bytes(8))
    body = b"\xff" * 7 + b"\x7f"  # nearly every probe is met, and the last is not
    layer = header_with_checksum(header[:24] + struct.pack("<QI", 64, 1024) + header[36:80] + struct.pack("<Q", 8) + header[88:], body)
    check(load(r, [manifest, (layer + body) * 1024]), [OK, OK])
    check(load(r, [manifest_with_checksum(manifest[:72] + struct.pack("<I", 1025) + manifest[76:-8] + bytes(16))])[-1], BAD)
    check(load(r, [manifest, (layer + body) * 1024]), [OK, OK])
    for command in (("BF.EXISTS", "hostile", "absent"), ("BF.ADD", "hostile", "new"), ("BF.INFO", "hostile"), ("BF.DEBUG", "hostile"),
                    ("BF.SCANDUMP", "hostile", 0), ("BF.SCANDUMP", "hostile", 1 + 1023 * 136), ("BF.HEALTH", "hostile"),
                    ("BF.MERGE", "merged", 1, "hostile", "FORCE"), ("COPY", "hostile", "copied", "REPLACE"), ("BF.CLEAR", "hostile")):
        took = []
        for _ in range(5):  # the least of them: other processes take their share of the machine
            r("CONFIG", "RESETSTAT")
            r(*command)
            stats = r("INFO", "commandstats").split(command[0].lower().encode() + b":")[1]
            took.append(float(stats.split(b"usec=")[1].split(b",")[0]))
        check(min(took) < LONGEST * 1e6, True, f"{command} took {took} us")


def usual(r):
    """What the server itself measured, of all commands so far."""
    for line in r("INFO", "latencystats").split(b"\r\n"):
        if line.startswith((b"latency_percentiles_usec_bf.", b"latency_percentiles_usec_restore")):
            check(float(line.split(b"p50=")[1].split(b",")[0]) < LONGEST * 1e6 / 10, True, line)


def test(module):
    print(f"seed {SEED}, {ROUNDS} rounds each")
    source = random.Random(SEED)
    with Server(module, ["bf-filter-memory-limit", "1048576"], ["rdbcompression no"]) as server:
        r = server.client()
        names = samples(r)
        taken = payloads(r, names, source), chunks(r, names, source)
        print(f"taken: {taken[0]} payloads, {taken[1]} dumps")
        check(min(taken) > ROUNDS // 100, True, "some are still filters, or nothing was tried")
        usual(r)
        deep(r)
        check(r("SAVE"), OK)
        digest = r("DEBUG", "DIGEST")
        server.restart()
        r = server.client()
        check(r("DEBUG", "DIGEST"), digest)
        check("crash" in server.log().lower(), False)
        promises(server, r)


main(test)
