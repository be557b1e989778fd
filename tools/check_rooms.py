"""Holds the rooms to their rules: who may include whom, foreign names, and constants that are written once."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = ["base", "hash", "funnel", "layout", "simd", "filter", "formats"]
MAY_INCLUDE = {
    "base": set(),
    "hash": {"base"},
    "funnel": {"base"},
    "layout": {"base"},
    "simd": {"base", "hash", "layout"},
    "filter": {"base", "hash", "layout", "simd"},
    "formats": {"base", "hash", "funnel", "layout", "simd", "filter"},
}
# Of the programs: cli may include all, and these are for all; the rest keep to themselves.
SHARED_APPS = {"http", "input", "redis_client"}
FOREIGN = re.compile(r"guava|redis|leveldb|parquet|minio|ethereum", re.IGNORECASE)
WRITTEN_ONCE = ["0x47b6137b", "0x87c37b91114253d5", "0xbc9f1d34", "14695981039346656037"]
HOSTS = re.compile(r'#include <(leveldb/|redismodule|cuda)|#include "(redismodule|leveldb/)')


def room_of(path):
    parts = path.relative_to(ROOT).parts
    if parts[0] == "bloomery":
        return parts[1] if len(parts) > 2 else "front"
    return parts[0]


def code_of(text):
    """The text without comments: a comment may cite its source."""
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"], cwd=ROOT,
                            capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.split() if (ROOT / name).exists()]
    wrong = []
    places = {constant: set() for constant in WRITTEN_ONCE}
    for path in files:
        room, text = room_of(path), path.read_text()
        code = code_of(text)
        name = path.relative_to(ROOT)
        for number, line in enumerate(code.splitlines(), 1):
            included = re.match(r'#include "bloomery/(\w+)/', line)
            if room in MAY_INCLUDE and included and included[1] not in MAY_INCLUDE[room] | {room}:
                wrong.append(f"{name}:{number}: {room} may not include {included[1]}")
            app = re.match(r'#include "apps/(\w+)/', line)
            if name.parts[0] == "apps" and app and app[1] not in SHARED_APPS | {name.parts[1]} and name.parts[1] != "cli":
                wrong.append(f"{name}:{number}: {name.parts[1]} may not include {app[1]}")
            if room in LIBRARY and HOSTS.search(line):
                wrong.append(f"{name}:{number}: the library includes no host")
            if room in MAY_INCLUDE and room != "formats" and FOREIGN.search(line):
                wrong.append(f"{name}:{number}: a foreign system's name in the code of {room}")
        if name.parts[0] in ("bloomery", "apps"):
            for constant in WRITTEN_ONCE:
                if constant in code:
                    places[constant].add(str(name))
    for constant, where in places.items():
        if len(where) > 1:
            wrong.append(f"{constant} is written in {' and '.join(sorted(where))}; it must have one home")
    print("\n".join(wrong) or f"rooms: {len(files)} files keep their rules")
    return 1 if wrong else 0


sys.exit(main())
