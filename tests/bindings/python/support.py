"""What the tests of the Python package share."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden"
COMMAND = os.environ.get("BLOOMERY_COMMAND")  # path of the command bloomery
FULL = "BLOOMERY_FULL" in os.environ
SKIPPED = 77  # ctest's exit code for a test that cannot run here


def needs(module, package):
    """Imports a module, or ends the test as skipped, saying so."""
    try:
        return __import__(module)
    except ImportError:
        print(f"skipped: there is no {module}; install {package}")
        sys.exit(SKIPPED)


def skip(test, why):
    """Ends a test of unittest as skipped, and prints why: unittest alone prints how many were."""
    print(f"skipped: {test.id().partition('.')[2]}: {why}")
    test.skipTest(why)


def bloomery(*arguments, data=b""):
    """Runs the command and returns what it printed."""
    return subprocess.run([COMMAND, *map(str, arguments)], input=data, stdout=subprocess.PIPE, check=True).stdout


def length_first(key):
    """A key= function that a pickle can name."""
    return b"%d %s" % (len(key), key.encode())


class InFolder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)


def main():
    sys.exit(not unittest.main(exit=False, verbosity=0).result.wasSuccessful())
