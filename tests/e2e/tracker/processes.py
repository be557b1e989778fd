"""The programs of a tracker under test, started and ended from outside; and what `find` says of a tree."""
import collections
import os
import signal
import subprocess
import time

READY_SECONDS = 60


def ended(process, number=signal.SIGTERM):
    """Its exit code after a signal. A process that will not end is an error, and is killed."""
    if process.poll() is None:
        process.send_signal(number)
    try:
        return process.wait(READY_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


class Watcher:
    """`bloomery track watch` over some roots."""

    def __init__(self, bloomery, roots, state, *options):
        self.command = [bloomery, "track", "watch", *roots, "--state", state, *options]
        self.process = None
        self.log = open(os.path.join(os.path.dirname(state), os.path.basename(state) + ".log"), "ab")

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=self.log)
        line = self.process.stdout.readline()  # said when every change is seen from now on
        if not line.startswith(b"watching"):
            raise AssertionError(f"the watcher did not begin: {line!r}, exit code {self.process.poll()}, see {self.log.name}")
        return self

    def kill(self):
        if self.process:
            ended(self.process, signal.SIGKILL)
        self.process = None

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        if not self.process:
            return
        code = ended(self.process)
        self.process = None
        if code != 0:
            raise AssertionError(f"the watcher ended with {code}, see {self.log.name}")

    def close(self):
        self.kill()
        self.log.close()


Usage = collections.namedtuple("Usage", "objects bytes")


def found(root):
    """What `find` says of every folder's own files: apparent sizes, every link counted."""
    folders = {path: Usage(0, 0) for path in find(root, "-type", "d", "-printf", r"%p\0")}
    for line in find(root, "-type", "f", "-printf", r"%s %h\0"):
        size, folder = line.split(b" ", 1)
        before = folders[folder]
        folders[folder] = Usage(before.objects + 1, before.bytes + int(size))
    return folders


def find(*arguments):
    out = subprocess.run(["find", *arguments], check=True, stdout=subprocess.PIPE).stdout
    return out.split(b"\0")[:-1]


def until(condition, seconds=READY_SECONDS):
    """Waits for something another process does, which says so nowhere but in a file."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.005)
