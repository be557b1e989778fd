"""The bloomery command, run by tests of redis:// addresses."""
import os
import pathlib
import subprocess
import sys
import tempfile

from harness import check

PROGRAM = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None


class Ran:
    def __init__(self, run):
        self.code, self.out, self.err = run.returncode, run.stdout, run.stderr.decode(errors="replace")


def bloomery(*arguments, records=b"", code=0, environment=None, timeout=120):
    """Runs the command, and checks its exit code where one is expected (None: any)."""
    run = Ran(subprocess.run([PROGRAM, *map(str, arguments)], input=records, capture_output=True, timeout=timeout,
                             env={**os.environ, **(environment or {})}))
    if code is not None:
        check((run.code, run.err if run.code != code else ""), (code, ""), " ".join(map(str, arguments)))
    return run


class Folder:
    """A temporary folder as the working directory."""

    def __enter__(self):
        self.before, self.temporary = os.getcwd(), tempfile.TemporaryDirectory(prefix="bloomery-cli-")
        os.chdir(self.temporary.name)

    def __exit__(self, *_):
        os.chdir(self.before)
        self.temporary.cleanup()


def lines(*words):
    return b"".join((w if isinstance(w, bytes) else str(w).encode()) + b"\n" for w in words)


def read(path):
    return pathlib.Path(path).read_bytes()
