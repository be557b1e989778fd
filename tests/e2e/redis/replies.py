"""Every reply of the BF commands, in both protocols, type by type."""
from harness import OK, WRONG_TYPE, Map, Refused, Server, Simple, check, main


def reserve(r):
    check(r("BF.RESERVE", "k", "0.01", "10"), OK)
    check(r("BF.RESERVE", "e", "0.01", "10", "EXPANSION", "4"), OK)
    check(r("bf.reserve", "n", "0.01", "10", "nonscaling"), OK)
    check(r("BF.RESERVE", "z", "0.01", "10", "EXPANSION", "0"), OK)
    check(r("BF.RESERVE", "zz", "0.01", "10", "EXPANSION", "0", "NONSCALING"), OK)
    check(r("BF.RESERVE", "junk", "0.01", "10", "JUNK"), OK, "other words are ignored")
    check(r("BF.RESERVE", "NONSCALING", "0.01", "10"), OK)
    check(r("BF.RESERVE", "EXPANSION", "0.01", "10"), OK, "a key may have an option's name")
    check(r("BF.RESERVE", "high", "0.9", "10"), OK, "a rate above 0.25 becomes 0.25")
    check(r("BF.RESERVE", "quarter", "0.25", "10"), OK)
    check(r("BF.DEBUG", "high"), r("BF.DEBUG", "quarter"))
    check(r("BF.DEBUG", "z"), r("BF.DEBUG", "n"))


def add(r, yes, no):
    check(r("BF.ADD", "k", "foo"), yes)
    check(r("BF.ADD", "k", "foo"), no)
    check(r("BF.ADD", "k", "bar"), yes)
    check(r("BF.ADD", "k", b""), yes, "an empty item is an item")
    check(r("BF.ADD", "k", b"\0\r\n\xff"), yes)
    check(r("BF.MADD", "k", "foo", "new", "new"), [no, yes, no])
    check(r("BF.MADD", "made", "a", "b"), [yes, yes])
    check(r("BF.INSERT", "k", "ITEMS", "foo", "ITEMS"), [no, yes])
    check(r("BF.INSERT", "i", "CAPACITY", "7", "ERROR", "0.1", "EXPANSION", "3", "ITEMS", "a"), [yes])
    check(r("BF.INSERT", "short", "c", "10", "er", "0.1", "ex", "4", "nons", "i", "a"), [yes])
    check(r("BF.INSERT", "ns", "NONSCALING", "EXPANSION", "3", "ITEMS", "a"), [yes], "non-scaling wins")
    check(r("BF.INSERT", "i", "NOCREATE", "CAPACITY", "9", "ITEMS", "a", "b"), [no, yes])
    check(r("BF.INSERT", "i", "noc", "i", "a"), [no])


def full(r, yes, no):
    refused = Refused("ERR non scaling filter is full")
    check(r("BF.RESERVE", "full", "0.01", "2", "NONSCALING"), OK)
    check(r("BF.MADD", "full", "a", "b"), [yes, yes])
    check(r("BF.ADD", "full", "a"), no, "a known item is still known")
    check(r("BF.ADD", "full", "c"), refused)
    check(r("BF.MADD", "full", "a", "q", "r", "b"), [no, refused], "the error ends the array")
    check(r("BF.INSERT", "full", "ITEMS", "b", "q", "a"), [no, refused])
    check(r("BF.CARD", "full"), 2)


def look(r, yes, no):
    check(r("BF.EXISTS", "k", "foo"), yes)
    check(r("BF.EXISTS", "k", "absent"), no)
    check(r("BF.MEXISTS", "k", "foo", "absent", b""), [yes, no, yes])
    check(r("BF.EXISTS", "missing", "foo"), no)
    check(r("BF.MEXISTS", "missing", "foo", "bar"), [no, no])
    r("SET", "text", "x")
    check(r("BF.EXISTS", "text", "foo"), no, "another type holds nothing")
    check(r("BF.MEXISTS", "text", "foo", "bar"), [no, no])
    check(r("EXISTS", "missing"), 0, "looking makes nothing")


def info(r, resp):
    fields = [("Capacity", 10), ("Size", 112), ("Number of filters", 1), ("Number of items inserted", 2),
              ("Expansion rate", 2)]
    r("BF.RESERVE", "info", "0.01", "10")
    r("BF.MADD", "info", "foo", "bar")
    pairs = [(Simple(name), value) for name, value in fields]
    check(r("BF.INFO", "info"), Map(pairs) if resp == 3 else [part for pair in pairs for part in pair])
    for word, pair in zip(["CAPACITY", "size", "Filters", "ITEMS", "EXPANSION"], pairs):
        check(r("BF.INFO", "info", word), Map([pair]) if resp == 3 else [pair[1]])
    nothing = (Simple("Expansion rate"), None)
    check(r("BF.INFO", "n", "EXPANSION"), Map([nothing]) if resp == 3 else [None])
    whole = r("BF.INFO", "n")
    check(whole[-1], nothing if resp == 3 else None)
    check(r("BF.CARD", "info"), 2)
    check(r("BF.CARD", "missing"), 0)
    check(r("BF.DEBUG", "info"),
          [b"size:2", b"bytes:16 bits:128 hashes:8 hashwidth:64 capacity:10 size:2 ratio:0.005"])


def growth(r):
    r("BF.RESERVE", "grown", "0.01", "10")
    for i in range(100):
        r("BF.ADD", "grown", i)
    lines = r("BF.DEBUG", "grown")
    check(lines[0], b"size:99")
    wanted = [(10, 16, 8), (20, 32, 9), (40, 72, 10), (80, 160, 11)]
    for line, (keys, size, hashes) in zip(lines[1:], wanted):
        text = line.decode()
        check([f"capacity:{keys} " in text, f"bytes:{size} " in text, f"hashes:{hashes} " in text], [True] * 3, text)
    check(len(lines), 5)


def dump(r):
    header = r("BF.SCANDUMP", "info", 0)
    check(header[0], 1)
    check(len(header[1]), 73)
    bits = bytes.fromhex("08202a02080008000880880808000800")
    check(r("BF.SCANDUMP", "info", 1), [17, bits])
    check(r("BF.SCANDUMP", "info", 5), [17, bits[4:]])
    for past in (17, 18, 10**9, -1, -(2**63), 2**63 - 1):
        check(r("BF.SCANDUMP", "info", past), [0, b""])
    check(r("BF.LOADCHUNK", "copy", 1, header[1]), OK)
    loading = Refused("ERR the filter is being loaded: BF.LOADCHUNK has not brought its last chunk")
    check(r("BF.CARD", "copy"), loading)
    check(r("BF.LOADCHUNK", "copy", 17, bits), OK)
    check(r("BF.CARD", "copy"), 2)
    check(r("BF.SCANDUMP", "copy", 0), header)
    check(r("BF.SCANDUMP", "copy", 1), [17, bits])
    check(r("BF.LOADCHUNK", "copy", 17, bits[4:]), OK, "a part of a layer")
    check(r("BF.LOADCHUNK", "copy", 1, b""), OK, "nothing, at the beginning")
    whole, iterator = [], 1
    while iterator:
        iterator, piece = r("BF.SCANDUMP", "grown", iterator)
        whole.append(len(piece))
    check(whole, [16, 32, 72, 160, 0], "a piece ends with its sub-filter")


def test(module):
    for resp in (2, 3):
        with Server(module) as server:
            r = server.client(resp)
            yes, no = (True, False) if resp == 3 else (1, 0)
            reserve(r)
            add(r, yes, no)
            full(r, yes, no)
            look(r, yes, no)
            info(r, resp)
            growth(r)
            dump(r)
            check(r("TYPE", "k"), Simple("MBbloom--"))
            check(r("LPUSH", "k", "x"), WRONG_TYPE)


main(test)
