"""Several chains in one server, compressed answers, and limits of a client: from outside, by sockets and plain HTTP."""
import concurrent.futures
import gzip
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

from harness import chain_lines, check, main, wait_until

DEADLINE = 30


class Server:
    """Leaving the block ends it and demands exit code 0."""

    def __init__(self, command, *arguments):
        self.process = subprocess.Popen([command, "eth", "serve", "--listen", "127.0.0.1:0", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        if not found:
            raise AssertionError((line, self.process.stderr.read()))
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(DEADLINE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
        if kind is None:
            check(code, 0, self.process.stderr.read())

    def ask(self, path, body=None, **headers):
        """Status, headers and bytes; a POST where there is a body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        connection.request("GET" if body is None else "POST", path, body, {"Content-Type": "application/json", **headers})
        reply = connection.getresponse()
        found = reply.status, dict(reply.getheaders()), reply.read()
        connection.close()
        return found

    def call(self, path, method, *params):
        status, _, body = self.ask(path, request(method, *params))
        check(status, 200, body)
        return json.loads(body)

    def upgrade(self, path):
        with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                               "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
            return int(connection.recv(100).split()[1])


def request(method, *params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})


def make_chain(command, folder, name, blocks, chain_id):
    source = folder / f"{name}.jsonl"
    source.write_text("".join(chain_lines()[:blocks]))
    subprocess.run([command, "eth", "import", "-q", "--db", folder / name, "--chain-id", str(chain_id), source], check=True,
                   timeout=60)
    return str(folder / name)


def test_chains(command, folder, first, second):
    news = folder / "news.jsonl"
    news.touch()
    with Server(command, "--chain", f"main={first}", "--chain", f"other={second}", "--follow", f"other={news}") as server:
        for path, chain_id, head in [("/main", 1337, 299), ("/main/", 1337, 299), ("/other?key=1", 5, 99)]:
            check(server.call(path, "eth_chainId")["result"], hex(chain_id), path)
            check(server.call(path, "eth_blockNumber")["result"], hex(head), path)
        news.write_text("".join(chain_lines()[100:120]))
        assert wait_until(lambda: server.call("/other", "eth_blockNumber")["result"] == hex(119))
        check(server.call("/main", "eth_blockNumber")["result"], hex(299))
        for path in ["/", "/nothing", "/main/other", "/MAIN", "/" + "m" * 5000, "/%6dain"]:
            check(server.ask(path, request("eth_chainId"))[0], 404, path)
        for path, status in [("/main", 101), ("/other", 101), ("/", 404), ("/nothing", 404)]:
            check(server.upgrade(path), status, path)
        metrics = server.ask("/metrics")[2].decode()
        for line in ['bloomery_head_block{chain="main"} 299', 'bloomery_followed_blocks_total{chain="other"} 20']:
            assert f"\n{line}\n" in metrics, (line, metrics)
        for head in re.findall(r"^# TYPE (\S+)", metrics, re.M):
            check(metrics.count(f"# TYPE {head} "), 1, head)
        health = json.loads(server.ask("/health")[2])
        check((health["status"], sorted(health["chains"])), ("ok", ["main", "other"]))
        check(json.loads(server.ask("/other/health")[2])["chainId"], 5)
        assert b'href="/main"' in server.ask("/")[2] and b"1,337" not in server.ask("/other")[2]
        # A cursor is of one chain.
        page = server.call("/main", "bloomery_getLogsPage", {"fromBlock": "0x0"}, None, 3)["result"]
        error = server.call("/other", "bloomery_getLogsPage", {"fromBlock": "0x0"}, page["cursor"], 3)["error"]
        assert "another filter or chain" in error["message"], error


def test_usage(command, first):
    for arguments, said in [
            ([], "--db is required; or name several chains with --chain NAME=DIR"),
            (["--chain", first], "it should be NAME=DIR"),
            (["--chain", "main="], "it should be NAME=DIR"),
            (["--chain", f"a/b={first}"], "should have 1 to 32 letters, digits, - and _"),
            (["--chain", f"metrics={first}"], "is a path of the server itself"),
            (["--chain", f"a={first}", "--chain", f"a={first}"], "another chain has that name"),
            (["--chain", f"a={first}", "--db", first], "--db is for a single chain"),
            (["--chain", f"a={first}", "--chain-id", "5"], "--chain-id is for a single chain"),
            (["--chain", f"a={first}", "--follow", "x.jsonl"], "name the chain that it is for, as --follow a=x.jsonl"),
            (["--chain", f"a={first}", "--chain", "b=/nothing/there"], "/nothing/there: ")]:
        run = subprocess.run([command, "eth", "serve", "--listen", "127.0.0.1:0", *arguments], capture_output=True, text=True,
                             timeout=DEADLINE)
        check(run.returncode, 2, run.stderr)
        assert said in run.stderr, (arguments, run.stderr)


def test_compression(command, first):
    with Server(command, "--db", first) as server:
        everything = request("eth_getLogs", {"fromBlock": "0x0"})
        _, headers, plain = server.ask("/", everything)
        assert "Content-Encoding" not in headers and len(plain) > 100_000
        _, headers, packed = server.ask("/", everything, **{"Accept-Encoding": "gzip"})
        check(headers["Content-Encoding"], "gzip")
        check(gzip.decompress(packed), plain)
        assert len(packed) < len(plain) / 3, (len(packed), len(plain))
        _, headers, packed = server.ask("/", everything, **{"Accept-Encoding": "gzip, zstd"})
        if headers["Content-Encoding"] == "zstd":
            unpacked = subprocess.run(["zstd", "-dc"], input=packed, capture_output=True, check=True).stdout
            check(unpacked, plain)
        _, headers, _ = server.ask("/", request("eth_chainId"), **{"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in headers  # too short to gain
        # A small request that would unfold to a gigabyte is refused unread.
        bomb = gzip.compress(b" " * (64 << 20))
        for coding in ["gzip", "zstd", "deflate"]:
            check(server.ask("/", bomb, **{"Content-Encoding": coding})[0], 415)
        check(server.call("/", "eth_chainId")["result"], hex(1337))


def test_limits(command, first):
    with Server(command, "--db", first, "--max-calls-per-second", "5") as server:
        replies = [server.ask("/", request("eth_chainId")) for _ in range(12)]
        refused = [reply for reply in replies if reply[0] == 429]
        assert 3 <= len(refused) <= 7, [reply[0] for reply in replies]
        for _, headers, body in refused:
            check(json.loads(body)["error"]["code"], -32005)
            check(headers["Retry-After"], "1")
        time.sleep(1.1)
        batch = "[" + ",".join([request("eth_chainId")] * 1000) + "]"
        status, _, body = server.ask("/", batch)
        answers = json.loads(body)
        check((status, len(answers)), (200, 1000))  # each says for itself what became of it
        assert 5 <= sum("result" in answer for answer in answers) < 100
        check(server.ask("/", "[" + ",".join([request("eth_chainId")] * 3) + "]")[0], 429)
        check(server.ask("/health")[0], 200)  # not a call
    with Server(command, "--db", first, "--max-searches-per-client", "1") as server:
        everything = request("eth_getLogs", {"fromBlock": "0x0"})
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(lambda _: server.ask("/", everything)[0], range(60)))
        assert set(statuses) <= {200, 429} and 200 in statuses, statuses
        check(server.ask("/", everything)[0], 200)


def test(command):
    with tempfile.TemporaryDirectory(prefix="bloomery-several-") as name:
        folder = pathlib.Path(name)
        first = make_chain(command, folder, "first", 300, 1337)
        second = make_chain(command, folder, "second", 100, 5)
        test_chains(command, folder, first, second)
        test_usage(command, first)
        test_compression(command, first)
        test_limits(command, first)


main(test)
