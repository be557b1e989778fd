"""A scan never skips a changed folder: random changes, and everything that can go wrong while they are watched.

Usage: never_skipped.py BLOOMERY [MUTATIONS] [SEED]. After every scan each folder's objects and bytes are those that `find`
counts when no process writes. Watchers of both kinds; kernel queues that overflow; watchers and scans killed; copies of the
state and caches of scans torn or lost; scans while others write. BLOOMERY_FULL=1: a million changes.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import mutations
import processes

QUEUE = "/proc/sys/fs/inotify/max_queued_events"


class Machine:
    """Two roots on one disk, their watcher, and a process that changes them."""

    def __init__(self, bloomery, folder, backend, seed):
        self.bloomery, self.folder, self.backend = bloomery, folder, backend
        self.random = random.Random(seed)
        self.roots = [os.path.join(folder, name) for name in ("first", "second")]
        for root in self.roots:
            os.mkdir(root)
        self.state = os.path.join(folder, "state")
        self.mutator = mutations.Mutator(self.roots, seed)
        self.watcher = processes.Watcher(bloomery, self.roots, self.state, "--backend", backend)
        self.scans = self.killed_scans = self.read = self.known = 0
        self.happened = {}

    def note(self, what):
        self.happened[what] = self.happened.get(what, 0) + 1

    def command(self, root):
        return [self.bloomery, "track", "scan", root, "--state", self.state, "--json", "--all", "--quiet"]

    def scan(self, root):
        done = subprocess.run(self.command(root), capture_output=True)
        if done.returncode != 0:
            raise AssertionError(f"the scan ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
        return json.loads(done.stdout)

    def check(self):
        """No process writes now."""
        for root in self.roots:
            result = self.scan(root)
            self.scans += 1
            self.read += result["scan"]["read"]
            self.known += result["folders"]
            compare(root, result, processes.found(root), self.happened)

    def mutate(self, count):
        self.mutator.run(count)

    # What can go wrong.

    def overflow(self, count):
        """A watcher that is not given the time to read: the kernel's queue overflows."""
        self.note("queue overflows")
        self.watcher.pause()
        try:
            self.mutate(max(count, int(open(QUEUE).read()) + 2000) if self.backend == "inotify" else 3 * count)
        finally:
            self.watcher.resume()

    def kill_watcher(self, count):
        """Changes before, while no watcher runs, and after."""
        self.note("watchers killed")
        self.mutate(count // 3)
        self.watcher.kill()
        self.mutate(count // 3)
        if self.random.random() < 0.3:  # scanned from the files alone
            self.note("scans without a watcher")
            self.check()
            self.mutate(count // 6)
        self.watcher.start()
        self.mutate(count // 3)

    def restart_watcher(self, count):
        self.note("watchers restarted")
        self.mutate(count // 2)
        self.watcher.end()
        self.mutate(count // 4)
        self.watcher.start()
        self.mutate(count // 4)

    def kill_scan(self, count):
        self.note("scans killed")
        self.mutate(count)
        process = subprocess.Popen(self.command(self.random.choice(self.roots)), stdout=subprocess.DEVNULL)
        try:
            process.wait(self.random.random() * 0.03)
        except subprocess.TimeoutExpired:
            pass
        processes.ended(process, signal.SIGKILL)

    def scan_while_writing(self, count):
        self.note("scans while others write")
        writer = threading.Thread(target=self.mutate, args=(count,))
        writer.start()
        try:
            while writer.is_alive():
                subprocess.run(self.command(self.random.choice(self.roots)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        finally:
            writer.join()

    def damage(self, count):
        """A file of the state torn, altered or lost while no watcher runs."""
        self.mutate(count // 2)
        self.watcher.kill() if self.random.random() < 0.5 else self.watcher.end()
        files = [path for top, _, names in os.walk(self.state) for name in names if os.path.isfile(path := os.path.join(top, name))]
        path = self.random.choice(files)
        how = self.random.choice(["lost", "cut", "altered", "emptied"])
        self.note(f"files {how}")
        spoil(path, how, self.random)
        self.mutate(count // 4)
        self.watcher.start()
        self.mutate(count // 4)

    def lose_state(self, count):
        self.note("states lost")
        self.mutate(count // 2)
        self.watcher.kill()
        shutil.rmtree(self.state)
        self.watcher.start()
        self.mutate(count // 2)

    def run(self, total):
        self.watcher.start()
        events = [self.mutate] * 8 + [self.kill_watcher, self.restart_watcher, self.kill_scan, self.kill_scan, self.damage,
                                      self.damage, self.lose_state, self.scan_while_writing, self.scan_while_writing]
        events += [self.overflow]
        while self.mutator.count < total:
            self.random.choice(events)(self.random.choice([6, 30, 300, 2000]))
            self.check()
        self.watcher.end()


def spoil(path, how, chance):
    size = os.path.getsize(path)
    if how == "lost":
        os.unlink(path)
    elif how == "emptied" or size == 0:
        os.truncate(path, 0)
    elif how == "cut":
        os.truncate(path, chance.randrange(size))
    else:
        with open(path, "r+b") as file:
            file.seek(chance.randrange(size))
            file.write(bytes([chance.randrange(256)]))


def name_of(row):
    return bytes.fromhex(row["path_hex"]) if "path_hex" in row else row["path"].encode()


def compare(root, result, expected, happened):
    base = os.fsencode(root)
    scanned = {base + b"/" + name if (name := name_of(row)) else base: processes.Usage(row["own_objects"], row["own_bytes"])
               for row in result["all"]}
    differing = [path for path in expected.keys() | scanned.keys() if expected.get(path) != scanned.get(path)]
    if differing:
        lines = [f"{path!r}: find {expected.get(path)}, scan {scanned.get(path)}" for path in sorted(differing)[:10]]
        raise AssertionError(f"{len(differing)} folders differ after {happened}:\n" + "\n".join(lines))
    if (result["objects"], result["bytes"]) != tuple(map(sum, zip(*expected.values()))):
        raise AssertionError(f"the sums differ: {result['objects']} objects, {result['bytes']} bytes")


def can_watch_with(bloomery, backend, parent):
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        os.mkdir(os.path.join(folder, "root"))
        watcher = processes.Watcher(bloomery, [os.path.join(folder, "root")], os.path.join(folder, "state"), "--backend", backend)
        try:
            watcher.start()
            watcher.end()
            return True
        except AssertionError:
            return False
        finally:
            watcher.close()


def main():
    bloomery = sys.argv[1]
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000 if os.environ.get("BLOOMERY_FULL") else 20_000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # disks take a hundred times as long
    backends = [backend for backend in ("inotify", "fanotify") if can_watch_with(bloomery, backend, parent)]
    if "inotify" not in backends:
        raise AssertionError("inotify watches nothing here")
    for backend in backends:
        with tempfile.TemporaryDirectory(dir=parent) as folder:
            print(f"{backend}, seed {seed}", flush=True)
            machine = Machine(bloomery, folder, backend, seed)
            try:
                machine.run(total // len(backends))
            finally:
                machine.watcher.close()
            print(f"  {machine.mutator.count} changes, {machine.scans} scans compared, {machine.read} of {machine.known} folders "
                  f"read; " + ", ".join(f"{count} {what}" for what, count in sorted(machine.happened.items())), flush=True)


if __name__ == "__main__":
    main()
