"""npm's @redis/bloom, of the pinned version, in both protocols."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from harness import SKIP, Server, check, main
from npm_packages import install  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parent / "node"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def test(module):
    with tempfile.TemporaryDirectory(prefix="bloomery-node-") as folder, Server(module) as server:
        install(PACKAGE, folder, skip)
        for protocol in ["2", "3"]:
            run = subprocess.run(["node", "client.mjs", str(server.port), protocol], cwd=folder, capture_output=True, text=True,
                                 timeout=120)
            check((run.returncode, run.stdout), (0, f"protocol {protocol}: ok\n"), run.stderr)


main(test)
