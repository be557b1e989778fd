#!/usr/bin/env python3
"""Writes the manual pages from the help of the program and docs/man/prose.txt.

usage: make_man.py PROGRAM DIRECTORY          writes DIRECTORY/bloomery*.1
       make_man.py --check PROGRAM DIRECTORY  exits 1 and names what is missing or out of date
"""
import pathlib
import re
import subprocess
import sys
import textwrap

DATE = "2026-11-15"
EXITS = [
    ("0", "Success. For query: at least one record was selected."),
    ("1", "Nothing was selected."),
    ("2", "Wrong usage, or a file or server that cannot be read or written."),
    ("3", "Not a valid filter: damaged, another version, incompatible parameters, or the wrong "
          "secret."),
    ("4", "Refused: the filter is over its design (--strict, --max-fpr) or over the memory limit (-m)."),
]


def roff(text):
    """Escapes text for roff: hyphens stay hyphens, and no line begins a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def filled(text):
    """A paragraph in lines of fewer than 80 bytes."""
    return [roff(line) for line in textwrap.wrap(text, 70, break_on_hyphens=False)]


def read_prose(path):
    pages, page = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        if match := re.fullmatch(r"\[(.+)\]", line):
            page = pages[match[1]] = []
        elif page is not None:
            page.append(line)
    return pages


def paragraphs(lines):
    out, text = [], []

    def end():
        if text:
            out.extend([".PP"] if out and not out[-1].startswith(".SH") else [])
            out.extend(filled(" ".join(text)))
            text.clear()

    for line in lines:
        if line.startswith("== "):
            end()
            out.append(".SH " + line[3:])
        elif line.strip():
            text.append(line)
        else:
            end()
    end()
    return out


class Help:
    """What --help says: examples, description, usage, and groups of entries with their texts."""

    def __init__(self, program, words):
        text = subprocess.run([program, *words, "--help"], capture_output=True, text=True,
                              check=True).stdout
        self.name = " ".join(["bloomery", *words])
        self.examples, self.groups, self.usage, self.summary = [], {}, "", ""
        group = None
        for line in text.splitlines():
            if line.startswith("Usage: "):
                self.usage, group = line[len("Usage: "):], None
            elif match := re.fullmatch(r"(\S.*):", line):
                group = [] if match[1] == "Examples" else self.groups.setdefault(match[1], [])
                if match[1] == "Examples":
                    self.examples = group
            elif group is self.examples and line.startswith("  "):
                group.append(line[2:])
            elif group is not None and re.match(r"  \S", line):
                left, _, right = re.sub(r"\s{2,}", "\0", line[2:], count=1).partition("\0")
                group.append([left, [right] if right else []])
            elif group and line.startswith("   "):
                group[-1][1].append(line.strip())
            elif line and not self.summary and not line.startswith(" "):
                self.summary, group = line.strip().rstrip("."), None

    def subcommands(self):
        return [entry[0] for entry in self.groups.get("Commands", [])]

    def options(self):
        entries = [entry for group in self.groups.values() for entry in group]
        return sorted({name for left, _ in entries for name in re.findall(r"--[a-z][a-z0-9-]*", left)})


def entry_lines(left, texts):
    # "-o, --output FILE": the names in bold, what they take in italics.
    *short, last = left.split(", ")
    name, _, value = last.partition(" ")
    tag = ", ".join("\\fB" + roff(one) + "\\fR" for one in [*short, name])
    if value:
        tag += " \\fI" + roff(value) + "\\fR"
    return [".TP", tag] + filled(" ".join(texts))


def group_lines(shown):
    out = []
    # What belongs to the command comes before what belongs to all.
    for title, entries in sorted(shown.groups.items(), key=lambda group: "Global" in group[0]):
        out.append(".SS " + title)
        for left, texts in entries:
            out += entry_lines(left, texts)
    return out


def page(program, words, prose, version):
    shown = Help(program, words)
    key = words[0] if words else "bloomery"
    lines = prose.get(key, [])
    split = next((i for i, line in enumerate(lines) if line.startswith("== ")), len(lines))
    title = "-".join(["bloomery", *words])
    out = [f'.TH "{title.upper()}" "1" "{DATE}" "bloomery {version}" "Bloomery manual"',
           ".SH NAME", roff(title) + " \\-",
           *filled(shown.summary[:1].lower() + shown.summary[1:] if words else shown.summary),
           ".SH SYNOPSIS", "\\fB" + roff(shown.name) + "\\fR" +
           roff(shown.usage[len(shown.name):])]
    if any(line.strip() for line in lines[:split]):
        out += [".SH DESCRIPTION", *paragraphs(lines[:split])]
    out += [".SH OPTIONS", *group_lines(shown)]
    for child in shown.subcommands() if words else []:
        nested = Help(program, [*words, child])
        out += [f".SH {nested.name.upper()}", *filled(nested.summary + "."), ".PP",
                "\\fB" + roff(nested.usage) + "\\fR"]
        out += group_lines(nested)
    if any(line.strip() for line in lines[split:]):
        out += paragraphs(lines[split:])
    if shown.examples:
        out += [".SH EXAMPLES", ".nf", *[roff(line) for line in shown.examples], ".fi"]
    out.append(".SH EXIT STATUS")
    for code, text in EXITS:
        out += [".TP", code, *filled(text)]
    out.append(".SH SEE ALSO")
    others = Help(program, []).subcommands() if not words else []
    out.append(",\n".join(f"\\fBbloomery\\-{roff(other)}\\fR(1)" for other in others)
               or "\\fBbloomery\\fR(1)")
    return "\n".join(out) + "\n"


def pages(program, directory):
    prose = read_prose(directory / "prose.txt")
    version = subprocess.run([program, "--version"], capture_output=True, text=True,
                             check=True).stdout.split()[1]
    yield "bloomery.1", page(program, [], prose, version)
    for command in Help(program, []).subcommands():
        yield f"bloomery-{command}.1", page(program, [command], prose, version)


def check(program, directory):
    """Every long option of --help occurs in the page, and the page is what would be written."""
    faults = []
    for name, text in pages(program, directory):
        path = directory / name
        stored = path.read_text() if path.exists() else ""
        words = name[len("bloomery"):-len(".1")].strip("-").split("-") if name != "bloomery.1" else []
        for option in Help(program, words).options():
            if roff(option) not in stored:
                faults.append(f"{path}: {option} is missing")
        if stored != text:
            faults.append(f"{path}: out of date; run tools/make_man.py")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--check":
        return check(arguments[1], pathlib.Path(arguments[2]))
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    for name, text in pages(arguments[0], pathlib.Path(arguments[1])):
        (pathlib.Path(arguments[1]) / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
