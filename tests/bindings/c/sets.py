"""A filter in parts through the C interface: bloomery_map() of a manifest answers as the whole filter, and names a part
that is missing or damaged.

usage: sets.py COMMAND LIBRARY
"""
import ctypes
import pathlib
import subprocess
import sys
import tempfile

COMMAND, LIBRARY = pathlib.Path(sys.argv[1]).resolve(), ctypes.CDLL(sys.argv[2])
LIBRARY.bloomery_last_error.restype = ctypes.c_char_p
LIBRARY.bloomery_free.argtypes = [ctypes.c_void_p]
KEYS, ABSENT = [b"key %d" % i for i in range(5000)], [b"absent %d" % i for i in range(50_000)]


class Key(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def run(*words, data=b""):
    subprocess.run([COMMAND, *map(str, words)], input=data, check=True)


def opened(path):
    filter = ctypes.c_void_p()
    code = LIBRARY.bloomery_map(str(path).encode(), None, ctypes.byref(filter))
    assert code == 0, LIBRARY.bloomery_last_error()
    return filter


def ask(filter, keys):
    """The code and the answers."""
    array = (Key * len(keys))(*[Key(key, len(key)) for key in keys])
    answers = (ctypes.c_uint8 * len(keys))()
    found = ctypes.c_size_t()
    code = LIBRARY.bloomery_may_contain(filter, array, ctypes.c_size_t(len(keys)), answers, ctypes.byref(found))
    return code, bytes(answers)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = b"\n".join(KEYS) + b"\n"
        for i in range(3):
            run("build", "-q", "--part", f"{i}/3", "-n", 5000, "-o", folder / f"seen.{i}-of-3.bloom", data=lines)
        run("join", "-q", "--manifest", "-o", folder / "seen.bloomset", *sorted(folder.glob("*.bloom")))
        run("build", "-q", "-n", 5000, "-o", folder / "whole", data=lines)
        parts, whole = opened(folder / "seen.bloomset"), opened(folder / "whole")
        assert ask(parts, KEYS) == (0, b"\1" * len(KEYS))
        assert ask(parts, ABSENT) == ask(whole, ABSENT)
        assert ask(parts, ABSENT)[1].count(1) < 0.015 * len(ABSENT)
        equal = ctypes.c_int()
        assert LIBRARY.bloomery_equal(parts, whole, ctypes.byref(equal)) == 0 and equal.value == 1
        assert LIBRARY.bloomery_verify(parts) == 0
        assert LIBRARY.bloomery_clear(parts) == 4 and b"read-only" in LIBRARY.bloomery_last_error()
        LIBRARY.bloomery_free(parts)
        LIBRARY.bloomery_free(whole)

        second = folder / "seen.1-of-3.bloom"
        good = second.read_bytes()
        second.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        parts = opened(folder / "seen.bloomset")
        assert LIBRARY.bloomery_verify(parts) == 3 and b"part 1 of 3" in LIBRARY.bloomery_last_error()
        LIBRARY.bloomery_free(parts)
        second.unlink()
        parts = opened(folder / "seen.bloomset")
        assert ask(parts, KEYS)[0] == 6 and b"part 1 of 3 (seen.1-of-3.bloom)" in LIBRARY.bloomery_last_error()
        LIBRARY.bloomery_free(parts)


main()
