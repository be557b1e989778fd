"""Random changes of real trees: whatever a program may do to files and folders, with unexpected names."""
import os
import random
import shutil

ODD_NAMES = [
    b"new\nline", b"\xff\xfe no utf-8 \x80", b" leading", b"trailing ", b"-rf", b"...", b"a'b\"c", b"back\\slash", b"tab\there",
    b"*?[x]", b"%2e%2e", b"\xc3\xa9t\xc3\xa9", b"\xf0\x9f\x8c\xb8", b"n" * 255, b"{}", b"#", b"$HOME", b"a+b c&d=e",
]
MOST_FILES = 3000
MOST_FOLDERS = 500


def moved(path, old, new):
    """Where a path is after a folder was moved."""
    return new + path[len(old):] if path == old or path.startswith(old + b"/") else path


class Mutator:
    """Changes trees one step at a time. What it believes to be there may be gone: such a step just fails, and counts not."""

    def __init__(self, roots, seed):
        self.random = random.Random(seed)
        self.roots = [os.fsencode(root) for root in roots]
        self.folders = list(self.roots)
        self.files = []
        self.count = 0
        self.steps = (
            [self.append] * 16 + [self.overwrite] * 12 + [self.truncate] * 8 + [self.create] * 24 + [self.remove] * 14
            + [self.rename] * 10 + [self.replace] * 4 + [self.link] * 3 + [self.make_folder] * 8 + [self.rename_folder] * 2
            + [self.remove_tree] + [self.make_deep] + [self.touch] * 2 + [self.symlink]
        )

    def run(self, mutations):
        goal = self.count + mutations
        while self.count < goal:
            if len(self.files) > MOST_FILES:
                step = self.remove
            elif len(self.folders) > MOST_FOLDERS:
                step = self.remove_tree
            else:
                step = self.random.choice(self.steps)
            try:
                step()
                self.count += 1
            except OSError:
                pass

    def name(self):
        number = self.random.randrange(200)
        return ODD_NAMES[number] if number < len(ODD_NAMES) else b"n%d" % number

    def folder(self):
        return self.random.choice(self.folders)

    def file(self):
        if not self.files:
            raise OSError("there is no file")
        return self.random.randrange(len(self.files))

    def forget_file(self, index):
        self.files[index] = self.files[-1]
        self.files.pop()

    def write(self, path, flags, size):
        fd = os.open(path, flags, 0o644)
        try:
            os.write(fd, b"x" * size)
        finally:
            os.close(fd)

    def create(self):
        path = self.folder() + b"/" + self.name()
        self.write(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, self.random.randrange(2000))
        self.files.append(path)

    def append(self):
        self.write(self.files[self.file()], os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW, 1 + self.random.randrange(500))

    def overwrite(self):
        self.write(self.files[self.file()], os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, self.random.randrange(3000))

    def truncate(self):
        os.truncate(self.files[self.file()], self.random.randrange(5000))

    def touch(self):
        os.utime(self.files[self.file()])

    def remove(self):
        index = self.file()
        path = self.files[index]
        self.forget_file(index)
        os.unlink(path)

    def rename(self):
        """Into any folder of any root, also over what is there."""
        index = self.file()
        new = self.folder() + b"/" + self.name()
        old = self.files[index]
        os.rename(old, new)
        self.files[index] = new

    def replace(self):
        """As editors save."""
        path = self.files[self.file()]
        new = path + b".new"
        self.write(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, self.random.randrange(1500))
        os.rename(new, path)

    def link(self):
        """Beside its first name; renames take them apart. See docs/tracker_scan.md for links made elsewhere."""
        old = self.files[self.file()]
        new = os.path.dirname(old) + b"/" + self.name()
        os.link(old, new, follow_symlinks=False)
        self.files.append(new)

    def symlink(self):
        os.symlink(self.folder(), self.folder() + b"/" + self.name())

    def make_folder(self):
        path = self.folder() + b"/" + self.name()
        os.mkdir(path)
        self.folders.append(path)

    def make_deep(self):
        """Faster than a watcher can begin to watch, and a file at the bottom at once."""
        path = self.folder()
        for _ in range(self.random.randrange(1, 12)):
            path += b"/d%d" % self.random.randrange(3)
            if len(path) > 2000:
                break
            try:
                os.mkdir(path)
                self.folders.append(path)
            except FileExistsError:
                pass
        new = path + b"/" + self.name()
        self.write(new, os.O_WRONLY | os.O_CREAT, 700)
        self.files.append(new)

    def inner_folder(self):
        path = self.folder()
        if path in self.roots:
            raise OSError("a root stays")
        return path

    def rename_folder(self):
        old = self.inner_folder()
        new = self.folder() + b"/" + self.name()
        if len(new) > 1500:
            raise OSError("too deep")
        os.rename(old, new)
        self.follow(old, new)

    def follow(self, old, new):
        """A folder is elsewhere now, with all below it."""
        self.folders = [moved(path, old, new) for path in self.folders]
        self.files = [moved(path, old, new) for path in self.files]

    def remove_tree(self):
        gone = max((self.inner_folder() for _ in range(3)), key=lambda path: path.count(b"/"))  # seldom half of a tree
        inside = gone + b"/"
        self.folders = [path for path in self.folders if path != gone and not path.startswith(inside)]
        self.files = [path for path in self.files if not path.startswith(inside)]
        shutil.rmtree(gone)
