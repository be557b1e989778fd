"""BF.RESERVE ... LAYOUT BLOCK PART i S: parts of one filter in a real server. A key of another part is refused, all parts
together are the filter of a file byte for byte, and every copy of a part (RDB, AOF, replica, dump, file) is the part."""
import ctypes
import os

from command import PROGRAM, Folder, bloomery, lines, read
from harness import OK, Client, Refused, Server, caught_up, check, chunks_of, main, until

KEYS, RATE, PARTS = 20_000, "0.01", 5
NAMES = [f"key:{i}" for i in range(KEYS)]
ABSENT = [f"absent:{i}" for i in range(50_000)]
XXH = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
XXH.restype = ctypes.c_uint64


def reserve(r, index, key=None):
    return r("BF.RESERVE", key or f"part:{index}", RATE, KEYS, "LAYOUT", "BLOCK", "PART", index, PARTS)


def info(r, key):
    flat = r("BF.INFO", key)
    return dict(zip(flat[::2], flat[1::2]))


def part_of(name, blocks):
    block = XXH(name.encode(), len(name)) * blocks >> 64
    return ((block + 1) * PARTS - 1) // blocks


def fill(r):
    check([reserve(r, i) for i in range(PARTS)], [OK] * PARTS)
    blocks = info(r, "part:0")["Blocks of the whole"]
    homes = [[] for _ in range(PARTS)]
    for name in NAMES:
        homes[part_of(name, blocks)].append(name)
    for i, names in enumerate(homes):
        replies = r("BF.INSERT", f"part:{i}", "NOCREATE", "ITEMS", *names)
        check(all(reply in (0, 1) for reply in replies), True)
    return blocks, homes


def commands(r, blocks, homes):
    facts = info(r, "part:3")
    check([facts[name] for name in ("Layout", "Part", "Hash", "Seed", "Capacity", "Expansion rate")],
          [b"block", b"3/5", b"xxh3-64", b"0", KEYS, None])
    check(r("BF.INFO", "part:3", "PART"), [b"3/5"])
    check(r("BF.CARD", "part:3") in range(len(homes[3]) - 100, len(homes[3]) + 1), True)
    check(sum(r("BF.MEXISTS", "part:3", *homes[3])), len(homes[3]), "no false negative")
    found = 0
    for i in range(PARTS):
        names = [name for name in ABSENT if part_of(name, blocks) == i]
        found += sum(r("BF.MEXISTS", f"part:{i}", *names))
    check(0.007 < found / len(ABSENT) < 0.0125, True, f"the rate of the whole is {found / len(ABSENT)}")
    check(r("BF.RESERVE", "plain", RATE, KEYS, "LAYOUT", "BLOCK"), OK)
    check("Part" in str(r("BF.INFO", "plain")), False)
    check(r("BF.INFO", "plain", "PART"), [None])
    check(r("BF.DEL", "part:3", homes[3][0])[:3], "ERR")


def keys_of_others(r, homes):
    """Refused with the part that has them, and nothing is changed, whatever the command."""
    before = r("DEBUG", "DIGEST-VALUE", "part:3")
    stranger = homes[1][0]
    wrong = Refused("ERR an item belongs to part 1 of 5 of the filter, and this key holds part 3; nothing is changed")
    check(r("BF.ADD", "part:3", stranger), wrong)
    check(r("BF.MADD", "part:3", "new", stranger)[:3], "ERR")
    check(r("BF.INSERT", "part:3", "ITEMS", homes[3][0], stranger), wrong)
    check(r("BF.EXISTS", "part:3", stranger), wrong)
    check(r("BF.MEXISTS", "part:3", homes[3][0], stranger), wrong)
    check(r("DEBUG", "DIGEST-VALUE", "part:3"), before)


def is_the_file(r):
    """The bodies end to end are the body of a file for the same goal and keys."""
    bloomery("build", "-o", "whole.bloom", "-n", KEYS, "-p", RATE, records=lines(*NAMES))
    bodies = b""
    for i in range(PARTS):
        dump = b"".join(chunk for _, chunk in chunks_of(r, "BF", f"part:{i}")[1:])
        bodies += dump[128:]
    check(bodies == read("whole.bloom")[128:], True, "the parts are the filter")


def copies(server, r):
    digest = lambda client, key: client("DEBUG", "DIGEST-VALUE", key)
    wanted = [digest(r, f"part:{i}") for i in range(PARTS)]
    same = lambda client, what: check([digest(client, f"part:{i}") for i in range(PARTS)], wanted, what)
    for i, key in enumerate(["copy:a", "copy:b"]):
        for position, chunk in chunks_of(r, "BF", f"part:{i}"):
            check(r("BF.LOADCHUNK", key, position, chunk), OK)
        check(digest(r, key), wanted[i], "BF.SCANDUMP and BF.LOADCHUNK")
    file = b"".join(chunk for _, chunk in chunks_of(r, "BF", "part:2")[1:])
    check(r("BF.LOADCHUNK", "copy:file", 1, file[:128]), OK)
    check(r("BF.EXISTS", "copy:file", "x"), Refused("ERR the filter is being loaded: BF.LOADCHUNK has not brought its last chunk"))
    for at in range(0, len(file), 3000):
        check(r("BF.LOADCHUNK", "copy:file", 1 + at + len(file[at:at + 3000]), file[at:at + 3000]), OK)
    check(digest(r, "copy:file"), wanted[2], "the bytes of a part's file")
    check(r("BF.LOADCHUNK", "copy:bad", 1, file[:127] + b"x")[:3], "ERR")
    check(r("RESTORE", "copy:dump", 0, r("DUMP", "part:4")), OK)
    check(digest(r, "copy:dump"), wanted[4], "DUMP and RESTORE")
    check(r("COPY", "part:4", "copy:copy"), 1)
    check(digest(r, "copy:copy"), wanted[4], "COPY")
    check(r("BF.MERGE", "merged", 2, "part:4", "copy:dump"), OK)
    check(r("BF.MERGE", "part:1", 1, "part:2")[:3], "ERR", "parts of different numbers")
    check(r("BF.CLEAR", "merged"), OK)
    check(info(r, "merged")["Part"], b"4/5")
    check(r("BF.CARD", "merged"), 0)
    r("SAVE")
    server.options = [option for option in server.options if option != 'save ""']
    server.restart()
    r = server.client()
    same(r, "RDB")
    for preamble in ("yes", "no"):
        r("CONFIG", "SET", "aof-use-rdb-preamble", preamble)
        r("CONFIG", "SET", "appendonly", "yes")
        r("BGREWRITEAOF")
        check(until(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                    and b"aof_rewrite_scheduled:0" in r("INFO", "persistence")), True)
        r("DEBUG", "LOADAOF")
        same(r, f"AOF, preamble {preamble}")
    return r


def replicas(module):
    with Server(module) as primary, Server(module, options=[f"replicaof 127.0.0.1 {primary.port}"]) as replica:
        r, copy = primary.client(), replica.client()
        caught_up(r, copy)
        monitor = Client(primary.port)
        fill(r)
        r("BF.ADD", "part:0", next(name for name in NAMES if r("BF.EXISTS", "part:0", name) == 1))
        caught_up(r, copy)
        for i in range(PARTS):
            check(copy("DEBUG", "DIGEST-VALUE", f"part:{i}"), r("DEBUG", "DIGEST-VALUE", f"part:{i}"), "replica")
        monitor.close()


def replicated_as_insert(module):
    """A server that knows no parts has no such key, and makes no other filter of what it is sent."""
    with Server(module, options=["appendonly yes", "aof-use-rdb-preamble no"]) as server:
        r = server.client()
        reserve(r, 0)
        added = 0
        for name in NAMES[:50]:
            added += r("BF.ADD", "part:0", name) == 1
            r("BF.MADD", "part:0", name + "x")
        check(added > 0, True)
        folder = os.path.join(server.directory, "appendonlydir")
        log = b"".join(read(os.path.join(folder, name)) for name in os.listdir(folder))
        check(b"BF.ADD" in log or b"BF.MADD" in log, False)
        check(b"NOCREATE" in log and b"PART" in log, True)


def test(module):
    with Folder(), Server(module) as server:
        r = server.client()
        blocks, homes = fill(r)
        commands(r, blocks, homes)
        keys_of_others(r, homes)
        if PROGRAM is not None:
            is_the_file(r)
        copies(server, r)
    replicas(module)
    replicated_as_insert(module)


main(test)
