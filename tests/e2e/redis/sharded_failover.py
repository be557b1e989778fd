"""One filter over the keys of a real cluster while it changes: a primary is killed, a node is added and slots move to it,
all while clients add and query. Nothing that a client's exit code acknowledged (with ?wait=1) is lost, no query of a
known key is answered with no, and the false-positive rate is that of the filter. With BLOOMERY_FULL=1 each of the three
ranges loses its primary in turn, and a quarter of all slots moves."""
import itertools
import os
import signal
import subprocess
import threading
import time

from command import PROGRAM, Folder, bloomery, lines
from harness import Client, check, main, until
from sharded_servers import ShardedCluster

FULL = os.environ.get("BLOOMERY_FULL") == "1"
GOAL = 2_000_000 if FULL else 400_000
ROUNDS = 3 if FULL else 1
ABSENT = lines(*(f"absent:{i}" for i in range(100_000)))


class Worker(threading.Thread):
    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.stopping, self.failures = cluster, threading.Event(), []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.join(120)
        check(self.is_alive(), False, type(self).__name__)
        check(self.failures, [], type(self).__name__)


class Adder(Worker):
    """Runs of the command, each of which acknowledges its keys by exit code 0."""
    numbers = itertools.count()

    def __init__(self, cluster):
        super().__init__(cluster)
        self.name, self.acknowledged, self.slowest, self.unlucky = f"run{next(Adder.numbers)}", [], 0, 0

    def run(self):
        for batch in itertools.count():
            if self.stopping.is_set():
                return
            keys = [f"{self.name}:{batch}:{i}" for i in range(300)]
            begun = time.monotonic()
            run = subprocess.run([PROGRAM, "add", "-q", self.cluster.url(query="shards=auto&wait=1")], input=lines(*keys),
                                 capture_output=True, timeout=100)
            self.slowest = max(self.slowest, time.monotonic() - begun)
            if run.returncode == 0:
                self.acknowledged += keys
            elif any(word in run.stderr for word in (b"cannot connect", b"does not answer", b"hung up")):
                # The node of the address died before it listed the others.
                self.unlucky += 1
            else:
                self.failures.append(run.stderr.decode())


class Stream(Worker):
    """One process that goes on through everything: it is fed keys, and its exit code tells."""

    def __init__(self, cluster, command, query, keys):
        super().__init__(cluster)
        option = "-c" if command == "query" else "--quiet"  # it prints how many keys it found
        self.process = subprocess.Popen([PROGRAM, command, option, cluster.url(query=query)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.keys, self.fed = keys, []

    def run(self):
        try:
            while not self.stopping.is_set():
                part = [next(self.keys) for _ in range(200)]
                self.process.stdin.write(lines(*part))
                self.process.stdin.flush()
                self.fed += part
                time.sleep(0.02)
        except OSError:
            pass
        self.out, err = self.process.communicate(timeout=100)
        if self.process.returncode != 0:
            self.fed = []  # it acknowledged nothing
            self.failures.append(err.decode())


def kill_a_primary(cluster, round_number):
    primaries = cluster.primaries()
    victim = primaries[round_number % len(primaries)]
    cluster.refresh()
    heir = cluster.replica_of[victim][0]
    # For a moment the replica hears nothing: what is written then is lost, so no client may take it for safe.
    cluster.servers[heir].process.send_signal(signal.SIGSTOP)
    Client(victim)("CLIENT", "KILL", "TYPE", "replica")
    time.sleep(0.6)
    cluster.servers[victim].stop(signal.SIGKILL)
    cluster.servers[heir].process.send_signal(signal.SIGCONT)
    killed = time.monotonic()
    check(until(lambda: Client(heir)("ROLE")[0] == b"master", 60), True, "the replica takes over")
    check(until(lambda: cluster.settled(3), 60), True, "all slots are served again")
    print(f"{victim} killed, all slots served after {time.monotonic() - killed:.1f} s")
    server = cluster.servers[victim]  # it comes back empty-handed, as a replica: the next kill needs one
    server.start()
    check(until(lambda: Client(victim)("ROLE")[0] == b"slave" and Client(victim)("ROLE")[3] == b"connected", 60), True)


def add_a_node(cluster, module):
    port = cluster.add_primary(module)
    before = len(Client(port)("KEYS", "seen:{*}"))
    begun = time.monotonic()
    if FULL:
        cluster.reshard(4096, port)
    else:
        cluster.reshard(1400, port, source=cluster.primaries()[0])
    check(until(lambda: cluster.settled(4), 60), True, "four primaries")
    moved = len(Client(port)("KEYS", "seen:{*}")) - before
    check(moved >= 4, True, f"{moved} shards moved")
    print(f"a fourth primary: {moved} of 48 shards moved in {time.monotonic() - begun:.1f} s")


def nothing_is_lost(cluster, keys):
    found = int(bloomery("query", "-c", cluster.url(), records=lines(*keys)).out)
    check(found, len(keys), "every acknowledged key is there")
    bloomery("add", cluster.url(), records=lines(*(f"rest:{i}" for i in range(GOAL - len(keys)))))
    bloomery("convert", "--force", "--to", "bloomery", "-o", "now.bloom", cluster.url())
    wrong = int(bloomery("query", "-c", cluster.url(), records=ABSENT, code=None).out)
    here = int(bloomery("query", "-c", "now.bloom", records=ABSENT, code=None).out)
    check(wrong, here, "the same false positives as the filter in a file")
    check(0.008 < wrong / 100_000 < 0.012, True, f"false-positive rate {wrong / 100_000}")
    return len(keys) - found, wrong / 100_000


def test(module):
    with Folder(), ShardedCluster(module) as cluster:
        known = [f"known:{i}" for i in range(10_000)]
        bloomery("build", "-o", cluster.url(query="shards=48&wait=1"), "-n", GOAL, "-p", "1%", records=lines(*known))
        with Adder(cluster) as one, Adder(cluster) as two, \
                Stream(cluster, "add", "shards=auto&wait=1", (f"stream:{i}" for i in itertools.count())) as added, \
                Stream(cluster, "query", "shards=auto", itertools.cycle(known)) as asked:
            for round_number in range(ROUNDS):
                goal = len(one.acknowledged) + 900
                check(until(lambda: len(one.acknowledged) >= goal, 60), True, "load")
                kill_a_primary(cluster, round_number)
                goal = len(one.acknowledged) + 900
                check(until(lambda: len(one.acknowledged) >= goal, 60), True, "load after the failover")
            add_a_node(cluster, module)
            goal = len(one.acknowledged) + 900
            check(until(lambda: len(one.acknowledged) >= goal, 60), True, "load with four primaries")
        check(one.unlucky + two.unlucky <= 4 * ROUNDS, True, "runs that could not begin")
        check(int(asked.out or 0), len(asked.fed), "no false negative while the cluster changed")
        keys = known + one.acknowledged + two.acknowledged + added.fed
        check(len(keys) < GOAL, True, f"{len(keys)} keys")
        gone, rate = nothing_is_lost(cluster, keys)
        print(f"{len(keys)} keys acknowledged, {gone} lost; {len(asked.fed)} queries of known keys, 0 false negatives; "
              f"false-positive rate {rate:.4%} of {GOAL} keys (goal 1 %); "
              f"slowest run {max(one.slowest, two.slowest):.1f} s")


main(test)
