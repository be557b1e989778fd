"""Checks the layer of bloomery::core that works in memory alone: no files, no threads, no exceptions, 32-bit hosts.
And that no public header of bloomery::core reaches a header of C++ that is slow to compile.

usage: check_memory_layer.py [SOURCE]

The sources are those that the folders' CMakeLists.txt add to bloomery_core, less the blocks whose comment says input and
output, or threads and files. Each is checked for headers it must not include, then all are compiled for wasm32-wasi
without exceptions. Without Clang 19 and its WASI libraries only the first is done, and the exit code is 77.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
FOLDERS = ["base", "hash", "funnel", "layout", "simd", "filter", "formats"]
FORBIDDEN = re.compile(r'#include [<"](thread|mutex|shared_mutex|condition_variable|future|fstream|filesystem|unistd\.h|'
                       r'fcntl\.h|bloomery/base/(file|file_lock|file_attributes|descriptor)\.h)[>"]')
SLOW = re.compile(r"#include <(filesystem|functional)>")  # 0.25 and 0.1 s; FileName and function pointers do
COMPILER = "clang++-19"
FLAGS = ["--target=wasm32-wasi", "-std=c++20", "-fsyntax-only", "-fno-exceptions", "-Wall", "-Wextra",
         "-Wshorten-64-to-32", "-Werror"]


def memory_sources():
    for folder in FOLDERS:
        text = (ROOT / "bloomery" / folder / "CMakeLists.txt").read_text()
        for comment, block in re.findall(r"((?:^#[^\n]*\n)*)target_sources\(bloomery_core\b(.*?)\n\)", text,
                                         flags=re.MULTILINE | re.DOTALL):
            if re.search("input and output|threads and files", comment, re.IGNORECASE):
                continue
            for name in re.findall(r"[\w/]+\.cc", block):
                yield ROOT / "bloomery" / folder / name


def public_headers():
    for folder in [ROOT / "bloomery", *(ROOT / "bloomery" / name for name in FOLDERS)]:
        text = re.sub(r"\$\{\w+\}", "", (folder / "CMakeLists.txt").read_text())
        for block in re.findall(r"target_sources\(bloomery_core\b([^)]*)\)", text):
            for name in re.findall(r"[\w/]+\.h", block.partition("FILE_SET HEADERS")[2]):
                yield folder / name


def closure(sources):
    """The sources and every header of ours that they reach."""
    seen, todo = set(), list(sources)
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        todo += [ROOT / name for name in re.findall(r'#include "(bloomery/[^"]+)"', path.read_text())]
    return sorted(seen)


def compile_all(sources):
    """In one unit, but for the files that choose kernels, whose unnamed names are alike."""
    apart = [path for path in sources if path.parent.name == "simd"]
    units = [[path] for path in apart] + [[path for path in sources if path not in apart]]
    with tempfile.TemporaryDirectory() as folder:
        for header in ("xxhash.h", "xxh3.h"):  # the only ones of the host's that are needed
            found = pathlib.Path("/usr/include", header)
            if found.exists():
                shutil.copy(found, folder)
        failed = 0
        for unit in units:
            text = "".join(f'#include "{path}"\n' for path in unit)
            failed |= subprocess.run([COMPILER, *FLAGS, "-isystem", folder, f"-I{ROOT}", "-x", "c++", "-"], input=text,
                                     text=True).returncode
    return failed


def main():
    sources = sorted(set(memory_sources()))
    wrong = [f"{path.relative_to(ROOT)}: {line.strip()}: not in the memory layer" for path in closure(sources)
             for line in path.read_text().splitlines() if FORBIDDEN.match(line)]
    headers = sorted(set(public_headers()))
    wrong += [f"{path.relative_to(ROOT)}: {line.strip()}: slow to compile, in a public header of bloomery::core"
              for path in closure(headers) for line in path.read_text().splitlines() if SLOW.match(line)]
    print("\n".join(wrong) or f"memory layer: {len(sources)} sources include no files and no threads, and "
          f"{len(headers)} public headers nothing slow")
    if wrong:
        return 1
    if shutil.which(COMPILER) is None or not pathlib.Path("/usr/include/wasm32-wasi").exists():
        print(f"skipped: {COMPILER} with wasi-libc and libc++-19-dev-wasm32 is not installed")
        return 77
    if compile_all(sources):
        return 1
    print("memory layer: compiles for wasm32-wasi without exceptions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
