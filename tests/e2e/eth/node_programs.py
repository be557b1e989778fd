"""Real development nodes from npm, of pinned versions and offline: a contract that solc compiled is deployed and emits events
of every kind; `eth import --from-rpc` and `eth serve --follow` must find exactly the logs that ethers gets from the node,
also after the node took blocks back."""
import contextlib
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from harness import ROOT, check, main, skip  # noqa: E402
from npm_packages import install  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parent / "node_programs"
MEMBERS = ("address", "topics", "data", "blockNumber", "blockHash", "transactionHash", "transactionIndex", "logIndex")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Node:
    """A node program that runs, and what its user does with it."""

    def __init__(self, folder, port, command):
        self.folder, self.port = folder, port
        self.url = f"http://127.0.0.1:{port}"
        self.log = open(folder / f"node-{port}.log", "w")
        self.process = subprocess.Popen(command, cwd=folder, stdout=self.log, stderr=subprocess.STDOUT)

    def __enter__(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                self.call("eth_blockNumber")
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.__exit__()
                    raise AssertionError("the node did not start:\n" + pathlib.Path(self.log.name).read_text()[-2000:]) from None
                time.sleep(0.1)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def call(self, method, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            answer = json.loads(reply.read())
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def step(self, name, *arguments):
        run = subprocess.run(["node", "client.mjs", name, self.url, *map(str, arguments)], cwd=self.folder, capture_output=True,
                             text=True, timeout=180)
        check(run.returncode, 0, f"{name}: {run.stderr}")
        return json.loads(run.stdout)

    def logs(self):
        found = self.step("logs")
        check(len(found) > 20, True, f"{len(found)} logs")
        return found


def anvil(folder):
    program = folder / "node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil"
    port = free_port()
    return Node(folder, port, [program, "--port", str(port), "--silent"])


def ganache(folder):
    port = free_port()
    return Node(folder, port, ["node", "node_modules/ganache/dist/node/cli.js", "--server.port", str(port), "--logging.quiet"])


def of_eth_logs(lines):
    numbers = {"blockNumber", "transactionIndex", "logIndex"}
    return [{name: int(log[name], 16) if name in numbers else log[name] for name in MEMBERS} for log in map(json.loads, lines)]


class Command:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *arguments):
        run = subprocess.run([self.program, "eth", *map(str, arguments)], capture_output=True, text=True, timeout=120)
        if "built without" in run.stderr:
            skip("the command was built without the log search")
        return run

    def imported(self, node, name, receipts):
        """The whole chain of the node, every part of it verified; its logs are those that ethers gets."""
        run = self.run("import", "--db", self.folder / name, "--from-rpc", node.url, "--json")
        check(run.returncode, 0, run.stderr)
        facts = json.loads(run.stdout)
        check(facts["receipts_from"], receipts)
        for part in ("header_hash", "transactions_root", "receipts_root", "bloom"):
            check(facts["verified"][part], facts["stored"], f"{name}: {part}")
        self.expect_logs(node, name)
        return facts

    def expect_logs(self, node, name):
        run = self.run("logs", "--db", self.folder / name)
        check(run.returncode, 0, run.stderr)
        check(of_eth_logs(run.stdout.splitlines()), node.logs())
        verified = self.run("verify", "--db", self.folder / name)
        check(verified.returncode, 0, verified.stdout + verified.stderr)


def expect_decoded(command, node, address):
    """From the node itself, by the ABI that solc wrote: every argument is what ethers decodes; and the table has as many rows."""
    how = ["logs", "--from-rpc", node.url, "--address", address, "--abi", command.folder / "Events.json"]
    run = command.run(*how, "--on-error", "stop")
    check(run.returncode, 0, run.stderr)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    kept = [{"blockNumber": int(log["blockNumber"], 16), "logIndex": int(log["logIndex"], 16), "eventName": log["eventName"],
             "args": log["args"]} for log in found]
    wanted = node.step("decoded", address)
    check(len(wanted) > 20, True, f"{len(wanted)} events")
    for one, other in zip(kept, wanted):
        check(one, other)
    check(len(kept), len(wanted))
    run = command.run(*how, "--event", "Transfer", "--format", "csv")
    transfers = [event for event in wanted if event["eventName"] == "Transfer"]
    check([line.split(",")[-4] for line in run.stdout.splitlines()[1:]], [event["args"]["value"] for event in transfers])


def imports(command, node, name, receipts):
    address = node.step("deploy")
    node.step("emit", address, 0, 6)
    command.imported(node, name, receipts)
    expect_decoded(command, node, address)
    node.step("emit", address, 6, 3)
    facts = command.imported(node, name, receipts)
    check(facts["stored"] < facts["in_folder"], True, "the second import fetches only what is new")
    return address


@contextlib.contextmanager
def served(command, name, follow):
    process = subprocess.Popen([command.program, "eth", "serve", "--db", command.folder / name, "--listen", "127.0.0.1:0",
                                "--follow", follow], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    try:
        url = next(found[0] for line in process.stdout if lines.append(line) or (found := re.search(r"http://[\d.:]+", line)))
        reader = threading.Thread(target=lambda: lines.extend(process.stdout))
        reader.start()
        yield url
    finally:
        process.terminate()
        process.wait(30)
    reader.join()
    check(process.returncode, 0, "".join(lines))


def logs_of(url):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "eth_getLogs", "params": [{"fromBlock": "0x0"}]}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"}), timeout=30) as reply:
        answer = json.loads(reply.read())
    return of_eth_logs(map(json.dumps, answer.get("result", [])))


def shown(logs, others):
    return [f"  block {log['blockNumber']} {log['blockHash'][:12]} log {log['logIndex']}" for log in logs if log not in others][:10]


def expect_followed(url, node, what):
    wanted = node.logs()
    deadline = time.monotonic() + 30
    while (found := logs_of(url)) != wanted:
        if time.monotonic() > deadline:
            with urllib.request.urlopen(url + "/metrics", timeout=10) as reply:
                said = [line for line in reply.read().decode().splitlines() if "follow" in line and "#" not in line]
            raise AssertionError("\n".join([what, *said, "only in the node:", *shown(wanted, found), "only in the server:",
                                            *shown(found, wanted)]))
        time.sleep(0.1)


def follows(command, node, name, address, take_back):
    """Live over WebSocket: events that are emitted, blocks that the node takes back, and others in their place."""
    with served(command, name, node.url.replace("http", "ws")) as url:
        expect_followed(url, node, "before anything new")
        node.step("emit", address, 20, 2)
        expect_followed(url, node, "new events")
        gone = take_back(node, lambda first, count: node.step("emit", address, first, count),
                         lambda: expect_followed(url, node, "events that will be taken back"))
        check(gone in node.logs(), False, "the node took a block back")
        expect_followed(url, node, "events of the other branch")
    command.expect_logs(node, name)


def applied(path):
    """The logs that a reader of the output has, in their order; those that were taken back are not among them."""
    there = {}
    for line in path.read_text().rpartition("\n")[0].splitlines() if path.exists() else []:
        log = json.loads(line)
        key = (log["blockHash"], log["logIndex"])
        if log["removed"]:
            there.pop(key)
        else:
            check(key in there, False, "a log is written twice")
            there[key] = line
    return sorted(of_eth_logs(there.values()), key=lambda log: (log["blockNumber"], log["logIndex"]))


def prints_live(command, node, name, address, take_back):
    """`eth logs --follow` over WebSocket: what the node takes back is printed as removed, and then what came in its place."""
    output = command.folder / f"live-{name}.jsonl"
    process = subprocess.Popen([command.program, "eth", "logs", "-q", "--from-rpc", node.url.replace("http", "ws"), "--follow",
                                "--poll", "0.05", "-o", output], stderr=subprocess.PIPE, text=True)

    def expect_printed():
        wanted = node.logs()
        deadline = time.monotonic() + 30
        while (found := applied(output)) != wanted:
            if time.monotonic() > deadline or process.poll() is not None:
                raise AssertionError("\n".join([f"{name}: eth logs --follow", "only in the node:", *shown(wanted, found),
                                                "only in the output:", *shown(found, wanted)]))
            time.sleep(0.05)

    try:
        expect_printed()
        take_back(node, lambda first, count: node.step("emit", address, first, count), expect_printed)
        expect_printed()
        check('"removed":true' in output.read_text(), True, "logs were taken back")
        process.send_signal(signal.SIGINT)
        check((process.wait(30), process.communicate()[1]), (0, ""))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def reorganise(node, emit, followed):
    """anvil's own: the last blocks are replaced by others."""
    gone = node.logs()[-1]
    node.call("anvil_reorg", 5, [])
    emit(40, 1)
    return gone


def revert(node, emit, followed):
    """Back to a snapshot, and another branch that becomes longer than what was there."""
    snapshot = node.call("evm_snapshot")
    emit(50, 1)
    followed()
    gone = node.logs()[-1]
    check(node.call("evm_revert", snapshot), True)
    emit(60, 2)
    return gone


def with_anvil(command, folder):
    with anvil(folder) as node:
        address = imports(command, node, "anvil", "eth_getBlockReceipts")
        follows(command, node, "anvil", address, reorganise)
        follows(command, node, "anvil", address, revert)
        prints_live(command, node, "anvil", address, reorganise)


def with_ganache(command, folder):
    with ganache(folder) as node:
        address = imports(command, node, "ganache", "eth_getTransactionReceipt")
        follows(command, node, "ganache", address, revert)
        prints_live(command, node, "ganache", address, revert)


def recorded_session(command, folder):
    """The session that docs/ethereum_node.md shows, typed again in one shell. Only the port is another."""
    page = (ROOT / "docs/ethereum_node.md").read_text()
    section = page[page.index("## From a development node to its logs"):]
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", section[section.index("```console"):section.index("```\n\n")], re.MULTILINE)
    check(len(steps) >= 5, True, "steps of the session")
    port = str(free_port())
    answers = f"until curl -s 127.0.0.1:{port} >/dev/null; do sleep 0.1; done"
    lines = []
    for typed, _ in steps:
        typed = typed.replace("8545", port).replace("anvil --silent", f"anvil --silent --port {port}")
        lines += [typed, answers if typed.endswith("&") else ":", "echo END-OF-STEP"]
    binaries = folder / "node_modules/.bin"
    shutil.copy(command.program, folder / "bloomery")
    script = "trap 'kill $(jobs -p)' EXIT\n" + "\n".join(lines)
    run = subprocess.run(["bash", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                         env={**os.environ, "PATH": f"{binaries}:{folder}:{os.environ['PATH']}", "LC_ALL": "C"})
    check(run.stdout.split("END-OF-STEP\n"), [shown for _, shown in steps] + [""])


def test(program):
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        skip(f"the lock file names anvil for Linux on x86-64, not for {platform.system()} on {platform.machine()}")
    with tempfile.TemporaryDirectory(prefix="bloomery-nodes-") as name:
        folder = pathlib.Path(name)
        install(PACKAGE, folder, skip)
        shutil.copy(PACKAGE / "Events.sol", folder)
        command = Command(program, folder)
        with_anvil(command, folder)
        with_ganache(command, folder)
        recorded_session(command, folder)


main(test)
