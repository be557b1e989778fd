"""One primary and its replica: who takes over holds what was acknowledged, as far as the server promises it. A planned
FAILOVER loses nothing; a primary that is killed loses at most what its replica had not heard of; one that writes each
command to its append-only file before it answers loses nothing and comes back by itself."""
import contextlib
import os
import signal

from harness import OK, Client, Server, check, main, until
from load import RATE, Load, ReachedByReplica, Route, lost

WRITES = 20_000 if os.environ.get("BLOOMERY_FULL") == "1" else 2_500
KEYS = [f"filter:{i}" for i in range(200)]


class Pair:
    """Two servers; `first` is the primary to begin with."""

    def __init__(self, module):
        self.stack = contextlib.ExitStack()
        self.first = self.stack.enter_context(Server(module))
        self.second = self.stack.enter_context(Server(module, options=[f"replicaof 127.0.0.1 {self.first.port}"]))
        self.first.fixed_port = self.first.port
        self.client = self.first.client()
        check(self.client.all([("BF.RESERVE", key, RATE, "100") for key in KEYS]) == [OK] * len(KEYS), True)
        check(self.client("WAIT", 1, 30_000), 1, "the replica hears us")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def agree(self, what):
        digest = lambda server: Client(server.port)("DEBUG", "DIGEST")
        check(until(lambda: digest(self.first) == digest(self.second)), True, what)


class Either(Route):
    """The one of two servers that is the primary."""

    def __init__(self, ports, keys):
        super().__init__(ports[0], keys)
        self.both = ports

    def refresh(self):
        super().refresh()
        for port in self.both:
            with contextlib.suppress(OSError):
                if Client(port)("ROLE")[0] == b"master":
                    self.port = port


def report(what, connections, gone):
    print(f"{what}: {sum(len(c.entries) for c in connections)} writes acknowledged, {sum(c.confirmed for c in connections)} "
          f"confirmed by WAIT, {gone} lost")


def planned(module):
    with Pair(module) as pair:
        with Load(Either([pair.first.port, pair.second.port], KEYS)) as load:
            load.grows(WRITES)
            check(pair.client("FAILOVER"), OK)
            check(until(lambda: pair.second.client()("ROLE")[0] == b"master"), True)
            load.grows(WRITES, pair.second.port)
        check(until(lambda: pair.first.client()("ROLE")[3] == b"connected"), True)
        pair.agree("after FAILOVER")
        connections = load.connections()
        gone = lost(pair.second.client().all, connections, lambda _: False)
        report("FAILOVER", connections, gone)


def killed(module):
    with Pair(module) as pair:
        with Load(Either([pair.first.port, pair.second.port], KEYS)) as load:
            reached = ReachedByReplica(pair.first.port)
            load.grows(WRITES)
            check(until(lambda: reached.moment > 0), True)  # on a busy machine the replica is late
            pair.first.stop(signal.SIGKILL)
            check(pair.second.client()("REPLICAOF", "NO", "ONE"), OK)
            load.grows(WRITES, pair.second.port)
        reached.join(10)
        connections = load.connections()
        gone = lost(pair.second.client().all, connections, lambda c: c.port == pair.first.port, reached.moment)
        report("killed, REPLICAOF NO ONE", connections, gone)
        check(reached.moment > 0, True)
        pair.first.options.append(f"replicaof 127.0.0.1 {pair.second.port}")
        pair.first.start()
        check(until(lambda: pair.first.client()("ROLE")[3] == b"connected"), True)
        pair.agree("the old primary as a replica")


def written_first(module, options):
    """What is in the file when a client hears of it is there after a kill."""
    with Server(module, options=["appendonly yes", "appendfsync always", *options]) as server:
        server.fixed_port = server.port
        r = server.client()
        check(r.all([("BF.RESERVE", key, RATE, "100") for key in KEYS]) == [OK] * len(KEYS), True)
        with Load(Route(server.port, KEYS), waiting=0) as load:
            load.grows(WRITES // 2)
            r("BGREWRITEAOF")  # killed during it, or after it
            load.grows(WRITES // 2)
            server.stop(signal.SIGKILL)
        server.start()
        connections = load.connections()
        report("killed with appendfsync always", connections, lost(server.client().all, connections, lambda _: False))


def test(module):
    planned(module)
    killed(module)
    written_first(module, ["aof-use-rdb-preamble yes"])
    written_first(module, ["aof-use-rdb-preamble no"])


main(test)
