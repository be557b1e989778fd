#!/usr/bin/env python3
"""The tables of docs/scale.md are those of `scale_sim --tables`, and its measured rows stand in bench/RESULTS.md.

usage: scale_page.py SCALE_SIM ROOT; with --write the tables of the page are replaced
"""
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"^\|.*\|$", re.MULTILINE)


def tables(program):
    """Name and rows of each table that the program prints."""
    text = subprocess.run([program, "--tables"], capture_output=True, text=True, check=True, timeout=120).stdout
    found = dict(re.findall(r"^table (\w+)\n\n((?:\|.*\|\n)+)", text, re.MULTILINE))
    assert len(found) >= 7, f"the program prints {len(found)} tables"
    return found


def marked(name):
    return re.compile(rf"(<!-- scale_sim: {name} -->\n\n)((?:\|.*\|\n)+)")


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    file = root / "docs" / "scale.md"
    page, problems = file.read_text(encoding="utf-8"), []
    for name, rows in tables(program).items():
        place = marked(name).search(page)
        if not place:
            problems.append(f"docs/scale.md: the table {name} is missing; mark it with <!-- scale_sim: {name} -->")
        elif "--write" in sys.argv:
            page = page[:place.start(2)] + rows + page[place.end(2):]
        elif place[2] != rows:
            shown, wanted = place[2].splitlines(), rows.splitlines()
            line = next((i for i, (a, b) in enumerate(zip(shown, wanted)) if a != b), min(len(shown), len(wanted)))
            problems.append(f"docs/scale.md: table {name}, line {line + 1} differs from `scale_sim --tables`; "
                            f"run {pathlib.Path(__file__).name} with --write")
    if "--write" in sys.argv:
        file.write_text(page, encoding="utf-8")
    results = set(ROW.findall((root / "bench" / "RESULTS.md").read_text(encoding="utf-8")))
    measured = marked("measured").search(page)
    if not measured:
        problems.append("docs/scale.md: the table of measured rates is missing")
    else:
        problems += [f"docs/scale.md: this row is not in bench/RESULTS.md: {row}"
                     for row in measured[2].splitlines() if row not in results]
    print("\n".join(problems) or "docs/scale.md has the tables of scale_sim")
    sys.exit(1 if problems else 0)


main()
