"""The ways to a server: passwords, users, sockets, prefixes, a server without the module, and a real cluster."""
import os

from command import Folder, bloomery, lines
from harness import Server, check, free_port, main, until

SECRET = "p@ss/word"
QUOTED = "p%40ss%2Fword"


def passwords(module):
    with Server(module) as server:
        client = server.client()
        client("ACL", "SETUSER", "ann", "on", ">annspass", "~seen*", "+@read", "+@connection", "+bf.mexists", "+bf.scandump")
        client("CONFIG", "SET", "requirepass", SECRET)
        client("BF.ADD", "seen", "a")
        at = f"127.0.0.1:{server.port}/seen"
        bloomery("query", f"redis://:{QUOTED}@{at}", records=b"a\n")
        bloomery("query", f"redis://{QUOTED}@{at}", records=b"a\n")
        bloomery("query", f"redis://ann:annspass@{at}", records=b"a\n")
        bloomery("query", f"redis://{at}", records=b"a\n", environment={"REDISCLI_AUTH": SECRET})
        refused = bloomery("query", f"redis://{at}", records=b"a\n", code=2)
        check("REDISCLI_AUTH" in refused.err, True, refused.err)
        for run in [bloomery("query", f"redis://:wrong-word@{at}", records=b"a\n", code=2),
                    bloomery("add", f"redis://ann:annspass@{at}", records=b"b\n", code=2),
                    bloomery("inspect", f"redis://ann:annspass@{at}"),
                    bloomery("add", f"redis://:{QUOTED}@{at}", records=b"b\n")]:
            for word in ["wrong-word", "annspass", SECRET, QUOTED]:
                check(word in run.err + run.out.decode(), False, "no password is shown")
        check(client("BF.EXISTS", "seen", "b"), 1)


def sockets(module):
    with Server(module, options=["unixsocket redis.sock", "unixsocketperm 700"]) as server:
        server.client()("BF.ADD", "seen", "a")
        path = os.path.join(server.directory, "redis.sock").replace("/", "%2F")
        check(bloomery("query", f"redis://{path}/seen", records=lines("a", "b")).out, b"a\n")


def prefixes(module):
    with Server(module, load_arguments=["PREFIX", "mine"]) as server:
        server.client()("mine.BF.ADD", "seen", "a")
        url = f"redis://127.0.0.1:{server.port}/"
        check("?prefix=NAME" in bloomery("query", url + "seen", records=b"a\n", code=2).err, True)
        bloomery("add", url + "seen?prefix=mine", records=b"b\n")
        bloomery("convert", "--to", "redisbloom", "-o", url + "copy?prefix=mine", url + "seen?prefix=mine")
        check(bloomery("query", url + "copy?prefix=mine", records=lines("a", "b", "c")).out, b"a\nb\n")


def without_module():
    """A plain server: the commands are missing, and the sentence says what to do."""
    with Server(None) as server:
        client = server.client()
        run = bloomery("build", "--format", "redisbloom", "-o", f"redis://127.0.0.1:{server.port}/x", records=b"a\n",
                       code=2)
        check("load bloomery.so" in run.err, True, run.err)
        check(client("DBSIZE"), 0)


def cluster(module):
    """Two nodes share the slots: whichever is asked, the filter lands where its key belongs."""
    buses = [free_port(), free_port()]
    nodes = [Server(module, options=["cluster-enabled yes", f"cluster-port {bus}"]) for bus in buses]
    with nodes[0] as one, nodes[1] as two:
        a, b = one.client(), two.client()
        a("CLUSTER", "ADDSLOTSRANGE", 0, 8191)
        b("CLUSTER", "ADDSLOTSRANGE", 8192, 16383)
        a("CLUSTER", "MEET", "127.0.0.1", two.port, buses[1])
        ready = until(lambda: all(b"cluster_state:ok" in node("CLUSTER", "INFO") and
                                  b"cluster_known_nodes:2" in node("CLUSTER", "INFO") for node in (a, b)))
        check(ready, True, "the cluster comes up")
        keys = lines(*(f"key:{i}" for i in range(500)))
        for key in ["foo", "bar", "{foo}x", "{bar}x"]:
            owner, other = (b, a) if a("CLUSTER", "KEYSLOT", key) > 8191 else (a, b)
            for node in (one, two):
                url = f"redis://127.0.0.1:{node.port}/{key}"
                bloomery("build", "--force", "--format", "redisbloom", "-n", "1000", "-o", url, records=keys)
                bloomery("add", url, records=b"more\n")
                check(bloomery("query", "-c", url, records=keys + b"more\n").out, b"501\n", key)
                bloomery("inspect", url)
            check(owner("BF.EXISTS", key, "more"), 1)
            check(other("BF.EXISTS", key, "more")[:5], "MOVED")
        check([a("DBSIZE") + b("DBSIZE")], [4], "no temporary key is left")


def test(module):
    with Folder():
        passwords(module)
        sockets(module)
        prefixes(module)
        without_module()
        cluster(module)


main(test)
