"""Every *_test.cc belongs to a test program of one of the builds. Usage: check_tests.py BUILD-FOLDER..."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
listed = subprocess.run(["git", "ls-files", "*_test.cc"], cwd=ROOT, capture_output=True, text=True, check=True)
wanted = {str(ROOT / name) for name in listed.stdout.split()}
compiled = {entry["file"] for build in sys.argv[1:]
            for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text())}
for name in [name for name in compiled if "/Unity/" in name]:  # several sources, compiled as one
    compiled |= set(re.findall(r'#include "(.*)"', pathlib.Path(name).read_text()))
forgotten = sorted(wanted - compiled)
for name in forgotten:
    print(f"{name} is built by no test program")
print(f"{len(wanted)} test files, {len(forgotten)} forgotten")
sys.exit(1 if forgotten else 0)
