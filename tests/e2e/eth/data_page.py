"""What docs/ethlog_data.md shows: every JSON example is imported, and its scripts are run against what they are for: a node,
and exports with the columns of ethereum-etl."""
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

from harness import GOLDEN, ROOT, check, main, skip

PAGE = (ROOT / "docs/ethlog_data.md").read_text()
ZEROES = "0x" + "00" * 256


def blocks_of(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


class Folder:
    def __init__(self, command, folder):
        self.command, self.folder, self.databases = command, pathlib.Path(folder), 0

    def run(self, *arguments, text=None):
        run = subprocess.run([self.command, "eth", *map(str, arguments)], capture_output=True, text=True, timeout=120, input=text)
        if "built without" in run.stderr:
            skip("the command was built without the log search")
        return run

    def imported(self, text, *options):
        self.databases += 1
        database = self.folder / f"chain{self.databases}"
        run = self.run("import", "--db", database, *options, "-", text=text)
        check(run.returncode, 0, run.stderr)
        verified = self.run("verify", "--db", database)
        check((verified.returncode, ": 0 problems" in verified.stdout), (0, True), verified.stdout)
        return database

    def status(self, database):
        return json.loads(self.run("status", "--db", database, "--json").stdout)

    def logs(self, database):
        run = self.run("logs", "--db", database, "--skip-missing")
        check(run.returncode, 0, run.stderr)
        return run.stdout


def node_blocks():
    """Answers of anvil: five blocks with their receipts."""
    lines = [json.loads(line) for line in (GOLDEN / "rpc_nodes.jsonl").read_text().splitlines()]
    found = [line for line in lines if "receipts" in line]
    check(len(found), 5)
    return found


def every_shape(folder):
    examples = blocks_of("json")
    check(len(examples), 4)
    for example in examples:
        value = json.loads(example.replace('"0x00…"', f'"{ZEROES}"'))
        status = folder.status(folder.imported(json.dumps(value)))
        check((status["lowest"], status["head"], status["unverified"]), (1, 1, 1), example)


class Node(http.server.BaseHTTPRequestHandler):
    answers = {}

    def do_POST(self):
        calls = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        # In another order than asked for, as nodes may.
        body = json.dumps([{"jsonrpc": "2.0", "id": call["id"], "result": self.answers.get((call["method"], call["params"][0]))}
                           for call in reversed(calls)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def fetch_script(folder):
    scripts = blocks_of("sh")
    check(scripts[0].startswith("#!/bin/sh\n# usage: fetch.sh URL FIRST LAST") and scripts[0].count("\n") <= 11, True, scripts[0])
    (folder.folder / "fetch.sh").write_text(scripts[0])
    if not shutil.which("jq") or not shutil.which("curl"):
        skip("jq or curl is not installed")
    for line in node_blocks():
        number = line["block"]["number"]
        Node.answers["eth_getBlockByNumber", number] = line["block"]
        Node.answers["eth_getBlockReceipts", number] = line["receipts"]
    server = http.server.HTTPServer(("127.0.0.1", 0), Node)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def fetched(first, last):
        return subprocess.run(["sh", "fetch.sh", f"http://127.0.0.1:{server.server_port}", str(first), str(last)], cwd=folder.folder,
                              capture_output=True, text=True, timeout=60)

    try:
        whole = fetched(5, 6)
        check((whole.returncode, len(whole.stdout.splitlines())), (0, 2), whole.stderr)
        database = folder.imported(whole.stdout)
        check(folder.status(database)["unverified"], 0)
        direct = folder.imported("".join(json.dumps(line) + "\n" for line in node_blocks()[2:4]))
        check(folder.logs(database), folder.logs(direct))
        missing = fetched(6, 7)
        check((missing.returncode, missing.stderr.splitlines()[-1:]), (1, ["block 7 did not come"]))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def as_number(text):
    return int(text, 16)


def etl_rows():
    """Those blocks with the columns that ethereum-etl writes, not in order."""
    blocks, transactions, logs, receipts = [], [], [], []
    for line in node_blocks():
        block = line["block"]
        number = as_number(block["number"])
        blocks.append({"type": "block", "number": number, "hash": block["hash"], "parent_hash": block["parentHash"],
                       "nonce": block["nonce"], "sha3_uncles": block["sha3Uncles"], "logs_bloom": block["logsBloom"],
                       "transactions_root": block["transactionsRoot"], "state_root": block["stateRoot"],
                       "receipts_root": block["receiptsRoot"], "miner": block["miner"], "difficulty": 0, "total_difficulty": 0,
                       "size": as_number(block["size"]), "extra_data": block["extraData"], "gas_limit": as_number(block["gasLimit"]),
                       "gas_used": as_number(block["gasUsed"]), "timestamp": as_number(block["timestamp"]),
                       "transaction_count": len(block["transactions"]), "base_fee_per_gas": as_number(block["baseFeePerGas"]),
                       "withdrawals_root": block.get("withdrawalsRoot"), "withdrawals": []})
        for i, (transaction, receipt) in enumerate(zip(block["transactions"], line["receipts"])):
            transactions.append({"type": "transaction", "hash": transaction["hash"], "block_number": number, "transaction_index": i,
                                 "from_address": transaction["from"], "input": transaction["input"],
                                 "transaction_type": as_number(transaction["type"])})
            receipts.append({"type": "receipt", "transaction_hash": transaction["hash"], "transaction_index": i,
                             "block_number": number, "cumulative_gas_used": as_number(receipt["cumulativeGasUsed"]),
                             "root": None, "status": as_number(receipt["status"])})
            for log in receipt["logs"]:
                logs.append({"type": "log", "log_index": as_number(log["logIndex"]), "transaction_hash": transaction["hash"],
                             "transaction_index": i, "block_number": number, "address": log["address"], "data": log["data"],
                             "topics": log["topics"]})
    return [list(reversed(rows)) for rows in (blocks, transactions, logs, receipts)]


def etl_adapter(folder):
    (script,) = blocks_of("python")
    (folder.folder / "from_etl.py").write_text(script)
    names = ["blocks.json", "transactions.json", "logs.json", "receipts.json"]

    def adapted(rows, count):
        for name, of_name in zip(names, rows):
            (folder.folder / name).write_text("".join(json.dumps(row) + "\n" for row in of_name))
        return subprocess.run(["python3", "from_etl.py", *names[:count]], cwd=folder.folder, capture_output=True, text=True, timeout=60)

    direct = folder.logs(folder.imported("".join(json.dumps(line) + "\n" for line in node_blocks()), "--gaps"))
    check(len(direct.splitlines()) > 5, True)
    for count in (3, 4):
        run = adapted(etl_rows(), count)
        check(run.returncode, 0, run.stderr)
        database = folder.imported(run.stdout, "--gaps")
        check(folder.logs(database), direct)
        check(folder.status(database)["unverified"], 5)
    rows = etl_rows()
    # A log is missing, whose topics no other has.
    rows[2].remove(next(log for log in rows[2] if len(log["topics"]) == 4))
    damaged = folder.run("import", "--db", folder.folder / "damaged", "--gaps", "-", text=adapted(rows, 4).stdout)
    check((damaged.returncode, "give another bloom than its header has" in damaged.stderr), (3, True), damaged.stderr)
    rows = etl_rows()
    del rows[1][0]
    run = adapted(rows, 4)
    check((run.returncode, "transactions, not" in run.stderr), (1, True), run.stderr)


def test(command):
    for part in (every_shape, fetch_script, etl_adapter):
        with tempfile.TemporaryDirectory(prefix="bloomery-data-") as name:
            part(Folder(command, name))


main(test)
