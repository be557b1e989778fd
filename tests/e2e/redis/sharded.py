"""One filter over the keys of a real cluster, by redis://host:port/name?shards=auto: it is the filter of a file, byte for
byte and answer for answer; a rule of ten lines gives the same answers in Python; a shard that is missing, emptied or
half made is named or made; only nodes of the cluster get the password."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading

from command import PROGRAM, Folder, bloomery, lines
from cluster_servers import SLOTS
from harness import OK, Client, Server, check, main
from sharded_servers import ShardedCluster

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples/redis/sharded.py"
SYSTEM_PYTHON = "/usr/bin/python3"  # which has Debian's python3-redis
KEYS = 60_000
NAMES = [f"key:{i}" for i in range(KEYS)]
ABSENT = [f"absent:{i}" for i in range(100_000)]
SECRET = "p@ss/word"


def metadata(cluster, name="seen"):
    flat = cluster.call("HGETALL", f"{name}:{{{name}}}:meta")
    return {key.decode(): value.decode() for key, value in zip(flat[::2], flat[1::2])}


def shard_keys(cluster, name="seen"):
    keys = []
    for port in cluster.primaries():
        keys += [key for key in Client(port)("KEYS", f"{name}:{{*}}")]
    return sorted(keys)


def is_the_file(cluster):
    bloomery("build", "-o", "whole.bloom", "-n", KEYS, "-p", "1%", records=lines(*NAMES))
    run = bloomery("build", "-o", cluster.url(), "-n", KEYS, "-p", "1%", records=lines(*NAMES))
    check("12 shards" in run.err, True, run.err)
    fields = metadata(cluster)
    check([fields[name] for name in ("format", "version", "state", "shards", "keys", "rate", "hash", "tags")],
          ["bloomery-shards", "1", "ready", "12", str(KEYS), "0.01", "xxh3-64", "middle"])
    for port in cluster.primaries():
        check(len(Client(port)("KEYS", "seen:{*}")), 4, "four shards on each primary")
    bloomery("convert", "--to", "bloomery", "-o", "fetched.bloom", cluster.url())
    body = lambda path: pathlib.Path(path).read_bytes()[128:]
    check(body("fetched.bloom") == body("whole.bloom"), True, "the shards are the filter")
    records = lines(*NAMES, *ABSENT)
    expected = bloomery("query", "whole.bloom", records=records).out
    check(bloomery("query", cluster.url(), records=records).out == expected, True, "every answer")
    check(bloomery("query", cluster.url(query="shards=12&replicas=1"), records=records).out == expected, True,
          "every answer of replicas")
    wrong = expected.count(b"absent:")
    check(0.008 < wrong / len(ABSENT) < 0.012, True, f"rate {wrong / len(ABSENT)}")
    print(f"{KEYS} keys in 12 shards: 0 false negatives, false-positive rate {wrong / len(ABSENT):.4%} (goal 1 %)")
    facts = json.loads(bloomery("inspect", "--json", cluster.url()).out)
    check(facts["keys_inserted"] in range(KEYS - 600, KEYS + 1), True, str(facts))
    out = bloomery("dedup", "--against", cluster.url(), records=lines(*NAMES[:1000], "fresh:1", "fresh:1")).out
    check(out, b"fresh:1\n")
    more = bloomery("add", cluster.url(query="shards=auto&wait=1"), records=lines("late:1", "late:2"))
    check(bloomery("query", cluster.url(), records=lines("late:1", "late:2")).out, lines("late:1", "late:2"), more.err)


def errors(cluster):
    """What the command refuses, and why."""
    def says(words, *arguments, code=2, records=b"a\n"):
        run = bloomery(*arguments, records=records, code=code)
        check(words in run.err, True, run.err)
    says("the filter exists; --force replaces it", "build", "-o", cluster.url(), "-n", 10_000, "-p", "1%")
    says("12 shards, and not 7", "query", cluster.url(query="shards=7"))
    says("no such filter", "query", cluster.url("other"))
    says("--strict works on files only", "build", "--strict", "-o", cluster.url("other"), "-n", 10_000, "-p", "1%")
    says("has no braces", "query", cluster.url("a%7Bb%7D"))
    says("only", "build", "-o", cluster.url("other"), "--format", "redisbloom", "-n", 1000)
    says("line", "build", "-o", cluster.url("other"), "-n", 10_000, "-p", "1e-9")
    check(metadata(cluster, "other"), {})


def half_made(cluster):
    """A creator that was killed after some shards: the next one to open makes the rest."""
    bloomery("build", "-o", cluster.url("half"), "-n", 10_000, "-p", "1%", records=b"a\n")
    fields = metadata(cluster, "half")
    keys = [key for key in shard_keys(cluster, "half") if b":meta" not in key]
    check(len(keys), 12)
    def unmake():
        for i, key in enumerate(keys):
            check(cluster.call("BF.CLEAR", key) if i < 3 else cluster.call("DEL", key), OK if i < 3 else 1)
        cluster.call("HSET", "half:{half}:meta", "state", "creating")
    unmake()
    check(bloomery("add", cluster.url("half"), records=lines(*NAMES[:2000])).code, 0)
    check(bloomery("query", "-c", cluster.url("half"), records=lines(*NAMES[:2000])).out, b"2000\n")
    check(metadata(cluster, "half"), {**fields, "state": "ready"})
    # Another creator that wants the same adopts it, one that wants another is refused.
    unmake()
    run = bloomery("build", "-o", cluster.url("half"), "-n", 20_000, "-p", "1%", records=b"a\n", code=2)
    check("made for 10000 keys at 0.01 in 12 shards" in run.err, True, run.err)
    bloomery("build", "-o", cluster.url("half"), "-n", 10_000, "-p", "1%", records=b"a\n")
    check(metadata(cluster, "half")["id"], fields["id"])
    # Nobody adds before it is ready: keys in a shard then are those of an earlier filter.
    bloomery("add", cluster.url("half"), records=lines(*NAMES[:2000]))
    cluster.call("DEL", "half:{half}:meta")
    for _ in range(2):
        run = bloomery("build", "-o", cluster.url("half"), "-n", 10_000, "-p", "1%", records=b"a\n", code=2)
        check("it is a leftover" in run.err and "--force" in run.err, True, run.err)
    bloomery("build", "--force", "-o", cluster.url("half"), "-n", 10_000, "-p", "1%", records=b"a\n")
    check(json.loads(bloomery("inspect", "--json", cluster.url("half")).out)["keys_inserted"], 1)


def half_removed(cluster):
    """A removal or a replacement that stops between two shards: no old key is in a filter that is used."""
    build = ["build", "--force", "-o", cluster.url("gone"), "-n", 10_000, "-p", "1%"]
    bloomery(*build, records=lines(*NAMES[:2000]))
    bloomery("build", "-o", "other.bloom", "-n", 10_000, "-p", "1%", records=lines(*NAMES[2000:4000]))
    load = ["convert", "--force", "--to", "bloomery", "-o", cluster.url("gone"), "other.bloom"]
    last = Client(cluster.primaries()[-1])
    for run_again, denied in [(build, "unlink"), (load, "unlink"), (load, "rename")]:
        check(last("ACL", "SETUSER", "default", f"-{denied}"), OK)
        run = bloomery(*run_again, records=b"a\n", code=None)
        check(run.code != 0 and denied in run.err, True, run.err)
        check(last("ACL", "SETUSER", "default", f"+{denied}"), OK)
        run = bloomery("query", cluster.url("gone"), records=b"a\n", code=None)
        check(run.code != 0 and "is being loaded or removed, or that was interrupted" in run.err, True, run.err)
        if denied == "rename":
            check(last("KEYS", "gone:{*}"), [], "no old shard is left when the new ones come")
    bloomery(*load)
    check(bloomery("query", "-c", cluster.url("gone"), records=lines(*NAMES[2000:4000])).out, b"2000\n")
    bloomery(*build, records=b"a\n")
    check(json.loads(bloomery("inspect", "--json", cluster.url("gone")).out)["keys_inserted"], 1)


def creators_together(cluster):
    """One wins; the others add to its filter."""
    runs = []
    records = [lines(*(f"{i}:{k}" for k in range(500))) for i in range(4)]
    def create(i):
        runs.append(subprocess.run([PROGRAM, "build", "-q", "-o", cluster.url("race"), "-n", "10000", "-p", "1%"],
                                   input=records[i], capture_output=True, timeout=60))
    threads = [threading.Thread(target=create, args=[i]) for i in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    done = sum(run.returncode == 0 for run in runs)
    check(done >= 1, True, str([run.stderr for run in runs]))
    for run in runs:  # a client that came when it was ready got this answer
        check(run.returncode == 0 or b"the filter exists" in run.stderr, True, run.stderr.decode())
    count = int(bloomery("query", "-c", cluster.url("race"), records=b"".join(records)).out)
    check(count >= 500 * done, True, "keys of all creators")


def lost_shards(cluster):
    """Never an answer of a filter that is not whole."""
    bloomery("build", "-o", cluster.url("lost"), "-n", 10_000, "-p", "1%", records=lines(*NAMES[:5000]))
    key = [key for key in shard_keys(cluster, "lost") if b":meta" not in key][5]
    saved = cluster.call("DUMP", key)
    running = subprocess.Popen([PROGRAM, "query", "-c", cluster.url("lost")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    running.stdin.write(lines(*NAMES[:2000]))
    running.stdin.flush()
    check(cluster.call("BF.CLEAR", key), OK)
    run = bloomery("query", cluster.url("lost"), records=b"a\n", code=None)
    cluster.call("DEL", key)
    for arguments in [["query"], ["add"], ["inspect"], ["dedup", "--against"]]:
        run = bloomery(*arguments, cluster.url("lost"), records=lines(*NAMES[:100]), code=None)
        check(run.code in (2, 3) and "is missing" in run.err and key.decode() in run.err, True, f"{arguments} {run.err}")
    out, err = running.communicate(lines(*NAMES[2000:5000]), timeout=60)
    check(running.returncode != 0 and (b"missing" in err or b"was emptied" in err), True, f"{out} {err}")
    check(cluster.call("RESTORE", key, 0, saved), OK)
    check(bloomery("query", "-c", cluster.url("lost"), records=lines(*NAMES[:5000])).out, b"5000\n")
    # A key of another filter, and a plain filter in the place of a part.
    check(cluster.call("DEL", key), 1)
    check(cluster.call("BF.RESERVE", key, "0.01", 1000), OK)
    run = bloomery("query", cluster.url("lost"), records=b"a\n", code=None)
    check("not the part that the metadata says" in run.err, True, run.err)
    cluster.call("HSET", "lost:{lost}:meta", "version", "2")
    run = bloomery("query", cluster.url("lost"), records=b"a\n", code=None)
    check("version '2', and only 1 is known" in run.err, True, run.err)


def loaded(cluster):
    """A filter that was built elsewhere, cut into parts; replaced in place; an interrupted load is named."""
    bloomery("convert", "--to", "bloomery", "-o", cluster.url("loaded"), "whole.bloom")
    records = lines(*NAMES, *ABSENT[:20_000])
    expected = bloomery("query", "whole.bloom", records=records).out
    check(bloomery("query", cluster.url("loaded"), records=records).out == expected, True, "answers of a loaded filter")
    check(b"loading" in b" ".join(shard_keys(cluster, "loaded")), False, "no temporary key is left")
    run = bloomery("convert", "--to", "bloomery", "-o", cluster.url("loaded"), "whole.bloom", code=2)
    check("--force" in run.err, True, run.err)
    bloomery("convert", "--force", "--to", "bloomery", "-o", cluster.url("loaded", "shards=7"), "whole.bloom")
    check(len(shard_keys(cluster, "loaded")), 7, "shards of the old number are gone")
    check(bloomery("query", cluster.url("loaded"), records=records).out == expected, True, "in seven shards")
    bloomery("add", cluster.url("loaded"), records=b"after\n")
    check(bloomery("query", cluster.url("loaded"), records=b"after\n").out, b"after\n")
    cluster.call("HSET", "loaded:{loaded}:meta", "state", "loading")
    run = bloomery("query", cluster.url("loaded"), records=b"a\n", code=None)
    check("is being loaded or removed, or that was interrupted" in run.err, True, run.err)
    for options, word in [(["--seeded"], "seeds"), (["--layout", "classic"], "block"), (["--layout", "counting"], "block")]:
        bloomery("build", "--force", "-o", "no.bloom", "-n", 1000, "-p", "1%", *options, records=b"a\n")
        run = bloomery("convert", "--to", "bloomery", "-o", cluster.url("no"), "no.bloom", code=None)
        check(run.code != 0 and word in run.err or "counters" in run.err, True, run.err)


def parts_are_shards(cluster):
    """Parts that were built each by itself are loaded as they are."""
    for i in range(6):
        bloomery("build", "--part", f"{i}/6", "-n", KEYS, "-p", "1%", "-o", f"p.{i}.bloom", records=lines(*NAMES))
    bloomery("join", "--manifest", "-o", "p.bloomset", *(f"p.{i}.bloom" for i in range(6)))
    bloomery("convert", "--to", "bloomery", "-o", cluster.url("set"), "p.bloomset")
    check(len(shard_keys(cluster, "set")), 6)
    records = lines(*NAMES, *ABSENT[:20_000])
    check(bloomery("query", cluster.url("set"), records=records).out == bloomery("query", "whole.bloom", records=records).out, True,
          "answers of parts as shards")
    run = bloomery("convert", "--force", "--to", "bloomery", "-o", cluster.url("set", "shards=5"), "p.bloomset", code=2)
    check("6 parts" in run.err, True, run.err)
    pathlib.Path("p.3.bloom").write_bytes(pathlib.Path("p.3.bloom").read_bytes()[:-1] + b"\xff")
    before = shard_keys(cluster, "set")
    run = bloomery("convert", "--force", "--to", "bloomery", "-o", cluster.url("set"), "p.bloomset", code=None)
    check((run.code != 0, shard_keys(cluster, "set")), (True, before), run.err)
    check(bloomery("query", "-c", cluster.url("set"), records=lines(*NAMES)).out, b"%d\n" % KEYS)
    os.remove("p.3.bloom")
    run = bloomery("convert", "--to", "bloomery", "-o", cluster.url("set2"), "p.bloomset", code=None)
    check(run.code != 0 and "p.3.bloom" in run.err, True, run.err)


def by_rule(cluster):
    """The ten lines of Python of docs/redis_cluster.md, with redis-py."""
    have = subprocess.run([SYSTEM_PYTHON, "-c", "import redis.cluster"], capture_output=True).returncode == 0
    if not have:
        return print("note: python3-redis is not installed")
    records = NAMES[:3000] + ABSENT[:20_000]
    expected = bloomery("query", cluster.url(), records=lines(*records)).out
    run = subprocess.run([SYSTEM_PYTHON, EXAMPLE, "query", f"127.0.0.1:{cluster.any()}", "seen"], input=lines(*records),
                         capture_output=True, timeout=120)
    check((run.returncode, run.stderr.decode()), (0, ""))
    check(run.stdout == expected, True, f"{len(run.stdout)} {len(expected)}")
    run = subprocess.run([SYSTEM_PYTHON, EXAMPLE, "add", f"127.0.0.1:{cluster.any()}", "seen"], input=lines(*(f"py:{i}" for i in range(500))),
                         capture_output=True, timeout=120)
    check((run.returncode, run.stderr.decode()), (0, ""))
    check(bloomery("query", "-c", cluster.url(), records=lines(*(f"py:{i}" for i in range(500)))).out, b"500\n")
    documented_lines(cluster)


def documented_lines(cluster):
    """The block of docs/redis_cluster.md as it stands there, with the package xxhash stood in for."""
    code = re.search(r"```python\n(.*?)```", (ROOT / "docs/redis_cluster.md").read_text(), re.DOTALL)[1]
    before = f"""
import binascii, ctypes, types
from redis.cluster import RedisCluster
xxh = ctypes.CDLL("libxxhash.so.0").XXH3_64bits_withSeed
xxh.restype, xxh.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
xxhash = types.SimpleNamespace(xxh3_64_intdigest=lambda key, seed: xxh(key, len(key), seed))
cluster, name = RedisCluster(host="127.0.0.1", port={cluster.any()}), "seen"
"""
    after = "\nprint(*(shard_key(b'key:%d' % i) for i in range(300)))\n"
    run = subprocess.run([SYSTEM_PYTHON, "-c", before + code + after], capture_output=True, text=True, timeout=60)
    check((run.returncode, run.stderr), (0, ""))
    check([cluster.call("BF.EXISTS", key, f"key:{i}") for i, key in enumerate(run.stdout.split())], [1] * 300)
    check(bloomery("query", cluster.url(), records=b"apple\n").out, b"apple\n")


def passwords(cluster):
    """Every node of the cluster gets it; another host that a node redirects to does not."""
    for port in cluster.alive():
        r = Client(port)
        check(r("CONFIG", "SET", "masterauth", SECRET), OK)
        check(r("CONFIG", "SET", "requirepass", SECRET), OK)
    environment = {"BLOOMERY_REDIS_PASSWORD": SECRET}
    check(bloomery("query", "-c", cluster.url(), records=lines(*NAMES[:5000]), environment=environment).out, b"5000\n")
    run = bloomery("query", cluster.url(), records=b"a\n", code=2)
    check("BLOOMERY_REDIS_PASSWORD" in run.err, True, run.err)


class Faked(threading.Thread):
    """A node that lists itself alone, and redirects all else to another host."""

    def __init__(self, target=None):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.target, self.heard = self.listener.getsockname()[1], target, b""
        self.start()

    def run(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        while data := connection.recv(65536):
            self.heard += data
            for command in data.split(b"*")[1:]:
                nodes = f"aa 127.0.0.1:{self.port}@1 myself,master - 0 0 1 connected 0-16383\n"
                if b"AUTH" in command:
                    connection.sendall(b"+OK\r\n")
                elif b"NODES" in command:
                    connection.sendall(b"$%d\r\n%s\r\n" % (len(nodes), nodes.encode()))
                else:
                    connection.sendall(b"-%s 7 127.0.0.1:%d\r\n" % (self.how, self.target or 1))


class Losing(Faked):
    """Passes all on to a server, which loses a temporary shard just before the renames."""
    how = None

    def serve(self, connection):
        server = socket.create_connection(("127.0.0.1", self.target))
        def back():
            while data := server.recv(65536):
                connection.sendall(data)
        threading.Thread(target=back, daemon=True).start()
        while data := connection.recv(65536):
            if b"RENAME" in data:
                r = Client(self.target)
                check(r("DEL", *[key for key in r("KEYS", "*:loading-*")][:1]), 1)
            server.sendall(data)


def lost_while_loading(module):
    """A shard that is lost between its load and its rename: never the old one among new ones."""
    with Server(module) as server:
        proxy = Losing(server.port)
        url = lambda port: f"redis://127.0.0.1:{port}/lost?shards=4"
        for i in range(2):
            bloomery("build", "--force", "-o", f"{i}.bloom", "-n", 10_000, "-p", "1%", records=lines(*NAMES[i * 5000:i * 5000 + 5000]))
        bloomery("convert", "--to", "bloomery", "-o", url(server.port), "0.bloom")
        run = bloomery("convert", "--force", "--to", "bloomery", "-o", url(proxy.port), "1.bloom", code=None)
        check(run.code != 0 and "of 4 (lost:{" in run.err and "it is missing" in run.err, True, run.err)
        check(bloomery("query", url(server.port), records=b"a\n", code=None).code != 0, True)
        bloomery("convert", "--force", "--to", "bloomery", "-o", url(server.port), "1.bloom")
        check(bloomery("query", "-c", url(server.port), records=lines(*NAMES[5000:10_000])).out, b"5000\n")
        proxy.listener.close()


def strangers():
    """A redirection to a host that the cluster does not list: no connection, no password."""
    for how in (b"MOVED", b"ASK"):
        other = Faked()
        node = Faked(other.port)
        other.how = node.how = how
        run = bloomery("query", f"redis://:{SECRET.replace('@', '%40').replace('/', '%2F')}@127.0.0.1:{node.port}/seen?shards=auto",
                       records=b"a\n", code=2)
        check("which is none of the nodes that it lists" in run.err, True, run.err)
        check((SECRET.encode() in node.heard, other.heard), (True, b""), how.decode())
        for server in (node, other):
            server.listener.close()


def test(module):
    strangers()
    with Folder():
        lost_while_loading(module)
    with Folder(), ShardedCluster(module) as cluster:
        is_the_file(cluster)
        errors(cluster)
        half_made(cluster)
        half_removed(cluster)
        creators_together(cluster)
        lost_shards(cluster)
        loaded(cluster)
        parts_are_shards(cluster)
        by_rule(cluster)
        passwords(cluster)


main(test)
