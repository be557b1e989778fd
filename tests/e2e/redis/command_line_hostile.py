"""The bloomery command against servers that lie, stall, hang up, redirect or change their mind."""
import signal
import struct
import subprocess
import threading
import time

from command import PROGRAM, Folder, bloomery, lines, read
from fake_server import FakeServer, Forwarding, array, bulk, number
from harness import Server, check, main

BLOOM = b"+MBbloom--\r\n"
CUCKOO = b"+MBbloomCF\r\n"
OWN = b"+BLOOMERY1\r\n"


def header(size, keys=0, layers=1):
    """Of layers with so many bytes each, made for one key at a rate that their bits could have."""
    layer = struct.pack("<QQQddIQB", size, size * 8, keys, 0.01, 9.585058377367439, 7, 1, 0)
    return struct.pack("<QIII", keys * layers, layers, 5, 2) + layer * layers


def against(answer, *arguments, code, says, records=b"a\n", query=""):
    """Runs the command against answer(words); the address takes the place of URL in its arguments."""
    with FakeServer(answer) as fake:
        url = f"redis://127.0.0.1:{fake.port}/key{query}"
        run = bloomery(*(url if a == "URL" else a for a in arguments), records=records, code=code)
        check(says in run.err, True, f"{says!r} in {run.err!r}")
        check("\x1b" in run.err, False, "nothing steers the terminal")
        return fake


def garbage():
    """Replies that are not of the protocol, or absurd in it."""
    def endless(_):
        yield b"$499999999\r\n"
        for _ in range(4096):
            yield bytes(65536)
    for reply, code, says in [
            (b"HTTP/1.1 400 Bad Request\r\n\r\n", 3, "sent an invalid reply"),
            (b"*2147483647\r\n", 3, "too long or too deep"),
            (b"*99999999999999999999\r\n", 3, "sent an invalid reply"),
            (b"*1\r\n" * 5 + b":1\r\n", 3, "too long or too deep"),
            (b"$-7\r\n", 3, "sent an invalid reply"),
            (b"+\x1b[2Jhello\x07\r\n", 3, "not a filter but a value of type '?[2Jhello?'"),
            (b"-ERR \x1b]0;owned\x07\r\n", 2, "the server says: ERR ?]0;owned?"),
            (b"*0\r\n", 3, "not a filter"), (b"$-1\r\n", 3, "not a filter"), (b":5\r\n", 3, "not a filter"),
            (b"+MBblo", None, ""), (None, 2, "hung up"),
            (b"-NOAUTH Authentication required.\r\n", 2, "REDISCLI_AUTH"),
            (b"-LOADING Redis is loading the dataset in memory\r\n", 2, "LOADING"),
            (b"+BLMbloom-\r\n", 2, "?prefix=NAME"), (b"+bloomfltr\r\n", 3, "valkey-bloom")]:
        if code is not None:
            against(lambda _, reply=reply: reply, "query", "URL", code=code, says=says)
            against(lambda _, reply=reply: reply, "inspect", "URL", code=code, says=says)
    fake = against(endless, "query", "URL", code=4, says="above the expected")
    check(fake.sent < 64 << 20, True, f"{fake.sent} bytes were taken")


def silence():
    """A server that says nothing, or not enough, is waited for as long as the address allows."""
    over = threading.Event()

    def stall(words):
        if words[0] == b"TYPE":
            return b"+MBblo"
        over.wait(60)
        return None
    start = time.monotonic()
    against(stall, "query", "URL", code=2, says="nothing came within 1 s", query="?timeout=1")
    check(time.monotonic() - start < 20, True)
    over.set()


def bad_dumps():
    def dumps(*chunks, kind=BLOOM):
        pending = list(chunks)

        def answer(words):
            if words[0] == b"TYPE":
                return kind
            if words[0] in (b"WATCH", b"MULTI"):
                return b"+OK\r\n"
            return pending.pop(0) if pending else array(number(0), bulk(b""))
        return answer
    good = array(number(1), bulk(header(64)))
    for answer, code, says in [
            (dumps(b"+OK\r\n"), 3, "something other than a chunk"),
            (dumps(array(bulk(b"1"), bulk(b"x"))), 3, "something other than a chunk"),
            (dumps(array(number(1), bulk(b"short"))), 3, "header"),
            (dumps(array(number(1), bulk(header(1 << 40)))), 4, "--memory"),
            (dumps(array(number(1), bulk(header(1 << 45, layers=1024)))), 4, "--memory"),
            (dumps(array(number(1), bulk(header((1 << 61) - 8)))), 3, ""),
            (dumps(good), 3, "64 bytes before"),
            (dumps(good, array(number(33), bulk(bytes(32)))), 3, "32 bytes before"),
            (dumps(good, array(number(1), bulk(bytes(64)))), 3, "does not go on"),
            (dumps(good, array(number(65), bulk(b""))), 3, "does not go on"),
            (dumps(good, array(number(-5), bulk(bytes(64)))), 3, "does not go on"),
            (dumps(good, array(number(66), bulk(bytes(65)))), 4, "more than the 64 bytes"),
            (dumps(array(number(1), bulk(bytes(38))), kind=CUCKOO), 3, ""),
            (dumps(array(number(1), bulk(struct.pack("<QQQQHHH", 1, 1 << 60, 0, 1, 255, 20, 1))), kind=CUCKOO), None, "")]:
        against(answer, "inspect", "URL", code=code, says=says)
    against(dumps(good, array(number(65), bulk(bytes(64)))), "inspect", "URL", code=0, says="")
    against(dumps(good, *(array(number(2 + i), bulk(b"\0")) for i in range(64))), "inspect", "URL", code=0, says="")


def bad_answers():
    def answers(reply, types=BLOOM):
        def answer(words):
            if words[0] == b"TYPE":
                return types
            return reply if words[0] == b"BF.MEXISTS" or words[0] == b"BF.INSERT" else b"-ERR no\r\n"
        return answer
    for command in ["query", "add"]:
        for reply, code, says in [
                (array(number(1), number(1)), 3, "2 answers for 1 keys"), (array(), 3, "0 answers"),
                (array(number(7)), 3, "other than 0 or 1"), (array(bulk(b"1")), 3, "other than 0 or 1"),
                (array(b"-ERR problem inserting into filter\r\n"), 4, "problem inserting"),
                (b"-ERR unknown command 'BF.MEXISTS'\r\n", 2, "load bloomery.so")]:
            against(answers(reply), command, "URL", code=code, says=says)


def vanished():
    """Of a key that has gone a server says that nothing is in it; this must not become an answer."""
    types = [BLOOM]

    def answer(words):
        if words[0] == b"TYPE":
            return types.pop() if types else b"+none\r\n"
        return array(number(0)) if words[0] == b"BF.MEXISTS" else b"-ERR not found\r\n"
    against(answer, "query", "-v", "URL", code=2, says="deleted or replaced")


def info(items, filters=1, expansion=2, **more):
    """What BF.INFO answers."""
    facts = {"Capacity": 100 * filters, "Size": 240 * filters, "Number of filters": filters,
             "Number of items inserted": items, "Expansion rate": expansion, **more}
    return array(*(part for name, value in facts.items()
                   for part in (b"+%s\r\n" % name.encode(), number(value) if isinstance(value, int) else bulk(value))))


def cuckoo_info(items, deleted, filters=1, buckets=512):
    return array(*(part for name, value in {"Number of buckets": buckets, "Number of filters": filters, "Bucket size": 2,
                                            "Number of items inserted": items, "Number of items deleted": deleted}.items()
                   for part in (b"+%s\r\n" % name.encode(), number(value))))


def replaced():
    """Another filter of the same type under the same key is noticed where its facts contradict those of the first."""
    def changing(kind, before, after):
        told = [before] * (1 if kind == BLOOM else 2)  # of the others INFO is also asked for their health

        def answer(words):
            if words[0] == b"TYPE":
                return kind
            if words[0].endswith(b".INFO"):
                return told.pop() if told else after
            return array(number(1)) if words[0].endswith(b".MEXISTS") else b"-ERR not found\r\n"
        return answer
    own = {"Layout": b"classic", "Window": 0, "Secret": 0}
    for kind, before, after, same in [
            (BLOOM, info(5), info(5), True), (BLOOM, info(5), info(90, filters=2), True),
            (BLOOM, info(5), info(4), False), (BLOOM, info(90, filters=2), info(90), False),
            (BLOOM, info(5), info(5, expansion=4), False), (BLOOM, info(5), b"-NOPERM no\r\n", True),
            (OWN, info(5, Counting=0, **own), info(0, Counting=0, **own), False),
            (OWN, info(5, Counting=1, **own), info(0, Counting=1, **own), True),
            (OWN, info(5, Counting=1, **own), info(5, Counting=0, **own), False),
            (CUCKOO, cuckoo_info(5, 0), cuckoo_info(3, 2), True), (CUCKOO, cuckoo_info(5, 0), cuckoo_info(0, 0), False),
            (CUCKOO, cuckoo_info(5, 2, filters=2), cuckoo_info(4, 0), True),
            (CUCKOO, cuckoo_info(5, 0), cuckoo_info(5, 0, buckets=64), False)]:
        against(changing(kind, before, after), "query", "-c", "URL", code=0 if same else 2,
                says="" if same else "deleted or replaced")


def replaced_in_a_server(module):
    """The same with a real one, between two records of a pipe."""
    with Server(module) as server:
        r = server.client()
        for make in (["BF.RESERVE", "key", "0.01", "1000"], ["BF.RESERVE", "key", "0.01", "1000", "LAYOUT", "BLOCK"],
                     ["CF.RESERVE", "key", "1000"]):
            r(*make)
            r(make[0][:2] + ".ADD", "key", "a")
            query = subprocess.Popen([PROGRAM, "query", f"redis://127.0.0.1:{server.port}/key"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            query.stdin.write(b"a\n")
            query.stdin.flush()
            check(query.stdout.readline(), b"a\n")
            r("DEL", "key")
            r(*make)
            _, said = query.communicate(b"a\n", timeout=60)
            check([query.returncode, b"deleted or replaced" in said], [2, True], said.decode())
            r("DEL", "key")


def hangs_up_on_a_writer():
    """Much is still to be sent when the server listens no more: an error, and not the end by a signal."""
    def answer(words):
        return {b"TYPE": BLOOM, b"BF.SCANDUMP": b"-ERR no\r\n"}.get(words[0])
    records = lines(*(b"%d" % i + b"x" * 900_000 for i in range(40)))
    with FakeServer(answer) as fake:
        run = bloomery("add", f"redis://127.0.0.1:{fake.port}/key", records=records, code=2)
        check("cannot send" in run.err or "hung up" in run.err or "not answer" in run.err, True, run.err)
    # And a temporary key cannot be removed where no server listens.
    with FakeServer(lambda words: b"+none\r\n" if words[0] == b"TYPE" else None, abrupt=True) as fake:
        bloomery("build", "--format", "redisbloom", "-n", "100", "-o", f"redis://127.0.0.1:{fake.port}/key", records=b"a\n",
                 code=2)


def deleted_before_the_first_key(real, client):
    """A filter that has gone is not made anew with another shape."""
    client("BF.ADD", "gone", "a")

    def instead(words):
        if words[0] == b"BF.INSERT":
            client("DEL", "gone")
        return None
    through = Forwarding(real.port, instead)
    with FakeServer(through) as fake:
        run = bloomery("add", f"redis://127.0.0.1:{fake.port}/gone", records=b"b\n", code=2)
        check("ERR not found" in run.err, True, run.err)
    through.close()
    check(client("EXISTS", "gone"), 0)


def redirections(real, client):
    client("BF.MADD", "key", "a", "b")

    def elsewhere(words):
        if words[0] == b"TYPE":
            return b"-MOVED 12539 127.0.0.1:%d\r\n" % real.port
        return b"-ERR never asked\r\n"
    for target in [b"127.0.0.1", b""]:  # an empty host is the one that was asked
        def answer(words, target=target):
            return elsewhere(words).replace(b"127.0.0.1", target)
        fake = against(answer, "query", "URL", code=0, says="", records=b"a\nc\n")
        check(len(fake.commands), 1, "once moved, it stays there")
    with FakeServer(None) as round_and_round:
        round_and_round.answer = lambda _: b"-MOVED 1 127.0.0.1:%d\r\n" % round_and_round.port
        run = bloomery("inspect", f"redis://:pw@127.0.0.1:{round_and_round.port}/key", code=2)
        check("the server says: MOVED" in run.err, True, run.err)  # where even AUTH is moved, no node is one
        run = bloomery("inspect", f"redis://127.0.0.1:{round_and_round.port}/key", code=2)
        check("redirected the command" in run.err, True, run.err)
    asked = Forwarding(real.port, lambda words: b"+OK\r\n" if words[0] == b"ASKING" else None)
    with FakeServer(asked) as new_home:
        fake = against(lambda _: b"-ASK 12539 127.0.0.1:%d\r\n" % new_home.port, "query", "URL", code=0, says="",
                       records=b"a\nc\n")
        check([c[0] for c in new_home.commands[:4]], [b"ASKING", b"TYPE", b"ASKING", b"BF.SCANDUMP"])
        check(len(fake.commands), 7, "each command is asked here first")
    asked.close()
    for nonsense in [b"-MOVED\r\n", b"-MOVED 1\r\n", b"-MOVED 1 host\r\n", b"-MOVED 1 h:99999\r\n", b"-ASK 1 :x\r\n"]:
        against(lambda _, reply=nonsense: reply, "inspect", "URL", code=2, says="the server says: ")


def moving_keys(real, client):
    """A cuckoo filter that is written to while it is fetched is fetched again."""
    client("CF.RESERVE", "cuckoo", 100)
    client("CF.ADD", "cuckoo", "a")
    for changes, code in [(0, 0), (2, 0), (99, 2)]:
        left = [changes]

        def instead(words):
            if words[0] == b"SET" or words[0] != b"MULTI" or left[0] == 0:
                return None
            left[0] -= 1
            client("CF.ADD", "cuckoo", f"more:{left[0]}")
            return None
        through = Forwarding(real.port, instead)
        with FakeServer(through) as fake:
            run = bloomery("convert", "--to", "rediscuckoo", "--force", "-o", "c.bin",
                           f"redis://127.0.0.1:{fake.port}/cuckoo", code=code)
            check("another client wrote" in run.err, code == 2)
            check([c[0] for c in fake.commands].count(b"WATCH"), min(changes + 1, 5))
        through.close()


def interrupted(real, client):
    """SIGINT while a filter is loaded: the key is as it was, and nothing is left beside it."""
    bloomery("build", "--format", "redisbloom", "-n", "30M", "-o", "large.bin", records=lines("x"))
    client("BF.ADD", "kept", "old")
    before = client("DUMP", "kept")
    loading, go_on = threading.Event(), threading.Event()

    def instead(words):
        if words[0] == b"BF.LOADCHUNK" and words[2] != b"1":
            loading.set()
            go_on.wait(60)
        return None
    through = Forwarding(real.port, instead)
    with FakeServer(through) as fake:
        command = subprocess.Popen([PROGRAM, "convert", "--format", "redisbloom", "--to", "redisbloom", "--force", "-o",
                                    f"redis://127.0.0.1:{fake.port}/kept", "large.bin"], stderr=subprocess.PIPE)
        check(loading.wait(60), True)
        temporary = [k for k in client("KEYS", "*") if b"bloomery-loading" in k]
        check([client("TTL", k) in range(1, 3601) for k in temporary], [True], "the server would remove it too")
        command.send_signal(signal.SIGINT)
        go_on.set()
        command.communicate(timeout=60)
        check(command.returncode, -signal.SIGINT)
    through.close()
    check(client("DUMP", "kept"), before)
    check([k for k in client("KEYS", "*") if b"bloomery-loading" in k], [])


def lost_race(real, client):
    """A key that another client makes while ours is loaded is not replaced without --force."""
    def instead(words):
        if words[0] == b"MULTI":
            client("SET", "raced", "theirs")
        return None
    through = Forwarding(real.port, instead)
    with FakeServer(through) as fake:
        run = bloomery("build", "--format", "redisbloom", "-o", f"redis://127.0.0.1:{fake.port}/raced", records=b"a\n",
                       code=2)
        check("meanwhile" in run.err, True, run.err)
    through.close()
    check(client("GET", "raced"), b"theirs")
    check([k for k in client("KEYS", "*") if b"bloomery-loading" in k], [])


def test(module):
    garbage()
    silence()
    bad_dumps()
    bad_answers()
    vanished()
    replaced()
    replaced_in_a_server(module)
    hangs_up_on_a_writer()
    with Folder(), Server(module) as real:
        client = real.client()
        redirections(real, client)
        deleted_before_the_first_key(real, client)
        moving_keys(real, client)
        interrupted(real, client)
        lost_race(real, client)
        check(read("large.bin") != b"", True)


main(test)
