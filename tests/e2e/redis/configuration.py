"""Settings, load arguments, the prefix, and what COMMAND says of us."""
import shutil
import tempfile

from harness import OK, Refused, Server, Simple, check, main


def refused(reply, sentence):
    check(isinstance(reply, Refused) and sentence in reply, True, f"{reply!r} should contain {sentence!r}")


def run_time(r):
    defaults = {"bf-error-rate": b"0.01", "bf-initial-size": b"100", "bf-expansion-factor": b"2"}
    for name, value in defaults.items():
        check(r("CONFIG", "GET", "bf." + name), [b"bf." + name.encode(), value])
    check(r("CONFIG", "SET", "bf.bf-initial-size", "50"), OK)
    check(r("CONFIG", "SET", "bf.bf-error-rate", "0.1"), OK)
    check(r("CONFIG", "SET", "bf.bf-expansion-factor", "4"), OK)
    r("BF.ADD", "made", "x")
    r("BF.RESERVE", "like", "0.1", "50", "EXPANSION", "4")
    r("BF.ADD", "like", "x")
    check(r("DUMP", "made"), r("DUMP", "like"))
    r("BF.RESERVE", "reserved", "0.1", "50")
    check(r("BF.INFO", "reserved", "EXPANSION"), [4])
    check(r("CONFIG", "SET", "bf.bf-expansion-factor", "0"), OK)
    r("BF.ADD", "fixed", "x")
    check(r("BF.INFO", "fixed", "EXPANSION"), [None])
    check(r("CONFIG", "SET", "bf.bf-error-rate", "0.5"), OK)
    check(r("CONFIG", "GET", "bf.bf-error-rate")[1], b"0.25")
    invalid, outside = "Invalid value for `%s`", "Value for `%s` must be in the range %s"
    for value, sentence in [("x", invalid % "bf-error-rate"), ("nan", invalid % "bf-error-rate"),
                            ("0", outside % ("bf-error-rate", "(0.000000, 1.000000)")),
                            ("1", outside % ("bf-error-rate", "(0.000000, 1.000000)"))]:
        refused(r("CONFIG", "SET", "bf.bf-error-rate", value), sentence)
    for value, sentence in [("x", invalid % "bf-initial-size"), ("0", outside % ("bf-initial-size", "[1, 1073741824]")),
                            ("1073741825", outside % ("bf-initial-size", "[1, 1073741824]"))]:
        refused(r("CONFIG", "SET", "bf.bf-initial-size", value), sentence)
    refused(r("CONFIG", "SET", "bf.bf-expansion-factor", "32769"), outside % ("bf-expansion-factor", "[0, 32768]"))


def load_arguments(module):
    with Server(module, ["error_rate", "0.1", "INITIAL_SIZE", "50", "CF_MAX_EXPANSIONS", "16"]) as server:
        r = server.client()
        check(r("CONFIG", "GET", "bf.bf-error-rate")[1], b"0.1")
        check(r("CONFIG", "GET", "bf.bf-initial-size")[1], b"50")
        check(server.log().count("deprecated"), 3)
    with Server(module, ["bf-error-rate", "0.9", "BF-Initial-Size", "50"], ["bf.bf-initial-size 7"]) as server:
        r = server.client()
        check(r("CONFIG", "GET", "bf.bf-error-rate")[1], b"0.25")
        check(r("CONFIG", "GET", "bf.bf-initial-size")[1], b"7", "a configuration file goes first")
        check("deprecated" in server.log(), False)
        check(r("CONFIG", "SET", "bf.bf-initial-size", "9"), OK)
        check(r("CONFIG", "REWRITE"), OK)
    for arguments, sentence in [(["ERROR_RATE"], "pairs of a name and a value"), (["JUNK", "1"], "Unknown load argument"),
                                (["EXPANSION", "2"], "Unknown load argument"),
                                (["INITIAL_SIZE", "0"], "must be in the range [1, 1073741824]"),
                                (["ERROR_RATE", "x"], "Invalid value for `bf-error-rate`"), (["PREFIX", "a.b"], "PREFIX takes")]:
        server = Server(module, arguments)
        server.start(expect_failure=True)
        check(sentence in server.log(), True, f"{arguments}: {server.log()[-400:]}")
        server.__exit__()


def prefixes(module):
    with Server(module, options=["enable-module-command yes", "appendonly yes", "aof-use-rdb-preamble no"]) as server:
        r = server.client()
        r("BF.ADD", "k", "x")
        reply = r("MODULE", "LOAD", str(module))
        check(isinstance(reply, Refused), True)
        check(r("BF.EXISTS", "k", "x"), 1)
    with tempfile.TemporaryDirectory() as folder:
        other = shutil.copy(module, folder + "/other.so")
        with Server(module, more_modules=[(other, ["PREFIX", "mine"])],
                    options=["enable-module-command yes", "appendonly yes", "aof-use-rdb-preamble no"]) as server:
            r = server.client()
            check(r("BF.ADD", "k", "x"), 1)
            check(r("MINE.BF.ADD", "m", "x"), 1)
            check(r("MINE.BF.ADD", "k", "x"), Refused("WRONGTYPE Operation against a key holding the wrong kind of value"))
            check(r("TYPE", "m"), Simple("BLMbloom-"))
            check(r("CONFIG", "GET", "mine.bf-initial-size")[1], b"100")
            check([b"mine_filters:1" in r("INFO", "mine_bloom"), b"bf_filters:1" in r("INFO", "bf_bloom")], [True, True])
            digest = r("DEBUG", "DIGEST")
            server.restart()
            check(server.client()("DEBUG", "DIGEST"), digest, "prefixed commands are replayed")
            third = shutil.copy(module, folder + "/third.so")
            reply = server.client()("MODULE", "LOAD", third)
            check(isinstance(reply, Refused), True)
            check("load with the arguments PREFIX name" in server.log(), True)
            check(server.client()("PING"), Simple("PONG"))


ARITY = {"bf.reserve": -4, "bf.add": 3, "bf.madd": -3, "bf.insert": -4, "bf.exists": 3, "bf.mexists": -3, "bf.info": -2,
         "bf.card": 2, "bf.debug": 2, "bf.scandump": 3, "bf.loadchunk": 4}
WRITES = {"bf.reserve", "bf.add", "bf.madd", "bf.insert", "bf.loadchunk"}


def commands(r):
    for name, arity in ARITY.items():
        row = r("COMMAND", "INFO", name)[0]
        check(row[:2], [name.encode(), arity])
        flags = ["write", "denyoom", "module"] if name in WRITES else ["readonly", "module", "fast"]
        check(sorted(row[2]), sorted(map(Simple, flags)), name)
        check(row[3:6], [1, 1, 1], name)
        check(len(row[8]), 1, f"{name} has one key spec")
        docs = r("COMMAND", "DOCS", name)[1]
        fields = dict(zip(docs[::2], docs[1::2]))
        check(len(fields[b"summary"]) > 20, True, name)
        check([fields[b"since"], fields[b"module"]], [b"2.4.4" if name == "bf.card" else b"1.0.0", b"bf"], name)
        check(fields[b"complexity"].startswith(b"O("), True, name)
        check(fields[b"arguments"][0][:2], [b"name", b"key"], name)
        check(r("COMMAND", "GETKEYS", name, *["x"] * (abs(arity) - 1)), [b"x"], name)


def test(module):
    with Server(module) as server:
        r = server.client()
        commands(r)
        run_time(r)
        listed = r("MODULE", "LIST")[0]
        check(listed[:2], [b"name", b"bf"])
    load_arguments(module)
    prefixes(module)


main(test)
