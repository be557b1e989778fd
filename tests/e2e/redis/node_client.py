"""npm's @redis/bloom, of the pinned version, in both protocols."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from harness import SKIP, Server, check, main

PACKAGE = pathlib.Path(__file__).resolve().parent / "node"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def install(folder):
    """Exactly what package-lock.json names, its checksums verified."""
    for name in ["package.json", "package-lock.json", "client.mjs"]:
        shutil.copy(PACKAGE / name, folder)
    run = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline",
                          "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000", "--fetch-timeout=20000"], cwd=folder,
                         capture_output=True, text=True, timeout=240)
    if "EINTEGRITY" in run.stderr:
        raise RuntimeError("a package does not have the pinned checksum:\n" + run.stderr)
    if run.returncode != 0:
        skip("npm could not install the packages:\n" + run.stderr[-2000:])


def test(module):
    for program in ["node", "npm"]:
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    with tempfile.TemporaryDirectory(prefix="bloomery-node-") as folder, Server(module) as server:
        install(folder)
        for protocol in ["2", "3"]:
            run = subprocess.run(["node", "client.mjs", str(server.port), protocol], cwd=folder, capture_output=True, text=True,
                                 timeout=120)
            check((run.returncode, run.stdout), (0, f"protocol {protocol}: ok\n"), run.stderr)


main(test)
