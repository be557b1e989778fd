"""docs/postgres.md: every statement and command of its transcripts, with what it prints.

BLOOMERY_WRITE_PAGE=1 writes the answers into the page instead."""
import os
import re
import subprocess

from parts.context import Context
from server import SOURCE

PAGE = SOURCE / "docs" / "postgres.md"
PROMPT, MORE, SHELL = "shop=# ", "shop-# ", "$ "


def steps(lines):
    """(kind, input lines, answer lines) of a block; kind None where it is no transcript."""
    found = []
    for line in lines:
        if line.startswith((PROMPT, SHELL)):
            found.append((line[:len(PROMPT)] == PROMPT, [line], []))
        elif line.startswith(MORE) and found:
            found[-1][1].append(line)
        elif found:
            found[-1][2].append(line)
        else:
            return []
    return found


def answer(t, is_sql, typed, folder):
    environment = {**t.server.environment, "PGDATABASE": "shop", "PATH": f"{t.command.parent}:{os.environ['PATH']}"}
    if is_sql:
        sql = "\n".join(line[len(PROMPT):] for line in typed)
        command = ["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", sql]
    else:
        command = ["bash", "-o", "pipefail", "-c", typed[0][len(SHELL):]]
    done = subprocess.run(command, env=environment, cwd=folder, text=True, timeout=60, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    lines = [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]
    return [line for line in lines if not re.match(r"LINE \d|\s*\^$", line)] if lines != [""] else []


def test_page(t):
    t.do("drop database if exists shop")
    t.do("create database shop")
    folder = t.server.cluster.folder / "page"
    folder.mkdir()
    text = PAGE.read_text()
    count, written = 0, []
    for part in re.split(r"(^```\w*\n.*?^```\n)", text, flags=re.MULTILINE | re.DOTALL):
        lines = part.split("\n")
        block = steps(lines[1:-2]) if part.startswith("```") else []
        if not block:
            written.append(part)
            continue
        new = [lines[0]]
        for is_sql, typed, expected in block:
            got = answer(t, is_sql, typed, folder)
            count += 1
            new += typed + got
            if "BLOOMERY_WRITE_PAGE" not in os.environ:
                wanted = [line.rstrip() for line in expected]
                while wanted and wanted[-1] == "":
                    wanted.pop()
                assert got == wanted, "\n".join([*typed, "printed:", *got, "and the page says:", *wanted])
            if typed is not block[-1][1] and got:
                new.append("")
        written.append("\n".join(new) + "\n```\n")
    assert count >= 15, count
    if "BLOOMERY_WRITE_PAGE" in os.environ:
        PAGE.write_text("".join(written))
    t.do("drop database shop")
