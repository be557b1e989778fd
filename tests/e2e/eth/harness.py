"""`bloomery eth serve` over the sample chain, for one test; and a client of sockets, for what no library would send."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests/golden/ethereum"
REAL = pathlib.Path(os.environ.get("BLOOMERY_REAL_DIR", ROOT.parent / "shared/real"))
SKIP = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def check(found, expected, what=""):
    if found != expected:
        raise AssertionError(f"{what}\n  expected {expected!r}\n  found    {found!r}")


def chain_lines():
    return (GOLDEN / "chain_blocks.jsonl").read_text().splitlines(keepends=True)


class Served:
    """A server over the first `blocks` of the sample chain. What is appended to `news` it takes while it runs."""

    def __init__(self, command, *options, blocks=701, source=None, import_options=()):
        self.command, self.options = command, options
        self.blocks, self.source, self.import_options = blocks, source, import_options
        self.lines = []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="bloomery-eth-")
        self.news = pathlib.Path(self.folder.name) / "news.jsonl"
        self.news.touch()
        source = self.source
        if source is None:
            source = pathlib.Path(self.folder.name) / "blocks.jsonl"
            source.write_text("".join(chain_lines()[:self.blocks]))
        database = os.path.join(self.folder.name, "db")
        self.run("eth", "import", "--db", database, *self.import_options, str(source))
        self.process = subprocess.Popen(
            [self.command, "eth", "serve", "--db", database, "--listen", "127.0.0.1:0", "--follow", str(self.news), *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.address_known = threading.Event()
        self.reader = threading.Thread(target=self.read_lines)
        self.reader.start()
        if not self.address_known.wait(30):
            self.process.kill()
            raise AssertionError("the server does not say where it listens:\n" + "".join(self.lines))
        return self

    def run(self, *arguments):
        run = subprocess.run([self.command, *arguments], capture_output=True, text=True, timeout=120)
        if "built without" in run.stderr:
            skip("the command was built without the log search")
        check(run.returncode, 0, f"{arguments}: {run.stderr}")
        return run.stdout

    def read_lines(self):
        for line in self.process.stdout:
            self.lines.append(line)
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            if found and not self.address_known.is_set():
                self.port = int(found[1])
                self.address_known.set()
        self.address_known.set()

    def __exit__(self, kind, *_):
        alive = self.process.poll() is None
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(30)
        finally:
            if self.process.poll() is None:
                self.process.kill()
            self.reader.join()
            self.folder.cleanup()
        if kind is None:
            check((alive, code), (True, 0), "the server did not end well:\n" + "".join(self.lines))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def append(self, lines):
        with open(self.news, "a") as news:
            news.writelines(lines)

    def get(self, path, timeout=10):
        with urllib.request.urlopen(self.url + path.lstrip("/"), timeout=timeout) as reply:
            return reply.status, reply.read()

    def post(self, body, timeout=30):
        request = urllib.request.Request(self.url, body if isinstance(body, bytes) else json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            return json.loads(reply.read())

    def call(self, method, *params):
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        return connection


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def main(test):
    """Runs a test with the command that is named."""
    test(sys.argv[1])
    print("ok")
