#!/usr/bin/env python3
"""Keeps README.md, or another page, true. Usage: check_readme.py PATH-OF-BLOOMERY [--write] [PAGE.md]

Runs every command of its ```console blocks, in order and in one empty folder with `bloomery` on the PATH, and compares
what was printed (stdout and stderr together). A line `...` stands for any number of lines. Times, rates and the memory
limit belong to the machine and are not compared. Each command runs in a shell of its own: files stay, variables do not.
With --write the output that differs is replaced in the page by what was printed, for a person to read the difference.
The folder is empty but for samples of the tests: blocks.jsonl, a chain; tokens.jsonl and erc20.json, events of tokens and their
ABI; users.parquet, a table.

The first ```cpp block of README.md must be examples/hello.cc, which the build compiles and runs. check_docs.py checks
the links.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = next((pathlib.Path(name).resolve() for name in sys.argv[2:] if name.endswith(".md")), ROOT / "README.md")
SAMPLES = {"blocks.jsonl": "ethereum/chain_blocks.jsonl", "tokens.jsonl": "ethereum/token_blocks.jsonl",
           "erc20.json": "ethereum/erc20_abi.json", "users.parquet": "parquet/users.parquet"}
MACHINE = [
    (re.compile(r"\bin \d+\.\d+ s\b"), "in T s"),
    (re.compile(r"\([\d.,]+( [kMG])?/s\)"), "(RATE/s)"),
    (re.compile(r"\(limit [^)]*\)"), "(limit L)"),
    (re.compile(r"% of [\d,]+ absent keys"), "% of N absent keys"),
    (re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d"), "DATE"),
    (re.compile(r"/tmp/\S*/work\b|/home/you\b"), "/HOME"),
    (re.compile(r"(?<=planning )[\d.]+.*"), "T"),
    (re.compile(r"\babout [\d.e-]+ ms\b"), "about T ms"),
    (re.compile(r"\bcycle (\d+):[0-9a-f]{16}"), r"cycle \1:TOKEN"),
    (re.compile(r"\b(\d+):[0-9a-f]{16}\b"), r"\1:TOKEN"),
    (re.compile(r'"(seconds|records_per_second)":[\d.e+-]+'), r'"\1":T'),
]


def normalised(line):
    for pattern, replacement in MACHINE:
        line = pattern.sub(replacement, line)
    return line.rstrip()


def blocks(text, language):
    """Yields (number of the first line, lines) of each fenced block."""
    lines = text.split("\n")
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and line == "```" + language:
            start = number
        elif start is not None and line == "```":
            yield start + 1, lines[start:number - 1]
            start = None


def steps(text):
    """Yields (line number, command, expected lines)."""
    for first, lines in blocks(text, "console"):
        step = None
        for number, line in enumerate(lines, first):
            if line.startswith("$ "):
                if step:
                    yield step
                step = (number, line[2:], [])
            elif step:
                step[2].append(line)
        if step:
            yield step


def matches(expected, actual):
    """Whether the lines agree, where `...` takes any number of them."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and normalised(expected[0]) == normalised(actual[0]) and matches(expected[1:], actual[1:])


def without_blank_ends(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def check_commands(text, program):
    """Returns the number of failures, and the text with what was printed in place of what differs."""
    failures = count = 0
    lines = text.split("\n")
    shift = 0
    with tempfile.TemporaryDirectory() as folder:
        tools, work = os.path.join(folder, "tools"), os.path.join(folder, "work")
        os.mkdir(tools)
        os.mkdir(work)
        for name, golden in SAMPLES.items():
            shutil.copy(ROOT / "tests/golden" / golden, os.path.join(work, name))
        os.symlink(os.path.abspath(program), os.path.join(tools, "bloomery"))
        environment = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], LC_ALL="C", TERM="dumb")
        for number, command, expected in steps(text):
            count += 1
            done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, timeout=120,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            actual = without_blank_ends(done.stdout.decode("utf-8", "backslashreplace").split("\n"))
            if not matches(without_blank_ends(expected), actual):
                failures += 1
                print(f"{PAGE.name}:{number}: $ {command}\n  it printed:\n    " + "\n    ".join(actual))
                lines[number + shift:number + shift + len(expected)] = actual
                shift += len(actual) - len(expected)
    print(f"{count} commands, {failures} print something else than {PAGE.name} says")
    return failures + (count == 0), "\n".join(lines)


def check_example(text):
    shown = next(blocks(text, "cpp"), (0, []))[1]
    if "\n".join(shown).strip() == (ROOT / "examples/hello.cc").read_text().strip():
        return 0
    print("README.md: the first C++ block is not examples/hello.cc")
    return 1


def main():
    text = PAGE.read_text(encoding="utf-8")
    failures, printed = check_commands(text, sys.argv[1])
    if "--write" in sys.argv:
        PAGE.write_text(printed, encoding="utf-8")
    example = check_example(text) if PAGE.name == "README.md" else 0
    return 1 if failures + example else 0


if __name__ == "__main__":
    sys.exit(main())
