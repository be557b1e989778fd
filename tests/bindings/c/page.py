"""Runs docs/c.md: its programs are compiled and its commands print what the page shows.

usage: page.py COMMAND LIBRARY SOURCE

A block of C or Go below "This is `NAME`:" is written to the file NAME; a ```console block is run line by line in the
folder of the files. Sections of Go are skipped with a sentence where Go is missing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMMAND, LIBRARY, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
PAGE = (SOURCE / "docs/c.md").read_text()


def environment(folder):
    (folder / "bloomery-c.pc").write_text(
        f"Name: bloomery-c\nDescription: not installed\nVersion: 0\nLibs: -L{LIBRARY.parent} -lbloomery_c\n"
        f"Cflags: -I{SOURCE}/bindings/c\n")
    return {**os.environ, "PKG_CONFIG_PATH": str(folder), "LD_LIBRARY_PATH": str(LIBRARY.parent), "GO111MODULE": "off",
            "GOFLAGS": "", "GOCACHE": os.environ.get("GOCACHE", str(folder / "go-cache")), "CGO_ENABLED": "1",
            "PATH": f"{COMMAND.parent}:{os.environ['PATH']}"}


def run_section(section, folder, settings):
    """Returns how many commands were run."""
    for name, text in re.findall(r"This is `([\w.]+)`:\n\n```\w+\n(.*?)```", section, re.DOTALL):
        (folder / name).write_text(text)
    count = 0
    for block in re.findall(r"```console\n(.*?)```", section, re.DOTALL):
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=settings, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            if done.returncode != 0 or done.stdout != expected:
                sys.exit(f"$ {command}\nexpected:\n{expected}printed, with exit code {done.returncode}:\n{done.stdout}")
            count += 1
    return count


def main():
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for section in re.split(r"^## ", PAGE, flags=re.MULTILINE):
            if "```go" in section and shutil.which("go") is None:
                print("skipped: the section of Go, because go is not installed")
                continue
            count += run_section(section, folder, environment(folder))
    assert count >= 3, f"only {count} commands were found"
    header = (SOURCE / "bindings/c/bloomery/c.h").read_text()
    declared = set(re.findall(r"^BLOOMERY_API [^;]*?\b(bloomery_\w+)\(", header, re.MULTILINE))
    table = PAGE[PAGE.index("## Each call"):]
    named = set()
    for cell in re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE):
        words = re.findall(r"`(\w+)`", cell)
        named |= {word if word.startswith("bloomery") else words[0] + word for word in words}
    assert declared == named, f"the table of calls and the header differ: {declared ^ named}"
    print(f"{count} commands, {len(named)} calls")


main()
