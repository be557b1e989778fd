"""Reads finished binaries: full RELRO, no executable stack, position-independent, stack protector and FORTIFY in use.

usage: hardening.py READELF BINARY...
"""
import subprocess
import sys


def read(readelf, *arguments):
    return subprocess.run([readelf, "-W", *arguments], check=True, capture_output=True, text=True).stdout


def missing_in(readelf, binary):
    dynamic, segments, symbols = (read(readelf, option, binary) for option in ("-d", "-l", "--dyn-syms"))
    stack = [line for line in segments.splitlines() if "GNU_STACK" in line]
    wanted = {
        "RELRO": "GNU_RELRO" in segments,
        "binding of every symbol at the start (with RELRO: full RELRO)": "BIND_NOW" in dynamic or "NOW" in dynamic,
        "a stack that cannot be executed": bool(stack) and " RWE " not in stack[0],
        "position-independent code": "DYN " in read(readelf, "-h", binary),
        "the stack protector": "__stack_chk_fail" in symbols,
        "FORTIFY": any(name.rstrip("@GLIBC_.0123456789 ()").endswith("_chk") for name in symbols.split()),
    }
    return [what for what, there in wanted.items() if not there]


def main():
    readelf, binaries = sys.argv[1], sys.argv[2:]
    bad = [(binary, what) for binary in binaries for what in missing_in(readelf, binary)]
    for binary, what in bad:
        print(f"{binary}: {what} is missing")
    print(f"{len(binaries)} binaries read, {len(bad)} findings")
    return 1 if bad or not binaries else 0


if __name__ == "__main__":
    sys.exit(main())
