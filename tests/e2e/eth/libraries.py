"""npm's viem, web3.js, ethers and ponder's utilities, of the pinned versions: transactions, receipts, whole blocks and logs by
their own functions, over HTTP and WebSocket, also while blocks arrive."""
import pathlib
import subprocess
import sys
import tarfile
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from harness import GOLDEN, Served, check, main, skip
from npm_packages import install  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parent / "node"
SERVED, ALL = 12, 18  # blocks before and after the rest arrives


def run(folder, served, part, blocks, news=()):
    process = subprocess.Popen(["node", "libraries.mjs", part, str(served.port), str(blocks), str(ALL)], cwd=folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if news and process.stdout.readline() == "ready\n":
            served.append(news)
        out, err = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            process.kill()
    check((process.returncode, out), (0, f"{part}: ok\n"), err + "".join(served.lines))


def test(command):
    with tempfile.TemporaryDirectory(prefix="bloomery-libraries-") as folder:
        install(PACKAGE, folder, skip)
        path = pathlib.Path(folder) / "chain.jsonl"
        subprocess.run(["node", "chain.mjs", str(ALL), str(path)], cwd=folder, check=True, timeout=60)
        lines = path.read_text().splitlines(keepends=True)
        first = pathlib.Path(folder) / "first.jsonl"
        first.write_text("".join(lines[:SERVED]))
        options = {"import_options": ["--chain-id", "1337"]}
        for part in ["viemLive", "web3Live", "ethersLive"]:
            with Served(command, source=first, **options) as served:
                run(folder, served, part, SERVED, news=lines[SERVED:])
        with Served(command, source=path, **options) as served:
            for part in ["viem", "web3", "ethers"]:
                run(folder, served, part, ALL)
        with tarfile.open(GOLDEN / "chaindata_compacted.tar.gz") as archive:
            archive.extractall(folder)
        with Served(command, source=pathlib.Path(folder) / "chaindata") as served:
            run(folder, served, "goldenChain", 0)
        with Served(command, "--max-results", "12", source=path, **options) as served:
            run(folder, served, "ponder", ALL)


main(test)
