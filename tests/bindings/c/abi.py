"""Programs compiled against the last release run with this header's library: functions may be added, none may change.

usage: abi.py SOURCE            compares the header with bindings/c/abi/libbloomery_c.so.0.abi
       abi.py SOURCE --write    writes that file, once per release

abidiff compares two libraries by their debug information. The one that stands for the header has a body of one line
for each call, so that the comparison costs a second; symbols.py proves that the real library has the same calls.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
HEADERS = SOURCE / "bindings/c"
DUMP = HEADERS / "abi/libbloomery_c.so.0.abi"
INCOMPATIBLE, CHANGED, FAILED = 8, 4, 3


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def stand_in(folder, header):
    """A library with the functions of the header."""
    declared = re.findall(r"^BLOOMERY_API ([^;]*?)(\bbloomery_\w+)(\([^;]*\));", header, re.MULTILINE)
    bodies = [f"{type_} {name}{arguments} {{ {'return 0;' if type_.strip() != 'void' else ''} }}"
              for type_, name, arguments in declared]
    (folder / "bloomery").mkdir(exist_ok=True)
    (folder / "bloomery/c.h").write_text(header)
    (folder / "calls.c").write_text("#include <bloomery/c.h>\n" + "\n".join(bodies))
    library = folder / "libbloomery_c.so.0"
    made = run("cc", "-std=c99", "-g", "-O0", "-fno-eliminate-unused-debug-types", "-shared", "-fPIC", "-w", "-I.",
               f"-Wl,--version-script={HEADERS / 'exports.map'}", "-Wl,-soname,libbloomery_c.so.0", "calls.c", "-o", library,
               cwd=folder)
    assert made.returncode == 0, made.stderr
    return library


def compared(folder, header):
    return run("abidiff", DUMP, stand_in(folder, header))


def main():
    if shutil.which("abidiff") is None:
        print("skipped: abidiff is not installed (Debian: abigail-tools)")
        sys.exit(77)
    header = (HEADERS / "bloomery/c.h").read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "--write" in sys.argv:
            DUMP.parent.mkdir(exist_ok=True)
            done = run("abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--out-file", DUMP,
                       stand_in(folder, header))
            sys.exit(done.returncode)
        # The comparison must see a change: of a parameter, and of a structure.
        for old, new in [("bloomery_error_name(int code)", "bloomery_error_name(long code)"), ("  double fill;", "  float fill;")]:
            assert old in header
            assert compared(folder, header.replace(old, new)).returncode & (CHANGED | INCOMPATIBLE), new
        done = compared(folder, header)
        if done.returncode & (INCOMPATIBLE | FAILED) or re.search(r"[1-9]\d* (Removed|Changed)", done.stdout):
            sys.exit(f"the interface changed against the last release:\n{done.stdout}{done.stderr}")
        added = re.search(r"(\d+) Added function", done.stdout)
        print(f"compatible with the last release; {added[1] if added else 0} functions were added")


main()
