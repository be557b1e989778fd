"""Databases made live by Debian's LevelDB and goleveldb, opened with our policies, and the reverse: every key is found,
and filters are used exactly where the names agree. usage: live_policies.py POLICY_TOOL BUILD_FOLDER"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GO_PATH = "/usr/share/gocode"
KEYS = 20000
NAMES = {"builtin": 2, "compatible": 2, "go": 1, "block": "ours", "goleveldb": 1}


def build_goleveldb(build):
    if not shutil.which("go") or not os.path.exists(f"{GO_PATH}/src/github.com/syndtr/goleveldb"):
        print("goleveldb is not installed (Debian packages golang-go, golang-github-syndtr-goleveldb-dev): skipped")
        return None
    source, target = HERE / "goleveldb_tool.go", build / "goleveldb_tool"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        offline = {"GO111MODULE": "off", "GOPATH": GO_PATH, "GOPROXY": "off", "GOFLAGS": "",
                   "GOCACHE": str(build.resolve() / "go-cache")}
        subprocess.run(["go", "build", "-o", target, source], check=True, env={**os.environ, **offline})
    return target


def main():
    tool, build = sys.argv[1], pathlib.Path(sys.argv[2])
    build.mkdir(parents=True, exist_ok=True)
    goleveldb = build_goleveldb(build)
    kinds = [kind for kind in NAMES if kind != "goleveldb" or goleveldb]

    def run(action, kind, folder):
        command = [goleveldb, action, folder] if kind == "goleveldb" else [tool, action, kind, folder]
        done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
        return [int(number) for number in done.stdout.split()]

    wrong = []
    for writer in kinds:
        with tempfile.TemporaryDirectory() as folder:
            run("write", writer, f"{folder}/db")
            for reader in kinds:
                # A copy: opening a database with another policy may rewrite its tables.
                shutil.copytree(f"{folder}/db", f"{folder}/{reader}")
                lost, read = run("read", reader, f"{folder}/{reader}")
                # goleveldb counts kilobytes, of blocks of up to four that Snappy shrinks tenfold.
                most, least = (KEYS * 0.03, KEYS * 0.9) if reader != "goleveldb" else (KEYS * 0.03, KEYS * 0.2)
                used = read < most
                ignored = read > least
                same = NAMES[writer] == NAMES[reader]
                print(f"{writer:10} read by {reader:10}: {lost} lost, {read} read for {KEYS} absent keys")
                if lost or (same and not used) or (not same and not ignored):
                    wrong.append(f"{writer} read by {reader}")
    print("wrong: " + ", ".join(wrong) if wrong else "every key was found, and filters of the same name were used")
    return 1 if wrong else 0 if goleveldb else 77


sys.exit(main())
