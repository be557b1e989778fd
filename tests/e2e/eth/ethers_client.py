"""npm's ethers, of the pinned version: logs as go-ethereum answers them, filters and subscriptions while blocks arrive, a
contract's events."""
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from harness import GOLDEN, REAL, Served, chain_lines, check, main, skip
from npm_packages import install  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parent / "node"
FROM, TO = 650, 700  # the blocks that arrive while it runs
TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


def client(folder, served, part, *arguments, news=()):
    process = subprocess.Popen(["node", "client.mjs", part, str(served.port), *map(str, arguments)], cwd=folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if news and process.stdout.readline() == "ready\n":
            served.append(news)
        out, err = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            process.kill()
    check((process.returncode, out), (0, f"{part}: ok\n"), err + "".join(served.lines))


def logs_of(line):
    return [log for receipt in json.loads(line).get("receipts", []) for log in receipt.get("logs", [])]


def test_live(command, folder):
    answers = [query.get("result", []) for query in json.loads((GOLDEN / "getlogs.json").read_text())["queries"]]
    log = next(log for logs in answers for log in logs if int(log["blockNumber"], 16) >= FROM and log["topics"])
    with Served(command, blocks=FROM) as served:
        client(folder, served, "live", GOLDEN / "getlogs.json", FROM, TO, log["address"], log["topics"][0],
               news=chain_lines()[FROM:])


def most_transfers(lines):
    """The block and the contract with the most ERC-20 transfers."""
    counts = {}
    for line in lines:
        for log in logs_of(line):
            if len(log["topics"]) == 3 and log["topics"][0] == TRANSFER:
                key = (json.loads(line)["number"], log["address"])
                counts[key] = counts.get(key, 0) + 1
    return max(counts.items(), key=lambda entry: entry[1])


def test_contract(command, folder):
    path = REAL / "mainnet_blocks.jsonl.xz"
    if not path.exists():
        print(f"without a contract's events: there is no {path}")
        return
    blocks = pathlib.Path(folder) / "mainnet.jsonl"
    blocks.write_bytes(lzma.open(path).read())
    (number, address), count = most_transfers(blocks.read_text().splitlines())
    with Served(command, source=blocks, import_options=["--gaps"]) as served:
        client(folder, served, "contract", number, address, count)


def test(command):
    with tempfile.TemporaryDirectory(prefix="bloomery-ethers-") as folder:
        install(PACKAGE, folder, skip)
        test_live(command, folder)
        with Served(command) as served:
            client(folder, served, "batches", GOLDEN / "getlogs.json")
        test_contract(command, folder)


main(test)
