"""Every reply and error of the CF commands, in both protocols, type by type, and their settings."""
from harness import OK, WRONG_TYPE, Map, Refused, Server, Simple, arity, check, encode, main

RESERVE_RANGE = "Capacity must be in the range [2 * BUCKETSIZE, 1073741824]"
INSERT_RANGE = "Capacity must be in the range [cf-bucket-size * 2, 1073741824]"
BUCKETS, ITERATIONS, EXPANSION = (f"{name}: value must be in the range {span}" for name, span in (
    ("BUCKETSIZE", "[1, 255]"), ("MAXITERATIONS", "[1, 65535]"), ("EXPANSION", "[0, 32768]")))
INVALID_POSITION, NOT_LOADED = "Invalid position", "Couldn't load chunk!"

CASES = [
    ("CF.RESERVE k x", "Bad capacity"),
    ("CF.RESERVE k 1.5", "Bad capacity"),
    ("CF.RESERVE k x BUCKETSIZE x", "Bad capacity"),
    ("CF.RESERVE k 3", RESERVE_RANGE),
    ("CF.RESERVE k -1", RESERVE_RANGE),
    ("CF.RESERVE k 1073741825", RESERVE_RANGE),
    ("CF.RESERVE k 9 BUCKETSIZE 5", RESERVE_RANGE),
    ("CF.RESERVE k 100 BUCKETSIZE x", "Couldn't parse BUCKETSIZE"),
    ("CF.RESERVE k 100 JUNK BUCKETSIZE", "Couldn't parse BUCKETSIZE"),
    ("CF.RESERVE k 100 BUCKETSIZE 0", BUCKETS),
    ("CF.RESERVE k 1000 BUCKETSIZE 256", BUCKETS),
    ("CF.RESERVE k 100 MAXITERATIONS x", "Couldn't parse MAXITERATIONS"),
    ("CF.RESERVE k 100 MAXITERATIONS 0", ITERATIONS),
    ("CF.RESERVE k 100 MAXITERATIONS 65536", ITERATIONS),
    ("CF.RESERVE k 100 EXPANSION x", "Couldn't parse EXPANSION"),
    ("CF.RESERVE k 100 EXPANSION -1", EXPANSION),
    ("CF.RESERVE k 100 EXPANSION 32769", EXPANSION),
    ("CF.RESERVE k 100 JUNK", arity("cf.reserve")),
    ("CF.RESERVE cuckoo 100", "ERR item exists"),
    ("CF.RESERVE text 100", WRONG_TYPE),
    ("CF.RESERVE bloom 100", WRONG_TYPE),
    ("CF.ADD text x", WRONG_TYPE),
    ("CF.ADDNX text x", WRONG_TYPE),
    ("BF.ADD cuckoo x", WRONG_TYPE),
    ("CF.INSERT text ITEMS x", WRONG_TYPE),
    ("CF.INSERTNX bloom ITEMS x", WRONG_TYPE),
    ("CF.INSERT k CAPACITY x ITEMS a", "Bad capacity"),
    ("CF.INSERT k CAPACITY 3 ITEMS a", INSERT_RANGE),
    ("CF.INSERTNX k CAPACITY 1073741825 ITEMS a", INSERT_RANGE),
    ("CF.INSERT k JUNK ITEMS a", "Unknown argument received"),
    ("CF.INSERT k NOCREATE ITEMS a", "ERR not found"),
    ("CF.INSERTNX k NOCREATE ITEMS a", "ERR not found"),
    ("CF.INSERT k NOCREATE ITEMS", arity("cf.insert")),
    ("CF.INSERTNX k NOCREATE CAPACITY", arity("cf.insertnx")),
    ("CF.INSERT k NOCREATE NOCREATE", arity("cf.insert")),
    ("CF.DEL k x", "Not found"),
    ("CF.DEL text x", "Not found"),
    ("CF.COMPACT k", "Cuckoo filter was not found"),
    ("CF.COMPACT text", "Cuckoo filter was not found"),
    ("CF.COMPACT", arity("cf.compact")),
    ("CF.COMPACT cuckoo x", arity("cf.compact")),
    ("CF.INFO k", "ERR not found"),
    ("CF.INFO text", WRONG_TYPE),
    ("CF.DEBUG k", "ERR not found"),
    ("CF.DEBUG text", WRONG_TYPE),
    ("CF.SCANDUMP cuckoo x", INVALID_POSITION),
    ("CF.SCANDUMP cuckoo -1", INVALID_POSITION),
    ("CF.SCANDUMP k 0", "ERR not found"),
    ("CF.SCANDUMP text 0", WRONG_TYPE),
    ("CF.LOADCHUNK k 0 data", INVALID_POSITION),
    ("CF.LOADCHUNK k x data", INVALID_POSITION),
    ("CF.LOADCHUNK k 2 data", "ERR not found"),
    ("CF.LOADCHUNK text 1 data", WRONG_TYPE),
    ("CF.LOADCHUNK text 2 data", WRONG_TYPE),
    ("CF.LOADCHUNK cuckoo 1 data", "ERR item exists"),
    ("CF.LOADCHUNK k 1 data", "Invalid header"),
    ("CF.LOADCHUNK k 1 " + "x" * 38, "Couldn't create filter!"),
    ("CF.LOADCHUNK cuckoo -5 data", NOT_LOADED),
    ("CF.LOADCHUNK cuckoo 3 data", NOT_LOADED),
    ("CF.LOADCHUNK cuckoo 1027 data", NOT_LOADED),
    ("CF.LOADCHUNK cuckoo 9223372036854775807 data", NOT_LOADED),
]
ARITY = {"cf.reserve": -3, "cf.add": 3, "cf.addnx": 3, "cf.insert": -4, "cf.insertnx": -4, "cf.exists": 3,
         "cf.mexists": -3, "cf.count": 3, "cf.del": 3, "cf.compact": -1, "cf.scandump": 3, "cf.debug": 2, "cf.info": 2,
         "cf.loadchunk": 4}
FLAGS = {"cf.del": ["write", "fast"], "cf.compact": ["readonly", "fast"]}
for name in ("cf.reserve", "cf.add", "cf.addnx", "cf.insert", "cf.insertnx", "cf.loadchunk"):
    FLAGS[name] = ["write", "denyoom"]


def errors(r):
    r("SET", "text", "x")
    r("BF.ADD", "bloom", "x")
    check(r("CF.RESERVE", "cuckoo", "1000"), OK)  # 1024 bytes
    for command, expected in CASES:
        check(r(*command.split()), Refused(expected), command)
        check(r("EXISTS", "k"), 0, command + ": an error makes nothing")
    check(r("CF.INSERT", "k", "", "ITEMS", "a"), Refused("Unknown argument received"))
    for command, count in ARITY.items():
        wrong = [n for n in range(1, abs(count))] + ([count + 1] if count > 0 else [])
        for words in wrong:
            check(r(command, *["1"] * (words - 1)), arity(command), f"{command} with {words} words")


def commands(r):
    for name, count in ARITY.items():
        row = r("COMMAND", "INFO", name)[0]
        check(row[:2], [name.encode(), count])
        check(sorted(set(row[2]) - {"may_replicate"}), sorted(map(Simple, ["module", *FLAGS.get(name, ["readonly", "fast"])])), name)
        check(row[3:6], [1, 1, 1], name)
        docs = r("COMMAND", "DOCS", name)[1]
        fields = dict(zip(docs[::2], docs[1::2]))
        check([fields[b"since"], fields[b"module"], fields[b"arguments"][0][:2]], [b"1.0.0", b"bf", [b"name", b"key"]], name)


def add(r, yes, no):
    check(r("CF.RESERVE", "k", "1000", "JUNK", "JUNK"), OK, "other words are ignored")
    check(r("cf.reserve", "e", "1000", "expansion", "3", "bucketsize", "2", "maxiterations", "20"), OK)
    check(r("CF.DEBUG", "e"), b"bktsize:2 buckets:512 items:0 deletes:0 filters:1 max_iterations:20 expansion:4")
    check(r("CF.ADD", "k", "foo"), yes)
    check(r("CF.ADD", "k", "foo"), yes, "a key is kept as often as it is added")
    check(r("CF.ADDNX", "k", "foo"), no)
    check(r("CF.ADDNX", "k", b""), yes, "an empty item is an item")
    check(r("CF.ADD", "made", b"\0\r\n\xff"), yes)
    check(r("CF.ADDNX", "made-nx", "x"), yes)
    check(r("CF.DEBUG", "made"), b"bktsize:2 buckets:512 items:1 deletes:0 filters:1 max_iterations:20 expansion:1")
    check(r("CF.INSERT", "k", "ITEMS", "foo", "ITEMS"), [yes, yes])
    check(r("CF.INSERT", "i", "CAPACITY", "7", "ITEMS", "a"), [yes])
    check(r("CF.INSERT", "short", "c", "7", "i", "a"), [yes])
    check(r("CF.DEBUG", "short"), r("CF.DEBUG", "i"))
    check(r("CF.INSERT", "i", "NOCREATE", "CAPACITY", "9", "ITEMS", "a"), [yes])
    check(r("CF.INSERTNX", "i", "noc", "i", "a", "b"), [0, 1], "integers in both protocols")
    check(r("CF.INSERTNX", "i-nx", "ITEMS", "a", "a"), [1, 0])


def look_and_remove(r, yes, no):
    check(r("CF.EXISTS", "k", "foo"), yes)
    check(r("CF.MEXISTS", "k", "foo", "absent", b""), [yes, no, yes])
    for other in ("missing", "text"):
        check(r("CF.EXISTS", other, "foo"), no)
        check(r("CF.MEXISTS", other, "foo", "bar"), [no, no])
        check(r("CF.COUNT", other, "foo"), 0)
    check(r("CF.COUNT", "k", "foo"), 3)
    check(r("CF.DEL", "k", "foo"), yes)
    check(r("CF.COUNT", "k", "foo"), 2)
    check(r("CF.COUNT", "k", "absent"), 0)
    check(r("CF.DEL", "k", "absent"), no)
    r("CF.RESERVE", "grown", "8", "BUCKETSIZE", "2", "EXPANSION", "1")
    r("CF.INSERT", "grown", "ITEMS", *range(100))
    check(r("CF.DEL", "grown", 50), yes)
    check(b" deletes:1 " in r("CF.DEBUG", "grown"), True)
    check(r("CF.COMPACT", "grown"), OK)
    check(b" items:99 deletes:0 " in r("CF.DEBUG", "grown"), True)
    check(all(r("CF.MEXISTS", "grown", *range(50), *range(51, 100))), True, "compaction loses nothing")
    filters = int(r("CF.DEBUG", "grown").split(b"filters:")[1].split()[0])
    for i in range(90):
        r("CF.DEL", "grown", i)
    check(int(r("CF.DEBUG", "grown").split(b"filters:")[1].split()[0]) < filters, True, "removals compact too")


def full(r, yes, no):
    check(r("CF.RESERVE", "full", "4", "BUCKETSIZE", "2", "EXPANSION", "0"), OK)
    replies = [r("CF.ADD", "full", "a") for _ in range(9)]
    check(replies[0], yes)
    check(replies[-1], Refused("Filter is full"))
    check(r("CF.INSERT", "full", "ITEMS", "a", "a"), [no, no] if no is False else [-1, -1])
    check(-1 in [r("CF.INSERTNX", "full", "ITEMS", i)[0] for i in range(9)], True)
    check(r("CF.ADDNX", "full", "a"), no)


def info(r, resp):
    r("CF.RESERVE", "info", "1000")
    r("CF.INSERT", "info", "ITEMS", "a", "b", "c")
    r("CF.DEL", "info", "a")
    fields = [("Size", 1080), ("Number of buckets", 512), ("Number of filters", 1), ("Number of items inserted", 2),
              ("Number of items deleted", 1), ("Bucket size", 2), ("Expansion rate", 1), ("Max iterations", 20)]
    pairs = [(Simple(name), value) for name, value in fields]
    check(r("CF.INFO", "info"), Map(pairs) if resp == 3 else [part for pair in pairs for part in pair])


def dump(r):
    check(r("CF.SCANDUMP", "cuckoo", 0), [0, None], "an empty filter has no pieces")
    header = r("CF.SCANDUMP", "info", 0)
    check([header[0], len(header[1])], [1, 38])
    piece = r("CF.SCANDUMP", "info", 1)
    check([piece[0], len(piece[1]), sum(byte != 0 for byte in piece[1])], [1025, 1024, 2])
    check(r("CF.SCANDUMP", "info", 1025), [0, None])
    check(r("CF.LOADCHUNK", "copy", 1, header[1]), OK)
    check(r("CF.LOADCHUNK", "copy", *piece), OK)
    check(r("DUMP", "copy"), r("DUMP", "info"))
    check(r("CF.LOADCHUNK", "copy", 1, header[1]), Refused("ERR item exists"))


def settings(r):
    for name, value in {"bucket-size": 2, "initial-size": 1024, "max-iterations": 20, "expansion-factor": 1,
                        "max-expansions": 32}.items():
        check(r("CONFIG", "GET", "bf.cf-" + name)[1], b"%d" % value)

    def refused(name, value, span):
        reply = r("CONFIG", "SET", "bf.cf-" + name, value)
        sentence = f"Value for `cf-{name}` must be in the range {span}" if span else f"Invalid value for `cf-{name}`"
        check(isinstance(reply, Refused) and sentence in reply, True, reply)
    refused("bucket-size", "x", None)
    refused("bucket-size", "256", "[1, 255]")
    refused("initial-size", "3", "[4, 1073741824]")
    refused("max-iterations", "65536", "[1, 65535]")
    refused("expansion-factor", "32769", "[0, 32768]")
    refused("max-expansions", "0", "[1, 65536]")
    check(r("CONFIG", "SET", "bf.cf-initial-size", "100"), OK)
    refused("bucket-size", "51", "[1, 50]")
    check(r("CONFIG", "SET", "bf.cf-bucket-size", "8"), OK)
    refused("initial-size", "15", "[16, 1073741824]")
    check(r("CONFIG", "SET", "bf.cf-max-iterations", "5", "bf.cf-expansion-factor", "2"), OK)
    r("CF.ADD", "set", "x")
    check(r("CF.DEBUG", "set"), b"bktsize:8 buckets:16 items:1 deletes:0 filters:1 max_iterations:5 expansion:2")
    check(r("CONFIG", "SET", "bf.cf-max-expansions", "2", "bf.bf-filter-memory-limit", "64"), OK)
    r("CF.RESERVE", "two", "8", "BUCKETSIZE", "2", "EXPANSION", "1")
    replies = [r("CF.ADD", "two", i) for i in range(30)]
    check(replies[-1], Refused("Maximum expansions reached"))
    check(r("CF.INSERT", "two", "ITEMS", "a"), Refused("Maximum expansions reached"))
    check(b" filters:2 " in r("CF.DEBUG", "two"), True)
    check(r("CF.RESERVE", "large", "1000"), Refused("ERR Insufficient memory to create filter"))
    r("CF.RESERVE", "limited", "60", "BUCKETSIZE", "2", "EXPANSION", "1")
    replies = [r("CF.ADD", "limited", i) for i in range(80)]
    check([reply for reply in replies if reply != 1][0], Refused("ERR Insufficient memory"))


def paused(server, r):
    """A command for readers that is replicated waits like a write."""
    other = server.client()
    r("CF.INSERT", "paused", "ITEMS", *range(40))
    r("CF.DEL", "paused", "7")
    r("CLIENT", "PAUSE", "100000", "WRITE")
    other.socket.sendall(encode(("CF.COMPACT", "paused")))
    check(r("PING"), Simple("PONG"))
    check(b" deletes:1 " in r("CF.DEBUG", "paused"), True, "nothing changes while writes are paused")
    check(r("CLIENT", "UNPAUSE"), OK)
    check(other.read(), OK)
    check(b" deletes:0 " in r("CF.DEBUG", "paused"), True)
    other.close()


def test(module):
    for resp in (2, 3):
        with Server(module) as server:
            r = server.client(resp)
            yes, no = (True, False) if resp == 3 else (1, 0)
            errors(r)
            add(r, yes, no)
            look_and_remove(r, yes, no)
            full(r, yes, no)
            info(r, resp)
            dump(r)
            check(r("TYPE", "k"), Simple("MBbloomCF"))
            if resp == 2:
                commands(r)
                paused(server, r)
                settings(r)


main(test)
