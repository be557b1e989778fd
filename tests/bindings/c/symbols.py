"""The shared library exports bloomery_* and nothing else, every call of the header, and its soname is libbloomery_c.so.0;
the header compiles as C99 and as C++ on its own.

usage: symbols.py LIBRARY HEADER-FOLDER
"""
import pathlib
import re
import subprocess
import sys

library, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def output(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


exported = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--defined-only", library).splitlines()
            if line.split()[-2] != "A"}  # A: the name of the version itself
declared = set(re.findall(r"^BLOOMERY_API [^;]*?(bloomery_\w+)\(", (folder / "bloomery/c.h").read_text(), re.MULTILINE))
assert len(declared) > 30, declared
assert exported == declared, f"exported but not declared: {exported - declared}; declared only: {declared - exported}"
assert "SONAME" in output("objdump", "-p", library) and "libbloomery_c.so.0\n" in output("objdump", "-p", library)
for name in ["-std=c99 -xc", "-std=c17 -xc", "-std=c++11 -xc++", "-std=c++20 -xc++"]:
    output("cc", *name.split(), "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", f"-I{folder}", "-fsyntax-only", "-",
           input="#include <bloomery/c.h>\nint main(void) { bloomery_options o = BLOOMERY_OPTIONS_INIT; return (int)o.keys; }\n")
print(f"{len(exported)} symbols, all of them bloomery_*")
