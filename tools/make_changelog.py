"""Prints CHANGELOG.md as Debian's changelog: tools/make_changelog.py > debian/changelog.

The newest entry must be that of the version in CMakeLists.txt, which is where the version is written."""
import datetime
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
AUTHOR = re.search(r"^Maintainer: (.*)$", (ROOT / "packaging/debian/control").read_text(), re.M).group(1)


def version():
    return re.search(r"^project\(bloomery VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)


def entries():
    """(version, date, items) of each release, newest first."""
    for block in re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)[1:]:
        head, body = block.split("\n", 1)
        name, date = re.fullmatch(r"(\S+) \((\d{4}-\d\d-\d\d)\)", head).groups()
        items = [" ".join(item.split()) for item in re.split(r"^- ", body, flags=re.M)[1:]]
        yield name, datetime.date.fromisoformat(date), items


def wrapped(item, width=76):
    lines, line = [], "  *"
    for word in item.split():
        if len(line) + 1 + len(word) > width and line.strip() not in ("*", ""):
            lines.append(line)
            line = "   "
        line += " " + word
    return [*lines, line]


def main():
    releases = list(entries())
    if releases[0][0] != version():
        sys.exit(f"CHANGELOG.md begins with {releases[0][0]}, but CMakeLists.txt has version {version()}; add its entry")
    for name, date, items in releases:
        print(f"bloomery ({name}) unstable; urgency=medium\n")
        for item in items:
            print("\n".join(wrapped(item)))
        print(f"\n -- {AUTHOR}  {date:%a, %d %b %Y} 12:00:00 +0000\n")


if __name__ == "__main__":
    main()
