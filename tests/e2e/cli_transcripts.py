#!/usr/bin/env python3
"""Runs a transcript against the real program and compares what it printed.

A transcript is a text file:

    A line that starts with no "$ " and follows no command is a comment.

    $ command                  run by bash in an empty folder of its own, `bloomery` on the PATH
    what it prints             stdout and stderr together, exactly
    what it .* prints  (re)    a line may be a regular expression
    [2]                        the exit code, where it is not 0

An empty line ends what a command prints. A command that exits with 77 skips the rest, saying why.
Each command runs alone; files stay, variables do not. $GOLDEN is tests/golden.

cli_transcripts.py PROGRAM TRANSCRIPT [--write]: with --write, what the program prints replaces what differs, line by line;
read the difference before you commit it.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIP = 77


def read_steps(path):
    """Yields (line number, command, expected lines, expected exit code)."""
    lines = open(path, encoding="utf-8").read().split("\n")
    i = 0
    while i < len(lines):
        if not lines[i].startswith("$ "):
            i += 1
            continue
        number, command = i + 1, lines[i][2:]
        expected, code = [], 0
        i += 1
        while i < len(lines) and lines[i] != "" and not lines[i].startswith("$ "):
            if re.fullmatch(r"\[\d+\]", lines[i]):
                code = int(lines[i][1:-1])
            else:
                expected.append(lines[i])
            i += 1
        yield number, command, expected, code


def matches(expected, actual):
    if expected.endswith(" (re)"):
        return re.fullmatch(expected[:-5].rstrip(), actual) is not None
    return expected == actual


def run_step(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = done.stdout.decode("utf-8", "backslashreplace")
    lines = output.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines, done.returncode


def rewrite(transcript, mended):
    """Puts what was found into the transcript; a regular expression that still matches its line stays."""
    lines = open(transcript, encoding="utf-8").read().split("\n")
    for number, expected, code, actual, actual_code in reversed(mended):
        kept = [old if i < len(expected) and matches(old := expected[i], line) else line for i, line in enumerate(actual)]
        end = number + len(expected) + (1 if code else 0)
        lines[number:end] = kept + ([f"[{actual_code}]"] if actual_code else [])
    open(transcript, "w", encoding="utf-8").write("\n".join(lines))


def check(transcript, program, write=False):
    with tempfile.TemporaryDirectory() as folder:
        tools = os.path.join(folder, ".tools")
        work = os.path.join(folder, "work")
        os.mkdir(tools)
        os.mkdir(work)
        os.symlink(os.path.abspath(program), os.path.join(tools, "bloomery"))
        environment = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], LC_ALL="C", TERM="dumb",
                           GOLDEN=str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
        environment.pop("NO_COLOR", None)
        failures = 0
        steps = 0
        mended = []
        for number, command, expected, code in read_steps(transcript):
            steps += 1
            actual, actual_code = run_step(command, work, environment)
            if actual_code == SKIP and code != SKIP:
                print(f"{transcript}:{number}: skipped: {' '.join(actual)}")
                return SKIP if failures == 0 else 1
            same = len(actual) == len(expected) and all(map(matches, expected, actual))
            if same and actual_code == code:
                continue
            failures += 1
            mended.append((number, expected, code, actual, actual_code))
            print(f"{transcript}:{number}: $ {command}")
            print("".join(f"  expected: {line}\n" for line in expected) + f"  expected: [{code}]")
            print("".join(f"  found:    {line}\n" for line in actual) + f"  found:    [{actual_code}]")
        print(f"{transcript}: {steps} commands, {failures} failed")
        if write:
            rewrite(transcript, mended)
        return 1 if failures or steps == 0 else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[2], sys.argv[1], write="--write" in sys.argv[3:]))
