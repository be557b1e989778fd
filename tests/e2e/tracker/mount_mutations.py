"""Random changes that need a mount namespace of one's own: filesystems mounted, bound, moved and taken away in the tree,
folders that hold them renamed, files written by their handles, times of any year, subvolumes."""
import collections
import ctypes
import os
import struct
import subprocess

import mutations

LIBC = ctypes.CDLL(None, use_errno=True)
MS_BIND, MS_MOVE, MNT_DETACH = 4096, 8192, 2
MOST_MOUNTS = 8
QUIET_FOLDERS = 80
HANDLE_BYTES = 128


def called(result, what):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def mount(source, point, kind=None, flags=0):
    called(LIBC.mount(os.fsencode(source), os.fsencode(point), kind, flags, None), "mount")


def unmount(point, flags=0):
    called(LIBC.umount2(os.fsencode(point), flags), "umount")


def handle_of(path):
    handle = ctypes.create_string_buffer(8 + HANDLE_BYTES)
    struct.pack_into("I", handle, 0, HANDLE_BYTES)
    called(LIBC.name_to_handle_at(-100, path, handle, ctypes.byref(ctypes.c_int()), 0), "name_to_handle_at")
    return handle


def open_handle(folder, handle, flags):
    """Through any folder of the same filesystem."""
    through = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return called(LIBC.open_by_handle_at(through, handle, flags), "open_by_handle_at")
    finally:
        os.close(through)


def lies_within(path, folder):
    """Whether a folder is above the path, under whatever name."""
    identity = os.stat(folder)
    while len(path) > 1:
        above = os.stat(path)
        if (above.st_dev, above.st_ino) == (identity.st_dev, identity.st_ino):
            return True
        path = os.path.dirname(path)
    return False


class MountMutator(mutations.Mutator):
    """`outside` is a folder on the roots' filesystem, in none of them. Whatever is bound lies there, so that nothing is ever
    mounted within itself. `cold_handles`: how often the kernel is made to forget every name before a file is opened by its
    handle; inotify does not see what is written then."""

    def __init__(self, roots, seed, outside, cold_handles, has_subvolumes):
        super().__init__(roots, seed)
        self.outside = os.fsencode(outside)
        self.cold_handles = cold_handles
        self.mounts = []
        self.made = collections.Counter()
        self.sources = [self.outside + b"/source%d" % number for number in range(3)]
        for source in self.sources:
            os.makedirs(source + b"/deep")
        for number in range(QUIET_FOLDERS):
            self.folders += [self.roots[number % len(self.roots)] + b"/quiet%d" % number]
            os.mkdir(self.folders[-1])
            self.files += [self.folders[-1] + b"/file"]
            self.write(self.files[-1], os.O_WRONLY | os.O_CREAT, number)
        self.calm = self.steps + ([self.write_source] * 6 + [self.write_in_mount] * 20 + [self.write_by_handle] * 4
                                  + [self.set_time] * 3)
        self.wild = self.calm + ([self.mount] * 12 + [self.bind] * 12 + [self.unmount] * 10 + [self.move_mount] * 8
                                 + [self.rename_above] * 20 + [self.move_out] * 6 + [self.move_in] * 8)
        if has_subvolumes:
            self.wild += [self.snapshot] * 8 + [self.remove_subvolume] * 4

    def run(self, mutations):
        """What is mounted or moved has much of the tree read: more often only files are written, and little is."""
        self.steps = self.wild if self.random.random() < 0.4 else self.calm
        super().run(mutations)

    def follow(self, old, new):
        super().follow(old, new)
        self.mounts = [mutations.moved(path, old, new) for path in self.mounts]

    def point(self):
        path = self.inner_folder()
        if path in self.mounts or len(self.mounts) >= MOST_MOUNTS:
            raise OSError("there is a mount, or there are too many")
        return path

    def mounted(self):
        if not self.mounts:
            raise OSError("there is no mount")
        return self.random.choice(self.mounts)

    def fill(self, folder):
        for name in (b"in", b"in/deep"):
            path = folder + b"/" + name
            if not os.path.isdir(path):
                os.mkdir(path)
            self.folders.append(path)
        self.write(folder + b"/in/deep/file", os.O_WRONLY | os.O_CREAT, self.random.randrange(900))
        self.files.append(folder + b"/in/deep/file")

    def mount(self):
        point = self.point()
        mount("none", point, b"tmpfs")
        self.mounts.append(point)
        self.made["mounts"] += 1
        self.fill(point)

    def bind(self):
        """Some of the sources are bound at two places, but none within itself: a scan reports that."""
        point, source = self.point(), self.random.choice(self.sources)
        if lies_within(point, source):
            raise OSError("it would lie within itself")
        mount(source, point, None, MS_BIND)
        self.mounts.append(point)
        self.made["bind mounts"] += 1
        self.fill(point)

    def unmount(self):
        """At once, or with a file still open."""
        point = self.mounted()
        lazy = self.random.random() < 0.5
        used = os.open(point, os.O_RDONLY) if lazy else None
        try:
            unmount(point, MNT_DETACH if lazy else 0)
            if lazy:
                fd = os.open(b"left behind", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=used)
                os.write(fd, b"nobody finds it")
                os.close(fd)
        finally:
            if lazy:
                os.close(used)
        self.mounts = [path for path in self.mounts if path != point and not path.startswith(point + b"/")]
        self.made["unmounts"] += 1

    def move_mount(self):
        old, new = self.mounted(), self.inner_folder()
        if new in self.mounts or lies_within(new, old):
            raise OSError("not there")
        mount(old, new, None, MS_MOVE)
        self.follow(old, new)
        self.made["mounts moved"] += 1

    def holder(self):
        """A folder that holds a mount, and is none."""
        point = self.mounted()
        above = []
        while (point := os.path.dirname(point)) not in self.roots and len(point) > 1 and point != self.outside:
            above.append(point)
        above = [path for path in above if path not in self.mounts]
        if not above:
            raise OSError("it lies in a root")
        return self.random.choice(above)

    def relocate(self, old, new):
        if len(new) > 1500:
            raise OSError("too deep")
        os.rename(old, new)
        self.follow(old, new)
        self.made["folders with mounts moved"] += 1

    def rename_above(self):
        self.relocate(self.holder(), self.folder() + b"/" + self.name())

    def move_out(self):
        self.relocate(self.holder(), self.outside + b"/" + self.name())

    def move_in(self):
        out = [path for path in self.folders if os.path.dirname(path) == self.outside]
        if not out:
            raise OSError("none is outside")
        self.relocate(self.random.choice(out), self.random.choice(self.roots) + b"/" + self.name())

    def write_source(self):
        """Seen in the tree where it is bound."""
        folder = self.random.choice(self.sources) + self.random.choice([b"", b"/deep"])
        self.write(folder + b"/" + self.name(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, self.random.randrange(300))

    def write_in_mount(self):
        inside = self.mounted() + b"/"
        folders = [path for path in self.folders if path.startswith(inside)]
        if not folders:
            raise OSError("it is empty")
        self.write(self.random.choice(folders) + b"/" + self.name(), os.O_WRONLY | os.O_CREAT | os.O_APPEND,
                   1 + self.random.randrange(300))

    def write_by_handle(self):
        path = self.files[self.file()]
        if os.path.islink(path):
            raise OSError("a link")
        handle = handle_of(path)
        cold = self.cold_handles > 0 and self.random.random() < 0.2
        if cold:
            self.cold_handles -= 1
            os.sync()
            with open("/proc/sys/vm/drop_caches", "w") as drop:
                drop.write("2")
        fd = open_handle(os.path.dirname(path), handle, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, b"by handle")
        finally:
            os.close(fd)
        self.made["writes by cold handles" if cold else "writes by handles"] += 1

    def set_time(self):
        os.utime(self.files[self.file()], ns=(0, self.random.choice([0, 1, 10**18, 4 * 10**18])), follow_symlinks=False)

    def snapshot(self):
        new = self.folder() + b"/" + self.name()
        made = os.path.lexists(new)
        subvolumes = [path for path in self.folders if os.stat(path).st_ino == 256 and path not in self.mounts]
        command = ["snapshot", self.random.choice(subvolumes), new] if subvolumes else ["create", new]
        if made or subprocess.run(["btrfs", "subvolume", *command], capture_output=True).returncode != 0:
            raise OSError("no subvolume")
        self.folders.append(new)
        self.fill(new)
        self.made["subvolumes"] += 1

    def remove_subvolume(self):
        subvolumes = [path for path in self.folders if path not in self.mounts and os.stat(path).st_ino == 256]
        if not subvolumes or subprocess.run(["btrfs", "subvolume", "delete", subvolumes[-1]], capture_output=True).returncode:
            raise OSError("no subvolume")
        gone = subvolumes[-1]
        self.folders = [path for path in self.folders if path != gone and not path.startswith(gone + b"/")]
        self.made["subvolumes removed"] += 1
