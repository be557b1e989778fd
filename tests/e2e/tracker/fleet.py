"""A fleet with a real redis-server: leaders that contend, pause and die, nodes that die and come back, and a Redis that is
killed and comes back empty or older. Each scan is checked against what was really marked."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from harness import SERVER, SKIP, Server, check, finish, until  # noqa: E402

PEER = sys.argv[1]
ROUNDS = int(os.environ.get("BLOOMERY_FLEET_ROUNDS", "6"))
FOLDERS = [f"{part}/{i}" for part in ("a", "b", "c", "shared") for i in range(4)]


class Peer:
    def __init__(self, *words):
        self.process = subprocess.Popen([PEER, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(self)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self):
        return self.process.stdout.readline().strip()

    def __call__(self, line):
        self.send(line)
        return self.read()

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        started.remove(self)


started = []


class Fleet:
    """Three nodes: each sees its own part and what is shared."""

    def __init__(self, server, folder, name="fleet"):
        self.server, self.folder, self.name = server, pathlib.Path(folder), name
        self.url = f"redis://127.0.0.1:{server.port}/{name}"
        self.nodes = {}
        self.truth = dict.fromkeys(FOLDERS, 1)

    def state(self, name):
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path

    def start(self, name):
        self.nodes[name] = Peer("node", self.url, name, self.state(name), name, "shared")
        return self.nodes[name]

    def joined(self, name):
        """Redis itself says so: what the node says may be of a Redis that is gone."""
        client = self.server.client()
        try:
            key = "{%s}:fleet" % self.name
            return until(lambda: client("HGET", key, name + ":state") == b"active" and
                         self.nodes[name]("status").startswith("joined"), 10)
        finally:
            client.close()

    def lead(self, name="leader", lock_ms=15000, patience_ms=2000):
        return Peer("lead", self.url, self.state(name), lock_ms, patience_ms)

    def write(self, node, path):
        """Through the server of a node; its watcher may be dead, then no watcher sees it."""
        self.truth[path] += 1
        if node in self.nodes:
            check(self.nodes[node]("mark " + path), "marked")

    def die(self, name):
        self.nodes.pop(name).kill()


class Scanner:
    def __init__(self, fleet):
        self.fleet, self.cache, self.since, self.read = fleet, {}, "0:0", 0
        self.leader = fleet.lead()

    def scan(self, leader=None):
        """The names of those whose share is incomplete; after it, everything that is believed is true."""
        leader = leader or self.leader
        elected = leader("elect")
        check(elected.split()[0], "leads", elected)
        answer = leader("begin").split()
        check(answer[0], "cycle", " ".join(answer))
        if answer[0] != "cycle":
            return None
        self.read = 0
        for path, version in self.fleet.truth.items():
            if leader(f"changed {self.since} {path}") == "yes":
                self.cache[path] = version
                self.read += 1
        self.since = answer[1]
        check(leader("finish"), "ok")
        check(leader("release"), "ok")
        check(self.cache, dict(self.fleet.truth), "what the scan believes")
        return answer[2:]


def fresh(server, folder, name):
    fleet = Fleet(server, tempfile.mkdtemp(dir=folder), name)
    for node in "abc":
        fleet.start(node)
    for node in "abc":
        check(fleet.joined(node), True, f"{node} joins")
    scanner = Scanner(fleet)
    check(scanner.scan(), ["*", "a", "b", "c"], "the first cycle knows nothing")
    check(scanner.scan(), [])
    check(scanner.read, 0)
    return fleet, scanner


def ordinary_life(server, folder):
    fleet, scanner = fresh(server, folder, "life")
    check(scanner.scan(), [])
    check(scanner.read, 0, "nothing changed")
    fleet.write("a", "a/1")
    fleet.write("c", "shared/2")
    check(scanner.scan(), [])
    check(scanner.read, 2)

    fleet.die("b")  # kill -9
    fleet.write("b", "b/3")
    check(scanner.scan(), ["b"], "a node that was killed")
    check(scanner.read, 8, "its share and nothing else")
    fleet.start("b")
    check(fleet.joined("b"), True)
    check(scanner.scan(), ["b"], "it is back, and does not know what happened meanwhile")
    check(scanner.scan(), [])
    check(scanner.read, 0)

    fleet.nodes["a"].signal(signal.SIGSTOP)
    check(scanner.scan(), ["a"], "a node that hangs")
    fleet.nodes["a"].send("mark a/2")
    fleet.truth["a/2"] += 1
    fleet.nodes["a"].signal(signal.SIGCONT)
    check(fleet.nodes["a"].read(), "marked")
    check(scanner.scan(), [], "it goes on, and says all it saw")
    check(scanner.read, 1)

    check(fleet.nodes["c"]("stop"), "stopped")
    fleet.nodes.pop("c").kill()
    fleet.write("c", "c/0")
    check(scanner.scan(), ["c"], "a node that was stopped")

    twin = Peer("node", fleet.url, "a", fleet.state("twin"), "a")
    check(until(lambda: twin("status").startswith("ended"), 10), True, "a name has one owner")
    check("another state folder" in twin("status"), True, twin("status"))
    twin.kill()
    locked = Peer("node", fleet.url, "a", fleet.state("a"), "a")
    check("lock" in locked.read() or locked.process.wait(10) != 0, True, "and a folder too")
    locked.kill()
    check(scanner.scan(), ["c"])
    return fleet, scanner


def elections(server, folder):
    fleet = Fleet(server, tempfile.mkdtemp(dir=folder), "elections")
    rivals = [fleet.lead(f"rival{i}", lock_ms=1000) for i in range(20)]
    fences = []
    for _ in range(3):
        for rival in rivals:
            rival.send("elect")
        answers = [rival.read() for rival in rivals]
        winners = [i for i, answer in enumerate(answers) if answer.startswith("leads")]
        check(len(winners), 1, "\n".join(answers))
        fences.append(int(answers[winners[0]].split()[1]))
        check(rivals[winners[0]]("release"), "ok")
    check(fences, sorted(set(fences)), "each election has a higher token")

    paused, other = rivals[0], rivals[1]
    check(paused("elect").split()[0], "leads")
    check(paused("begin").split()[0], "cycle")
    paused.signal(signal.SIGSTOP)
    check(until(lambda: other("elect").startswith("leads"), 10), True, "its lock expires")
    taken = other("begin").split()
    paused.send("begin")
    paused.send("finish")
    paused.send("hold")
    paused.signal(signal.SIGCONT)
    for _ in range(3):
        check(paused.read().split()[0], "refused", "a leader that was replaced writes nothing")
    check(paused("release"), "ok")
    check(other("finish"), "ok", "and does not take the lock away")
    again = other("begin").split()
    check(int(again[1].split(":")[0]), int(taken[1].split(":")[0]) + 1, "no number twice, none in between")
    for rival in rivals:
        rival.kill()


def redis_dies(folder):
    with Server(None) as server:
        port = server.port
        server.fixed_port = port
        fleet, scanner = fresh(server, folder, "mortal")
        client = server.client()
        client("SAVE")
        client.close()
        fleet.write("a", "a/1")
        check(scanner.scan(), [])
        server.stop(signal.SIGKILL)
        check(scanner.leader("elect").split()[0], "refused", "Redis is gone")
        fleet.write("b", "b/1")
        server.start()  # as it was before the last scan
        for node in "abc":
            check(fleet.joined(node), True)
        incomplete = scanner.scan()
        check("*" in incomplete, True, f"an older Redis: {incomplete}")
        check(scanner.read, 16)
        check(scanner.scan(), [], "after that all is known again")
        check(scanner.read, 0)

        fleet.die("c")
        server.stop(signal.SIGKILL)
        for rest in pathlib.Path(server.directory).glob("*.rdb"):
            rest.unlink()
        server.start()  # empty
        for node in "ab":
            check(fleet.joined(node), True)
        fleet.write("c", "c/1")
        check("*" in scanner.scan(), True, "an empty Redis")
        fleet.write("c", "c/2")
        scanner.scan()
        fleet.write("c", "c/3")
        check(scanner.scan(), ["c"], "whom Redis forgot is remembered by the others")
        fleet.start("c")
        check(fleet.joined("c"), True)
        scanner.scan()
        check(scanner.scan(), [])

        client = server.client()
        client("SET", "{wrong}:fleet", "a text")
        client.close()
        lead = Peer("lead", f"redis://127.0.0.1:{port}/wrong", fleet.state("wrong"), 1000, 100)
        answer = lead("elect")
        check("WRONGTYPE" in answer, True, answer)


def random_fates(server, folder):
    seed = int(os.environ.get("BLOOMERY_FLEET_SEED", random.randrange(2**32)))
    print("seed", seed)
    fate = random.Random(seed)
    fleet, scanner = fresh(server, folder, "fates")
    second = Scanner(fleet)
    paused = set()
    for _ in range(ROUNDS):
        for _ in range(3):
            node = fate.choice("abc")
            if node not in paused:
                fleet.write(node, fate.choice([f for f in FOLDERS if f.startswith((node, "shared"))]))
        node = fate.choice("abc")
        what = fate.random()
        if what < 0.2 and node in fleet.nodes and node not in paused:
            fleet.die(node)
        elif what < 0.5 and node not in fleet.nodes:
            fleet.start(node)
        elif what < 0.6 and node in fleet.nodes and not paused:
            fleet.nodes[node].signal(signal.SIGSTOP)
            paused.add(node)
        elif paused:
            for held in list(paused):
                fleet.nodes[held].signal(signal.SIGCONT)
            paused.clear()
        if fate.random() < 0.1:
            client = server.client()
            client("FLUSHALL")
            client.close()
        fate.choice([scanner, second]).scan()


def timed(subject, *arguments):
    start = time.monotonic()
    subject(*arguments)
    print(f"{subject.__name__}: {time.monotonic() - start:.1f} s")


def main():
    if shutil.which(SERVER) is None:
        print(f"skipped: {SERVER} is not installed")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(prefix="bloomery-fleet-") as folder:
        try:
            with Server(None) as server:
                for subject in (ordinary_life, elections, random_fates):
                    timed(subject, server, folder)
            timed(redis_dies, folder)
        finally:
            for peer in list(started):
                peer.kill()
    finish()


main()
