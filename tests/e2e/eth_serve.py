"""bloomery eth serve from outside: asked over HTTP and WebSocket, fed with blocks, ended by signals.

usage: eth_serve.py PROGRAM GOLDEN_FOLDER
"""
import base64
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

PROGRAM = sys.argv[1]
GOLDEN = pathlib.Path(sys.argv[2])
DEADLINE = 30  # seconds for anything that is waited for


class Server:
    """A running server. Leaving the block ends it and demands exit code 0."""

    def __init__(self, *arguments, end=signal.SIGTERM, preexec=None):
        self.end = end
        self.process = subprocess.Popen([PROGRAM, "eth", "serve", "--listen", "127.0.0.1:0", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=preexec)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line)
        assert found, (line, self.process.stderr.read())
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(self.end)
        try:
            code = self.process.wait(DEADLINE)
        finally:
            self.process.kill()
        self.errors = self.process.stderr.read()
        assert code == 0, (code, self.errors)

    def http(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, text, dict(reply.getheaders())

    def post(self, request, **headers):
        return self.http("POST", "/", json.dumps(request), {"Content-Type": "application/json", **headers})

    def call(self, name, *params):
        status, text, _ = self.post({"jsonrpc": "2.0", "id": 5, "method": name, "params": params})
        assert status == 200, (status, text)
        answer = json.loads(text)
        assert answer["id"] == 5, answer
        return answer.get("result", answer.get("error"))


class WebSocket:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), DEADLINE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def send(self, message):
        payload = json.dumps(message).encode()
        head = bytes([0x81]) + (bytes([0x80 | len(payload)]) if len(payload) < 126
                                else bytes([0xfe]) + struct.pack(">H", len(payload)))
        self.socket.sendall(head + bytes(4) + payload)  # a mask of zeros changes nothing

    def receive(self):
        while True:
            first, length = self.file.read(2)
            if length == 126:
                length, = struct.unpack(">H", self.file.read(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.file.read(8))
            payload = self.file.read(length)
            if first & 15 == 1:
                return json.loads(payload)

    def call(self, name, *params):
        self.send({"jsonrpc": "2.0", "id": 1, "method": name, "params": params})
        return self.receive()["result"]


def import_blocks(folder, *sources):
    subprocess.run([PROGRAM, "eth", "import", "-q", "--db", folder, *sources], check=True)


def answers_over_http(folder):
    with Server("--db", folder) as server:
        golden = json.loads((GOLDEN / "getlogs.json").read_text())
        for query in golden["queries"][:8]:
            found = server.call("eth_getLogs", query["params"])
            assert len(found) == query["n"], query["params"]
            if "first" in query:
                assert found[0] == query["first"] and found[-1] == query["last"]
        assert server.call("eth_blockNumber") == "0x2bc"
        assert server.call("eth_foo")["code"] == -32601
        status, text, _ = server.post([{"jsonrpc": "2.0", "id": 1, "method": "eth_chainId"}])
        assert json.loads(text) == [{"jsonrpc": "2.0", "id": 1, "result": "0x1"}]
        assert server.http("POST", "/", "{}", {"Content-Type": "text/plain"})[0] == 415
        assert server.http("DELETE", "/")[0] == 405
        assert server.http("GET", "/nowhere")[0] == 404
        status, text, headers = server.http("GET", "/")
        assert status == 200 and "real false-positive rate" in text
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert json.loads(server.http("GET", "/health")[1])["head"] == 700
        assert "\nbloomery_head_block 700\n" in server.http("GET", "/metrics")[1]
        assert server.post({}, Host="evil.example")[0] == 403
        assert server.post({}, Origin="http://evil.example")[0] == 403


def takes_blocks_as_they_come(work):
    lines = (GOLDEN / "chain_blocks.jsonl").read_text().splitlines(keepends=True)
    source = work / "blocks.jsonl"
    source.write_text("".join(lines[:600]))
    with Server("--db", str(work / "followed"), "--follow", str(source), "--follow", str(work / "in")) as server:
        peer = WebSocket(server.port)
        subscription = peer.call("eth_subscribe", "newHeads")
        told = server.call("eth_newBlockFilter")
        with open(source, "a") as file:
            file.writelines(lines[600:])
        while True:
            news = peer.receive()["params"]
            assert news["subscription"] == subscription
            if news["result"]["number"] == "0x2bc":
                break
        assert server.call("eth_blockNumber") == "0x2bc"
        assert 101 <= len(server.call("eth_getFilterChanges", told)) <= 701
        peer.socket.close()
        expected = json.loads((GOLDEN / "getlogs.json").read_text())["queries"][0]
        assert len(server.call("eth_getLogs", expected["params"])) == expected["n"]
    # What was taken is there, and the folder can be opened by others again.
    with Server("--db", str(work / "followed"), end=signal.SIGINT) as server:
        assert server.call("eth_blockNumber") == "0x2bc"


def problem_of(server):
    """What /health says of new blocks, or nothing."""
    status, text, _ = server.http("GET", "/health")
    assert status == 200, (status, text)
    return json.loads(text).get("problem", "")


def until(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def awaits_what_it_follows(work):
    """A path that is not there, and a folder that goes and comes back: named until they are there, then followed."""
    lines = (GOLDEN / "chain_blocks.jsonl").read_text().splitlines(keepends=True)
    spool, late = work / "spool", work / "late"

    def put(folder, name, first, past):
        (folder / name).write_text("".join(lines[first:past]))
        until(lambda: server.call("eth_blockNumber") == hex(past - 1), f"{folder}/{name} is not taken")

    spool.mkdir()
    with Server("--db", str(work / "awaited"), "--follow", str(spool), "--follow", str(late)) as server:
        until(lambda: problem_of(server) == f"{late}: it is not there: waiting for it", "the path that is not there is not named")
        put(spool, "a.jsonl", 0, 10)
        assert problem_of(server) == f"{late}: it is not there: waiting for it", problem_of(server)
        late.mkdir()  # as what it is made: a folder
        put(late, "b.jsonl", 10, 20)
        until(lambda: problem_of(server) == "", "all is there")
        for first in (20, 30):  # removed, and then moved away
            if first == 20:
                shutil.rmtree(spool)
            else:
                spool.rename(work / "away")
            until(lambda: problem_of(server) == f"{spool}: the folder was removed or moved away: waiting for it", "it is gone")
            spool.mkdir()
            put(spool, "c.jsonl", first, first + 10)
            until(lambda: problem_of(server) == "", "it is back")
    assert server.errors.count("waiting for it") == 3, server.errors
    source = work / "rotated.jsonl"
    source.write_text("".join(lines[40:45]))
    with Server("--db", str(work / "awaited"), "--follow", str(source)) as server:
        until(lambda: server.call("eth_blockNumber") == hex(44), "the file is not taken")
        source.unlink()
        until(lambda: problem_of(server) == f"{source}: it is not there: waiting for it", "the file is gone")
        put(work, source.name, 45, 50)
        until(lambda: problem_of(server) == "", "it is back")


def names_a_full_disk_to_the_end(work):
    """Blocks that follow one that could not be stored do not hide why."""
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    lines = (GOLDEN / "chain_blocks.jsonl").read_text().splitlines(keepends=True)
    source = work / "many.jsonl"
    source.write_text("".join(lines[:400]))
    with Server("--db", str(work / "full"), "--follow", str(source), preexec=small_files) as server:
        until(lambda: "File too large" in problem_of(server), problem_of(server))
        with open(source, "a") as file:
            file.writelines(lines[400:])
        time.sleep(0.5)
        assert "File too large" in problem_of(server), problem_of(server)
        assert "start the program again" in problem_of(server), problem_of(server)


def serves_a_geth_folder(work):
    with tarfile.open(GOLDEN / "chaindata_compacted.tar.gz") as archive:
        archive.extractall(work)
    with Server("--db", str(work / "chaindata"), "--max-results", "10", "--max-range", "600") as server:
        assert server.call("eth_chainId") == hex(1337)
        assert server.call("net_version") == "1337"
        error = server.call("eth_getLogs", {"fromBlock": "0x0"})
        assert error["message"].endswith("this block range should work: [0x0, 0x258]"), error
        error = server.call("eth_getLogs", {"fromBlock": "0x64"})
        assert error["code"] == -32005, error
        found = re.search(r"Try with this block range \[(0x\w+), (0x\w+)\]\.$", error["message"])
        assert len(server.call("eth_getLogs", {"fromBlock": found[1], "toBlock": found[2]})) <= 10


def says_what_is_wrong(work):
    def complaint(*arguments):
        ended = subprocess.run([PROGRAM, "eth", "serve", *arguments], capture_output=True, text=True, timeout=DEADLINE)
        assert ended.returncode == 2, ended
        return ended.stderr
    assert "holds no chain" in complaint("--db", str(work / "nowhere"))
    assert complaint("--db", str(work / "chain"), "--listen", "nonsense")
    for limit in ("--max-connections", "--max-body", "--max-response"):
        assert f"{limit} 0: " in complaint("--db", str(work / "chain"), "--listen", "127.0.0.1:0", limit, "0")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        assert address in complaint("--db", str(work / "chain"), "--listen", address)


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        (work / "in").mkdir()
        import_blocks(str(work / "chain"), str(GOLDEN / "chain_blocks.jsonl"))
        answers_over_http(str(work / "chain"))
        takes_blocks_as_they_come(work)
        awaits_what_it_follows(work)
        names_a_full_disk_to_the_end(work)
        serves_a_geth_folder(work)
        says_what_is_wrong(work)


main()
