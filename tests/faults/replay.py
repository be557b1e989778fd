"""A disk that loses its power: what may be on it after any part of a recorded run.

A call that writes or renames changes what programs see; it reaches the disk at some later time, in any order, sector by
sector. Only a sync orders it: of a file for its bytes, of a folder for its names. Two models:
  strict    names are on disk once their folder was synced, and until then each of them or none
  journal   as ext4, XFS and Btrfs: names in the order of the calls, and a synced file takes all earlier names with it
"""
import hashlib
import os
import random

SECTOR = 512


class Operation:
    """One record of a trace; see preload.h."""

    def __init__(self, kind, inode, offset, data, path, second):
        self.kind, self.inode, self.offset, self.data, self.path, self.second = kind, inode, offset, data, path, second

    def __repr__(self):
        return f"{self.kind} {self.path} at {self.offset}, {len(self.data)} bytes"


def read_trace(file, folder, output):
    """The operations below a folder. What is written to `output`, a path, is said."""
    operations, content, at = [], file.read_bytes(), 0
    while at < len(content):
        end = content.index(b"\n", at)
        kind, inode, offset, size, names = content[at:end].decode().split(" ", 4)
        at = end + 1 + int(size)
        path, _, second = names.partition("\t")
        names = [os.path.relpath(name, folder) if name.startswith("/") else name for name in (path, second)]
        if path == str(output) and kind == "write":
            kind = "say"
        operations.append(Operation(kind, int(inode), int(offset), content[end + 1:at], names[0], names[1]))
    return operations


class Disk:
    """What is safe, and what is on its way."""

    def __init__(self, folder, model, output):
        self.output = output  # the name of the file that standard output goes to
        self.model, self.bytes, self.names, self.folders = model, {}, {}, {"."}
        self.file_of_inode, self.next_file = {}, 0
        self.waiting = []  # ("data", file, offset, bytes), ("size", file, size), ("name", action, path, ...)
        self.now = {}  # names as programs see them
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_dir():
                self.folders.add(name)
            else:
                self.names[name] = self.now[name] = self.new_file(path.stat().st_ino)
                self.bytes[self.names[name]] = path.read_bytes()

    def new_file(self, inode):
        self.next_file += 1
        self.file_of_inode[inode] = self.next_file
        self.bytes[self.next_file] = b""
        return self.next_file

    def apply(self, operation):
        kind, path = operation.kind, operation.path
        if kind == "create":
            file = self.new_file(operation.inode)
            self.name("put", path, file)
        elif kind == "say" and path == self.output:
            self.say(operation)
        elif kind == "write":
            self.waiting.append(("data", self.file_of_inode[operation.inode], operation.offset, operation.data))
        elif kind == "truncate":
            self.waiting.append(("size", self.file_of_inode[operation.inode], operation.offset))
        elif kind == "rename":
            self.name("move", path, self.now.get(operation.second), operation.second)
        elif kind == "link":
            self.name("put", path, self.now.get(operation.second))
        elif kind == "unlink":
            self.name("drop", path)
        elif kind in ("mkdir", "rmdir"):
            self.name(kind, path)
        elif kind == "sync":
            self.sync(operation)

    def say(self, operation):
        """Standard output is a file of the folder too, and was there before the program began."""
        if operation.inode not in self.file_of_inode:
            self.names[self.output] = self.now[self.output] = self.new_file(operation.inode)
        self.waiting.append(("data", self.file_of_inode[operation.inode], operation.offset, operation.data))

    def name(self, *change):
        self.waiting.append(("name", *change))
        change_names(self.now, set(), change)

    def sync(self, operation):
        """Bytes of the file, or names of the folder, leave the waiting line for the disk."""
        is_folder = operation.inode not in self.file_of_inode or operation.path in self.folders
        file = None if is_folder else self.file_of_inode[operation.inode]
        left = []
        for change in self.waiting:
            if change[0] == "name":
                of_folder = is_folder and (os.path.dirname(change[2]) or ".") == os.path.normpath(operation.path)
                safe = of_folder or (self.model == "journal")
            else:
                safe = change[1] == file
            if not safe:
                left.append(change)
            elif change[0] == "name":
                change_names(self.names, self.folders, change[1:])
            else:
                self.bytes[change[1]] = changed(self.bytes[change[1]], change)
        self.waiting = left

    def states(self, seed, tries):
        """Trees that may be found after the power came back: {name: bytes}, each once."""
        chance = random.Random(seed)
        data = [change for change in self.waiting if change[0] != "name"]
        names = [change for change in self.waiting if change[0] == "name"]
        choices = [([], []), (names, data), (names, []), ([], data)]
        choices += [(names, data[:-1] + self.torn(data[-1:], chance)) for _ in range(min(tries, 3)) if data]
        for _ in range(tries if self.waiting else 0):
            some = names[:chance.randint(0, len(names))] if self.model == "journal" else \
                [change for change in names if chance.random() < 0.5]
            choices.append((some, self.torn([change for change in data if chance.random() < 0.7], chance)))
        seen = {}
        for some_names, some_data in choices:
            tree = self.tree(some_names, some_data)
            seen.setdefault(digest(tree), tree)
        return list(seen.values())

    def torn(self, data, chance):
        """The same writes, of which only some sectors arrived."""
        pieces = []
        for change in data:
            if change[0] == "size":
                pieces.append(change)
                continue
            _, file, offset, content = change
            start = 0
            while start < len(content):
                end = min(len(content), (offset + start) // SECTOR * SECTOR + SECTOR - offset)
                if chance.random() < 0.5:
                    pieces.append(("data", file, offset + start, content[start:end]))
                start = end
        return pieces

    def tree(self, names, data):
        content, found, folders = dict(self.bytes), dict(self.names), set(self.folders)
        for change in names:
            change_names(found, folders, change[1:])
        for change in data:
            content[change[1]] = changed(content[change[1]], change)
        tree = {name: content[file] for name, file in found.items() if os.path.dirname(name) in folders | {""}}
        tree.update({folder + "/": None for folder in folders if folder != "."})
        return tree


def changed(content, change):
    if change[0] == "size":
        return content[:change[2]] + bytes(max(0, change[2] - len(content)))
    _, _, offset, data = change
    content += bytes(max(0, offset - len(content)))
    return content[:offset] + data + content[offset + len(data):]


def change_names(names, folders, change):
    action, path = change[0], change[1]
    if action == "put" and change[2] is not None:
        names[path] = change[2]
    elif action == "move" and change[2] is not None:
        names.pop(change[3], None)
        names[path] = change[2]
    elif action == "drop":
        names.pop(path, None)
    elif action == "mkdir":
        folders.add(path)
    elif action == "rmdir":
        folders.discard(path)


def digest(tree):
    whole = hashlib.blake2b()
    for name in sorted(tree):
        whole.update(name.encode() + b"\0" + (tree[name] or b"") + b"\0")
    return whole.digest()


def write_tree(tree, folder):
    for name in sorted(name for name in tree if name.endswith("/")):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, content in tree.items():
        if content is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
