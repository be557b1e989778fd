"""A scan never skips a changed folder, whatever is mounted: see never_skipped.py, which this extends.

Usage: never_skipped_mounts.py BLOOMERY [CHANGES] [SEED]. On tmpfs, ext4, xfs and btrfs from images, and overlayfs, each with
fanotify and inotify: filesystems are mounted, bound, moved and unmounted in the tree, folders that hold mounts are renamed,
files are written by their handles; watcher and scan are ended, killed, and their clock jumps. Everything happens in a mount
namespace of its own, which takes all mounts along when it ends. BLOOMERY_FULL=1: a hundred times as many changes.
"""
import glob
import os
import subprocess
import sys
import tempfile

import mount_mutations
import never_skipped
import processes

INSIDE = "BLOOMERY_OWN_MOUNTS"
SKIPPED = 77
IMAGES = {"ext4": ("mkfs.ext4 -qF", 64), "xfs": ("mkfs.xfs -qf", 320), "btrfs": ("mkfs.btrfs -qf", 256)}


class MountMachine(never_skipped.Machine):
    """Its programs believe in a clock that jumps."""

    def __init__(self, bloomery, folder, backend, seed, cold_handles, has_subvolumes):
        super().__init__(bloomery, folder, backend, seed)
        outside = os.path.join(folder, "outside")
        os.mkdir(outside)
        self.mutator = mount_mutations.MountMutator(self.roots, seed, outside, cold_handles, has_subvolumes)
        self.clock = os.path.join(folder, "clock")
        self.preload = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
        self.watcher.command = self.in_another_time() + self.watcher.command

    def in_another_time(self):
        if not self.preload:
            return []
        self.jump()
        return ["env", f"LD_PRELOAD={self.preload}", f"FAKETIME_TIMESTAMP_FILE={self.clock}", "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1"]

    def jump(self):
        with open(self.clock + ".new", "w") as file:
            file.write(self.random.choice(["-400d", "-3h", "-1", "+0", "+5", "+2h", "+900d"]))
        os.rename(self.clock + ".new", self.clock)

    def command(self, root):
        return (self.in_another_time() if self.preload else []) + super().command(root)

    def jump_clock(self, count):
        self.mutate(count // 2)
        if self.preload:
            self.note("clock jumps")
            self.jump()
        self.mutate(count // 2)

    def run(self, total):
        self.watcher.start()
        self.check()
        events = [self.mutate] * 12 + [self.jump_clock] * 2 + [
            self.restart_watcher, self.kill_watcher, self.kill_scan, self.scan_while_writing]
        while self.mutator.count < total:
            self.random.choice(events)(self.random.choice([2, 5, 12, 40]))
            self.check()
        self.watcher.end()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def prepare(kind, folder):
    """A filesystem of that kind at `folder`; otherwise why not."""
    if kind == "tmpfs":
        done = run("mount", "-t", "tmpfs", "none", folder)
    elif kind == "overlay":
        layers = folder + ".layers"
        for name in ("lower/old/deep", "upper", "work"):
            os.makedirs(os.path.join(layers, name))
        with open(os.path.join(layers, "lower/old/deep/file"), "w") as file:
            file.write("below")
        done = run("mount", "-t", "overlay", "none", "-o",
                   f"lowerdir={layers}/lower,upperdir={layers}/upper,workdir={layers}/work", folder)
    else:
        make, size = IMAGES[kind]
        image = folder + ".image"
        with open(image, "wb") as file:
            file.truncate(size << 20)
        made = run("sh", "-c", f"PATH=$PATH:/sbin:/usr/sbin; {make} {image}")
        done = run("mount", "-o", "loop", image, folder) if made.returncode == 0 else made
    return None if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"


def try_kind(bloomery, kind, base, changes, seed):
    """How many changes were made."""
    folder = os.path.join(base, kind)
    os.mkdir(folder)
    if why := prepare(kind, folder):
        print(f"{kind}: cannot be mounted here, so it is not tried: {why}", flush=True)
        return 0
    made = 0
    for backend in ("fanotify", "inotify"):
        place = os.path.join(folder, backend)
        os.mkdir(place)
        if not never_skipped.can_watch_with(bloomery, backend, place):
            print(f"{kind}, {backend}: cannot be watched here, so it is not tried", flush=True)
            continue
        cold = 0 if backend == "inotify" or kind in ("tmpfs", "overlay") else 2 if changes < 5000 else 200
        machine = MountMachine(bloomery, place, backend, seed, cold, kind == "btrfs")
        try:
            machine.run(changes)
        finally:
            machine.watcher.close()
        made += machine.mutator.count
        details = {**machine.mutator.made, **machine.happened}
        print(f"{kind}, {backend}: {machine.mutator.count} changes, {machine.scans} scans compared, {machine.read} of "
              f"{machine.known} folders read; " + ", ".join(f"{count} {what}" for what, count in sorted(details.items())), flush=True)
    return made


def main():
    if INSIDE not in os.environ:
        if run("unshare", "-m", "--propagation", "private", "true").returncode != 0:
            print("a mount namespace is not permitted here, so mounts in a watched tree are not tried")
            sys.exit(SKIPPED)
        os.execvpe("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})
    bloomery = sys.argv[1]
    full = bool(os.environ.get("BLOOMERY_FULL"))
    changes = int(sys.argv[2]) if len(sys.argv) > 2 else 30_000 if full else 130
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20261116
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as base:
        if why := prepare("tmpfs", base):
            print(f"nothing can be mounted here, so mounts in a watched tree are not tried: {why}")
            sys.exit(SKIPPED)
        try:
            made = sum(try_kind(bloomery, kind, base, changes, seed) for kind in ("tmpfs", *IMAGES, "overlay"))
        finally:
            run("umount", "-l", base)
    print(f"{made} changes were made, and no scan missed one (seed {seed})")


if __name__ == "__main__":
    main()
