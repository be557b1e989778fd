"""No kernel object may offer a function to the rest of the program: the linker keeps one copy of an inline function, and
one compiled for AVX-512 would then run on CPUs without it. Usage: kernel_symbols.py NM OBJECT..."""
import subprocess
import sys

nm, *objects = sys.argv[1:]
kernels = [name for name in objects if "simd/" in name and ("_avx" in name or "_neon" in name)]
if not kernels:
    print("no kernel objects for other CPUs here")
    sys.exit(77)
wrong = []
for name in kernels:
    symbols = subprocess.run([nm, "-C", "--defined-only", name], capture_output=True, text=True, check=True).stdout
    for line in symbols.splitlines():
        kind, symbol = line[17:18], line[19:]
        if kind in "WTi":  # a weak or global function; data may be shared
            wrong.append(f"{name}: {symbol}")
print("\n".join(wrong) or f"{len(kernels)} objects keep their functions to themselves")
sys.exit(1 if wrong else 0)
