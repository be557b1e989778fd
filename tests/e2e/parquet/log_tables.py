"""Parquet files that `bloomery eth logs` writes, read by two readers from npm and by bloomery: they have what the CSV has."""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from npm_packages import install  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parent / "node"
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden/ethereum"
SKIP = 77
TRANSFER = "Transfer(address indexed from, address indexed to, uint256 value)"
SALE = "Sale(string indexed shop, string note, (uint32 id, bytes data)[] items, int64 change, bool paid)"
# The options, and the samples that they are for.
TABLES = [("token_blocks", ["--event", TRANSFER]), ("token_blocks", ["--event", SALE]), ("token_blocks", ["--event", SALE, "--event", TRANSFER]),
          ("token_blocks", ["--abi", str(GOLDEN / "erc20_abi.json"), "--on-error", "skip"]), ("token_blocks", []), ("chain_blocks", []),
          ("chain_blocks", ["--event", "Any(bytes32 indexed a, bytes32 indexed b, string c) anonymous"])]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def run(arguments, folder):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, timeout=120)
    if b"built without" in done.stderr:
        skip("the command was built without the log search")
    if done.returncode != 0:
        sys.exit(f"{arguments} ended with {done.returncode}:\n{done.stderr.decode()}")
    return done.stdout.decode()  # line ends as they are


def rows_of_csv(text):
    """Rows by name. Of a null and an empty text only the text is quoted, which Python's reader does not tell."""
    assert text.split("\n")[0].endswith("\r") and text.endswith("\r\n"), "a line does not end with CR LF"
    return list(csv.DictReader(io.StringIO(text, newline="")))


def same(in_csv, in_parquet):
    return in_csv == ("" if in_parquet is None else in_parquet)


def check_table(bloomery, folder, number, sample, options):
    logs = [bloomery, "eth", "logs", "-q", "--db", sample, *options]
    table = rows_of_csv(run([*logs, "--format", "csv"], folder))
    file = f"{number}.parquet"
    run([*logs, "--format", "parquet", "-o", file], folder)
    rows = [json.loads(line) for line in run(["node", "read.mjs", file], folder).splitlines()]
    assert len(rows) == len(table) > 0, (options, len(rows), len(table))
    for here, there in zip(table, rows):
        assert list(here) == list(there), (list(here), list(there))
        for name in here:
            # A boolean of Parquet is one of JSON.
            value = json.dumps(there[name]) if isinstance(there[name], bool) else there[name]
            assert same(here[name], value), (options, name, here[name], there[name])
    # Our own reader: a filter of a column has the blocks, and not the one behind them.
    run([bloomery, "build", "-q", "-F", "-p", "1e-9", "-n", "2000", "-o", "blocks.bloom", "--column", "block_number", file], folder)
    blocks = {row["block_number"] for row in rows}
    found = subprocess.run([bloomery, "query", "-q", "-c", "blocks.bloom"], cwd=folder, capture_output=True, text=True, timeout=60,
                           input="".join(f"{number}\n" for number in range(1000)))
    assert found.stdout == f"{len(blocks)}\n", (options, found.stdout, len(blocks))
    return len(rows)


def main():
    bloomery = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="bloomery-tables-") as folder:
        install(PACKAGE, folder, skip)
        shutil.copy(PACKAGE / "read.mjs", folder)
        for sample in ["token_blocks", "chain_blocks"]:
            run([bloomery, "eth", "import", "-q", "--db", sample, str(GOLDEN / f"{sample}.jsonl")], folder)
        rows = [check_table(bloomery, folder, number, *table) for number, table in enumerate(TABLES)]
    print(f"{len(rows)} tables with {sum(rows)} rows are read as they were written")


main()
