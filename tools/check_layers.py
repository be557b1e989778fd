"""Checks the layers: which folder may include which, foreign names, constants that have one definition, folder sizes."""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = ["base", "hash", "funnel", "layout", "simd", "filter", "formats", "gpu", "remote"]
MAY_INCLUDE = {
    "base": set(),
    "hash": {"base"},
    "funnel": {"base"},
    "layout": {"base"},
    "simd": {"base", "hash", "layout"},
    "filter": {"base", "hash", "layout", "simd"},
    "formats": {"base", "hash", "funnel", "layout", "simd", "filter"},
    "gpu": {"base", "hash", "funnel", "layout", "simd", "filter", "formats"},
    "remote": {"base", "hash", "funnel", "layout", "simd", "filter", "formats"},
}
# Inside an app, a folder includes only itself and the folders to its left. Files of the app's own folder include all.
APP_LAYERS = {
    "cli": ["shell", "remote", "records", "web", "filters", "leveldb", "dedup", "parts", "documents", "eth", "track", "index", "commands"],
    "ethlog": ["model", "json", "abi", "kv", "store", "index/bloombits", "index/adaptive", "search", "node", "output", "import",
               "check", "serve"],
    "tracker": ["state", "scan", "events", "watch", "fleet"],
    "redis": ["server", "command", "bloom", "cuckoo", "native"],
}
# Every app may include these; cli may include every app.
SHARED_APPS = {"http", "input", "redis_client"}
KERNELS = ROOT / "bloomery/gpu/cuda"  # the only folder that may include headers of CUDA
MOST_FILES = 45  # in one folder, tests excepted
FOREIGN = re.compile(r"guava|redis|leveldb|parquet|minio|ethereum", re.IGNORECASE)
WRITTEN_ONCE = ["0x47b6137b", "0x87c37b91114253d5", "0xbc9f1d34", "14695981039346656037"]
HOSTS = re.compile(r'#include <(leveldb/|redismodule|cuda)|#include "(redismodule|leveldb/)')


def layer_of(path):
    parts = path.relative_to(ROOT).parts
    if parts[0] == "bloomery":
        return parts[1] if len(parts) > 2 else "front"
    return parts[0]


def app_rank(app, folder):
    """The place of a folder in its app's order; the app's own folder comes last. None for one without a place."""
    layers = APP_LAYERS[app]
    if folder == "":
        return len(layers)
    return layers.index(folder) if folder in layers else None


def app_violation(name, included):
    """Why a file of an app must not include another, or None."""
    if name.parts[0] != "apps" or included.parts[0] != "apps":
        return None
    app, other = name.parts[1], included.parts[1]
    if other != app:
        return None if app == "cli" or other in SHARED_APPS else f"{app} may not include {other}"
    if app not in APP_LAYERS:
        return None
    here, there = "/".join(name.parts[2:-1]), "/".join(included.parts[2:-1])
    if app_rank(app, here) is None:
        return f"{app}/{here} has no place in the order of {app}'s layers"
    if app_rank(app, there) is None or app_rank(app, there) > app_rank(app, here):
        return f"{app}/{here} may not include {app}/{there}"
    return None


def binding_violation(name, included):
    """Why a file must not include another because of bindings, or None: they stand on the library alone."""
    here, there = name.parts[0], included.parts[0]
    if here == "bindings" and there not in ("bloomery", "bindings"):
        return f"a binding may not include {there}"
    if there == "bindings" and here in ("bloomery", "apps"):
        return f"{here} may not include a binding"
    return None


def crowded_folders(names):
    counts = collections.Counter(name.parent for name in names if name.parts[0] != "tests")
    return [f"{folder}: {count} files; at most {MOST_FILES} in one folder" for folder, count in sorted(counts.items())
            if count > MOST_FILES]


def code_of(text):
    """The text without comments: a comment may cite its source."""
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                            check=True)
    every = [pathlib.PurePath(name) for name in listed.stdout.splitlines() if (ROOT / name).exists()]
    files = [ROOT / name for name in every if name.suffix in (".h", ".cc")]
    wrong = crowded_folders(every)
    places = {constant: set() for constant in WRITTEN_ONCE}
    for path in files:
        layer, text = layer_of(path), path.read_text()
        code = code_of(text)
        name = path.relative_to(ROOT)
        for number, line in enumerate(code.splitlines(), 1):
            included = re.match(r'#include "bloomery/(\w+)/', line)
            if layer in MAY_INCLUDE and included and included[1] not in MAY_INCLUDE[layer] | {layer}:
                wrong.append(f"{name}:{number}: {layer} may not include {included[1]}")
            local = re.match(r'#include "([^"]+)"', line)
            why = app_violation(name, pathlib.PurePath(local[1])) if local else None
            why = why or (binding_violation(name, pathlib.PurePath(local[1])) if local else None)
            if why:
                wrong.append(f"{name}:{number}: {why}")
            if layer in LIBRARY and KERNELS not in path.parents and HOSTS.search(line):
                wrong.append(f"{name}:{number}: the library includes no host")
            if layer in MAY_INCLUDE and layer != "formats" and FOREIGN.search(line):
                wrong.append(f"{name}:{number}: a foreign system's name in the code of {layer}")
        if name.parts[0] in ("bloomery", "apps"):
            for constant in WRITTEN_ONCE:
                if constant in code:
                    places[constant].add(str(name))
    for constant, where in places.items():
        if len(where) > 1:
            wrong.append(f"{constant} is written in {' and '.join(sorted(where))}; it must have one home")
    print("\n".join(wrong) or f"layers: {len(files)} files keep the rules")
    return 1 if wrong else 0


sys.exit(main())
