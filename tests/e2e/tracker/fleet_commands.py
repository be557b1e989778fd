"""Three servers of one fleet, as their users run them: `track watch --redis` on each, `track scan --redis` elsewhere. Nodes
are killed, paused and stopped, Redis is killed, emptied and put back; after every scan each folder's objects and bytes are
those that `find` counts.

On one machine every watcher would see every change, so each server has a part of the tree of its own.

Usage: fleet_commands.py BLOOMERY. BLOOMERY_FLEET_ROUNDS: how many rounds of random accidents."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "redis")]
import mutations  # noqa: E402
import processes  # noqa: E402
from harness import SERVER, SKIP, Server, check, finish  # noqa: E402

BLOOMERY = sys.argv[1]
ROUNDS = int(os.environ.get("BLOOMERY_FLEET_ROUNDS", "2"))
NODES = ("one", "two", "three")


def path_of(base, row):
    name = bytes.fromhex(row["path_hex"]) if "path_hex" in row else row["path"].encode()
    return base + b"/" + name if name else base


class Fleet:
    def __init__(self, server, folder, seed):
        self.server, self.folder = server, folder
        self.url = f"redis://127.0.0.1:{server.port}/files"
        self.roots = {name: os.path.join(folder, "tree", name) for name in NODES}
        for root in self.roots.values():
            os.makedirs(root)
        self.writers = {name: mutations.Mutator([root], seed + i) for i, (name, root) in enumerate(self.roots.items())}
        self.watchers = {}
        self.paused = set()
        self.read = {}

    def allow_links(self, allowed):
        """A folder with a file that has other names is read by every scan, which spoils the counts of what is read."""
        for writer in self.writers.values():
            others = [step for step in writer.steps if step != writer.link]
            writer.steps = others + [writer.link] * 3 if allowed else others

    def start(self, name):
        watcher = processes.Watcher(BLOOMERY, [self.roots[name]], os.path.join(self.folder, name), "--node", name,
                                    "--redis", self.url)
        self.watchers[name] = watcher.start()

    def kill(self, name):
        self.watchers.pop(name).close()

    def write(self, count=60):
        for name, writer in self.writers.items():
            writer.run(count)

    def scan(self, *options, names=NODES):
        """Of these servers' parts; no process writes. What was said on stderr."""
        said = ""
        for name in names:
            root = self.roots[name]
            command = [BLOOMERY, "track", "scan", root, "--state", os.path.join(self.folder, "scanner"), "--redis", self.url,
                       "--patience", "1", "--json", "--all", *options]
            done = subprocess.run(command, capture_output=True)
            said += done.stderr.decode(errors="replace")
            check(done.returncode, 0, said)
            if done.returncode != 0:
                return said
            result = json.loads(done.stdout)
            self.read[name] = result["scan"]["read"]
            said += f"{name}: {result['coverage']}\n"
            base = os.fsencode(root)
            scanned = {path_of(base, row): processes.Usage(row["own_objects"], row["own_bytes"]) for row in result["all"]}
            expected = processes.found(root)
            differing = [path for path in expected.keys() | scanned.keys() if expected.get(path) != scanned.get(path)]
            check(differing[:3], [], f"{name}: find and scan differ; the scan said: {said}")
        return said

    def nodes(self):
        done = subprocess.run([BLOOMERY, "track", "nodes", "--redis", self.url, "--json"], capture_output=True, text=True)
        check(done.returncode, 0, done.stderr)
        return {node["node"]: node for node in json.loads(done.stdout)["nodes"]}

    def settle(self):
        """All that live are members of the Redis that is there now."""
        processes.until(lambda: all(self.nodes().get(name, {}).get("state") == "active" for name in self.watchers), 20)

    def close(self):
        for name in list(self.watchers):
            self.kill(name)


def accidents(server, fleet):
    fleet.allow_links(False)
    for name in NODES:
        fleet.start(name)
    fleet.settle()
    fleet.write(400)
    fleet.scan()
    fleet.scan()
    said = fleet.scan("--sweep", "0")
    check(fleet.read, dict.fromkeys(NODES, 0), "nothing changed, so nothing is read; the scan said: " + said)

    fleet.write(5)
    said = fleet.scan()
    check("counts as changed" in said, False, said)
    check(all(0 < fleet.read[name] < len(processes.found(root)) for name, root in fleet.roots.items()), True, f"{fleet.read}: {said}")

    fleet.kill("two")
    fleet.write()
    said = fleet.scan("--sweep", "0")
    check("node two" in said and "node one" not in said, True, said)
    before = len(processes.found(fleet.roots["two"]))
    check(fleet.read["two"], before, "its share is read")
    fleet.scan("--sweep", "0", names=("one", "two"))
    check((fleet.read["one"], fleet.read["two"]), (0, before), "and nothing else")
    fleet.start("two")

    twin = subprocess.run([BLOOMERY, "track", "watch", fleet.roots["one"], "--state", os.path.join(fleet.folder, "twin"), "--node",
                           "one", "--redis", fleet.url], capture_output=True, text=True, timeout=60)
    check(twin.returncode, 2, twin.stderr)
    check("another state folder" in twin.stderr, True, twin.stderr)

    fleet.watchers["three"].end()
    fleet.watchers.pop("three").close()
    check(fleet.nodes()["three"]["state"], "away")
    fleet.write()
    check("node three: it was stopped" in fleet.scan(), True)
    fleet.start("three")
    fleet.settle()
    fleet.write()
    fleet.scan()

    server.stop(signal.SIGKILL)
    fleet.write()
    said = fleet.scan()
    check("cannot be reached" in said, True, said)
    failed = subprocess.run([BLOOMERY, "track", "cycle", "--state", os.path.join(fleet.folder, "scanner"), "--redis", fleet.url],
                            capture_output=True)
    check(failed.returncode, 2)
    server.start()  # empty
    fleet.settle()
    for _ in range(2):
        fleet.write()
        fleet.scan()
    said = fleet.scan("--sweep", "0")
    check(fleet.read, dict.fromkeys(NODES, 0), "all is known again; the scan said: " + said)


def dead_leader(server, fleet):
    """Its lock lives for 15 s, and a scan without --patience waits for longer."""
    client = server.client()
    client("SET", "{files}:leader", "dead", "PX", "15000")
    client.close()
    command = [BLOOMERY, "track", "scan", fleet.roots["one"], "--state", os.path.join(fleet.folder, "scanner"), "--redis", fleet.url]
    impatient = subprocess.run([*command, "--patience", "1"], capture_output=True, text=True)
    check(impatient.returncode, 2, impatient.stderr)
    check("did not finish in time" in impatient.stderr, True, impatient.stderr)
    patient = subprocess.run(command, capture_output=True, text=True)
    check(patient.returncode, 0, patient.stderr)


def forgotten_redis(fleet):
    """A leader's state, and a node's with its watcher alive, know at most what one server saw."""
    for state in ("scanner", "one"):
        for _ in range(2):
            fleet.write(5)
            command = [BLOOMERY, "track", "scan", fleet.roots["one"], "--state", os.path.join(fleet.folder, state), "--json", "-q"]
            done = subprocess.run(command, capture_output=True, text=True)
            check(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            expected = processes.found(fleet.roots["one"])
            check(result["bytes"], sum(usage.bytes for usage in expected.values()), "the total is today's")
            check(result["coverage"]["proven"], False)
            check("--redis" in result["coverage"]["reason"], True, str(result["coverage"]))


def one_accident(server, fleet, fate):
    name = fate.choice(NODES)
    what = fate.randrange(5)
    if what == 0 and name in fleet.watchers and name not in fleet.paused:
        fleet.kill(name)
    elif what == 1 and name not in fleet.watchers:
        fleet.start(name)
    elif what == 2 and name in fleet.watchers and not fleet.paused:
        fleet.watchers[name].pause()
        fleet.paused.add(name)
    elif what == 3:
        for held in fleet.paused:
            fleet.watchers[held].resume()
        fleet.paused.clear()
    elif what == 4:
        client = server.client()
        client("SAVE")
        client.close()
        if fate.random() < 0.5:
            fleet.scan()
        server.stop(signal.SIGKILL)
        if fate.random() < 0.5:
            for rest in pathlib.Path(server.directory).glob("*.rdb"):
                rest.unlink()
        if fate.random() < 0.3:
            fleet.scan()
        server.start()


def main():
    if shutil.which(SERVER) is None:
        print(f"skipped: {SERVER} is not installed")
        sys.exit(SKIP)
    seed = int(os.environ.get("BLOOMERY_FLEET_SEED", random.randrange(2**32)))
    print("seed", seed)
    with tempfile.TemporaryDirectory(prefix="bloomery-fleet-") as folder, Server(None) as server:
        server.fixed_port = server.port
        fleet = Fleet(server, folder, seed)
        try:
            start = time.monotonic()
            accidents(server, fleet)
            forgotten_redis(fleet)
            if ROUNDS > 2:
                dead_leader(server, fleet)
            print(f"accidents: {time.monotonic() - start:.1f} s")
            fleet.allow_links(True)
            fate = random.Random(seed)
            for _ in range(ROUNDS):
                one_accident(server, fleet, fate)
                fleet.write()
                fleet.scan()
            print(f"all: {time.monotonic() - start:.1f} s")
        finally:
            fleet.close()
    finish()


main()
