"""Writers that keep a server busy and remember what it acknowledged, in the order of each connection; and what may be
missing of it afterwards. Replication is asynchronous: the server promises that what a replica holds is a beginning of
what the primary did, and that a write followed by WAIT 1 is part of it. So of each connection's acknowledged writes
only the last may be lost, none that WAIT confirmed, and none older than the newest moment that the replica is known to
have reached."""
import itertools
import random
import threading
import time

from harness import Client, Refused, check, encode, until

PIPELINE = 25
RATE = "0.000001"  # so that an item found is, but for a few, an item that is there


class Route:
    """Where keys are written. This one: all to one port, which may change."""

    def __init__(self, port, keys):
        self.port, self._keys = port, keys

    def ports(self):
        return [self.port]

    def keys(self, _port):
        return self._keys

    def refresh(self):
        time.sleep(0.002)  # a server that goes down or comes up: not as fast as we can


class Connection:
    def __init__(self, port):
        self.port, self.client = port, Client(port)
        self.entries = []  # (key, items, when acknowledged)
        self.confirmed = 0  # as many of them by WAIT


class Writer(threading.Thread):
    """Adds items that no other writer adds. With `waits`, each batch ends with WAIT 1."""
    numbers = itertools.count()

    def __init__(self, route, waits):
        super().__init__(daemon=True)
        self.route, self.waits, self.name = route, waits, f"w{next(Writer.numbers)}"
        self.source = random.Random(self.name)
        self.stopping = threading.Event()
        self.open, self.connections = {}, []
        self.failure = None

    def run(self):
        items = itertools.count()
        try:
            while not self.stopping.is_set():
                port = self.source.choice(self.route.ports())
                try:
                    self.batch(port, items)
                except OSError:
                    self.open.pop(port, None)
                    self.route.refresh()
        except Exception as error:  # for the test to report, and not a thread's unnoticed end
            self.failure = error

    def batch(self, port, items):
        if port not in self.open:
            self.open[port] = Connection(port)
            self.connections.append(self.open[port])
        connection, keys = self.open[port], self.route.keys(port)
        writes = [(self.source.choice(keys), [f"{self.name}:{next(items)}" for _ in range(self.source.choice([1, 1, 4]))])
                  for _ in range(PIPELINE)]
        client = connection.client
        client.socket.sendall(b"".join(encode(("BF.ADD" if len(new) == 1 else "BF.MADD", key, *new)) for key, new in writes))
        refused = False
        for write in writes:
            if isinstance(client.read(), Refused):  # MOVED, READONLY, CLUSTERDOWN: not acknowledged
                refused = True
            else:
                connection.entries.append((*write, time.monotonic()))
        if refused:
            self.route.refresh()
        elif self.waits and client("WAIT", 1, 500) == 1:
            connection.confirmed = len(connection.entries)


class Load:
    """with Load(route): the writers run."""

    def __init__(self, route, waiting=1, hasty=2):
        self.writers = [Writer(route, True) for _ in range(waiting)] + [Writer(route, False) for _ in range(hasty)]

    def __enter__(self):
        for writer in self.writers:
            writer.start()
        return self

    def __exit__(self, *_):
        for writer in self.writers:
            writer.stopping.set()
        for writer in self.writers:
            writer.join(60)
            check(writer.failure, None, writer.name)

    def count(self, port=None):
        return sum(len(connection.entries) for writer in self.writers for connection in list(writer.connections)
                   if port in (None, connection.port))

    def grows(self, by, port=None):
        """Waits until the servers (or one of them) have acknowledged as many writes more."""
        start = self.count(port)
        check(until(lambda: self.count(port) >= start + by), True, f"{by} writes at {port}")

    def connections(self):
        return [connection for writer in self.writers for connection in writer.connections]


class ReachedByReplica(threading.Thread):
    """Watches a primary: `moment` is the newest time of which the replica is known to hold everything acknowledged before."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.client, self.moment = Client(port), 0.0
        self.start()

    def run(self):
        try:
            while True:
                asked, offset = time.monotonic(), self.offsets()[0]  # what was acknowledged before is within the offset
                while self.offsets()[1] < offset:
                    time.sleep(0.001)
                self.moment = asked
        except OSError:
            pass  # the primary is gone: that is what we waited for

    def offsets(self):
        text = self.client("INFO", "replication").decode()
        fields = dict(line.split(":", 1) for line in text.split("\r\n") if ":" in line)
        replica = dict(part.split("=") for part in fields.get("slave0", "offset=-1").split(","))
        return int(fields["master_repl_offset"]), int(replica["offset"])


def found(ask, entries):
    """ask(commands) sends each to where its key lives."""
    replies = ask([("BF.MEXISTS", key, *items) for key, items, _ in entries])
    return [reply == [1] * len(items) for reply, (_, items, _) in zip(replies, entries)]


def lost(ask, connections, may_lose, reached=0.0):
    """How many acknowledged writes are gone, each checked to be one that may. may_lose(connection)."""
    gone = 0
    for connection in connections:
        there = found(ask, connection.entries)
        beginning = there.index(False) if False in there else len(there)
        missing = len(there) - beginning
        gone += missing
        if missing == 0:
            continue
        check(may_lose(connection), True, f"{missing} writes lost at {connection.port}")
        # RedisBloom's double hashing leaves a filter of 100 keys two false positives in ten thousand, whatever its rate.
        check(sum(there[beginning:]) <= missing * 1e-3 + 2, True, "only the last writes of a connection are lost")
        check(beginning >= connection.confirmed, True, "what WAIT confirmed is there")
        check(connection.entries[beginning][2] >= reached, True, "what the replica was known to have is there")
    return gone
