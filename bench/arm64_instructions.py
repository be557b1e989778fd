"""Instructions per key on aarch64, counted under emulation: the NEON kernels beside the portable ones. Not a time.

usage: bench/arm64_instructions.py [WORDS]

Builds bench/instructions_per_key.cc for aarch64 as a release, runs each operation under QEMU with two numbers of keys,
one instruction at a time, and divides the difference of the executed instructions by that of the keys: what the program
does besides cancels out. Prints the table of RESULTS.md, with WORDS the rows that have them in their name. Needs the packages of tools/packages.sh.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "arm64-bench"
FEW, MANY = 256, 768

OPERATIONS = [
    ("number, one lookup", "lookup", 8, 1),
    ("number, lookup in a batch", "lookup-batch", 8, 1),
    ("number, one insert", "insert", 8, 1),
    ("number, insert in a batch", "insert-batch", 8, 1),
    ("number, insert in a batch, nothing counted", "add-batch", 8, 1),
    ("number, one lookup, 6 probes", "lookup", 6, 1),
    ("number, lookup in a batch, 6 probes", "lookup-batch", 6, 1),
    ("number, one insert, 6 probes", "insert", 6, 1),
    ("number, insert in a batch, 6 probes", "insert-batch", 6, 1),
    ("number, one lookup, two lines (16 probes)", "lookup", 16, 1),
    ("number, lookup in a batch, two lines", "lookup-batch", 16, 1),
    ("number, one insert, two lines", "insert", 16, 1),
    ("number, insert in a batch, two lines", "insert-batch", 16, 1),
    ("23 bytes, one lookup", "bytes-lookup", 8, 1),
    ("23 bytes, lookup in a batch", "bytes-lookup-batch", 8, 1),
    ("23 bytes, one insert", "bytes-insert", 8, 1),
    ("23 bytes, insert in a batch", "bytes-insert-batch", 8, 1),
    ("Keccak-256 of 23 bytes", "keccak", 8, 1),
    ("transpose 64 rows of 64 bytes", "transpose", 8, 16),
    ("AND of 3 rows of 1 KiB", "and-rows", 8, 16),
    ("positions of 1 KiB, half of the bits set", "positions", 8, 16),
]


def executed(program, row, operation, probes, keys):
    with tempfile.NamedTemporaryFile(mode="rb") as log:
        # A fixed environment: its size is part of what the program's start costs.
        subprocess.run(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-singlestep", "-d", "nochain,exec", "-D", log.name,
                        str(program), row, operation, str(probes), str(keys)],
                       check=True, env={"PATH": os.environ["PATH"]})
        return sum(1 for line in log if line.startswith(b"Trace"))


def per_key(program, row, operation, probes, divisor):
    few, many = FEW // divisor, MANY // divisor
    counts = [executed(program, row, operation, probes, keys) for keys in (few, many)]
    return (counts[1] - counts[0]) / (many - few)


def main():
    subprocess.run([ROOT / "tools" / "arm64_sysroot.sh"], check=True)
    # At -O3 GCC 12 takes a copy of the parts of a file for one out of bounds, which it is not.
    subprocess.run(["cmake", "--preset", "arm64", "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release", "-DBLOOMERY_BUILD_TESTS=OFF",
                    "-DBLOOMERY_BUILD_BENCH=ON", "-DBLOOMERY_WARNINGS_AS_ERRORS=OFF"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--target", "instructions_per_key"], check=True, stdout=subprocess.DEVNULL)
    program = BUILD / "bench" / "instructions_per_key"
    print("| Operation | baseline | neon | baseline / neon |\n|---|---|---|---|")
    for title, operation, probes, divisor in OPERATIONS:
        if not all(word in title for word in sys.argv[1:]):
            continue
        baseline, neon = (per_key(program, row, operation, probes, divisor) for row in ("baseline", "neon"))
        print(f"| {title} | {baseline:.1f} | {neon:.1f} | {baseline / neon:.2f} |", flush=True)


main()
