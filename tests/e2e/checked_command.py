"""The command under test, for tests that end at the first thing that is not as expected.

The path of the command is the first argument of the test.
"""
import os
import subprocess
import sys

COMMAND = os.path.abspath(sys.argv[1])


def check(holds, *what):
    if not holds:
        raise SystemExit("FAILED: " + " ".join(str(part) for part in what))


def run(*arguments, data=b"", expect=0):
    """What the command wrote to stdout and to stderr."""
    done = subprocess.run([COMMAND, *arguments], input=data, capture_output=True, timeout=120)
    check(done.returncode == expect, arguments, "exit", done.returncode, done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode()
