"""Clients that mean harm: the server's memory stays bounded, and all the while it answers others."""
import base64
import json
import os
import socket
import struct
import threading
import time

from harness import Served, check, main, wait_until

MIB = 1 << 20
# What the server may come to hold beyond what it held at the start; and where it is made to answer at length: what it
# holds of replies at most, and what its workers are at.
GROWTH, GROWTH_OF_ANSWERS = 150 * MIB, 900 * MIB
KEPT = 150 * MIB  # when all is over
LIMITS = ["--max-connections", "32", "--max-body", str(2 * MIB), "--max-addresses", "1000"]
LOGS = {"jsonrpc": "2.0", "id": 1, "method": "eth_getLogs", "params": [{"fromBlock": "0x0", "toBlock": "0x2bc"}]}


class Watch:
    """Asks all the time whether the server is well, and how large it is."""

    def __init__(self, served, growth):
        self.growth = growth
        self.served, self.start = served, served.resident_bytes()
        self.largest, self.slowest, self.answers, self.failures = self.start, 0, 0, []
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not (self.ending.wait(0.02) and self.answers > 0) and len(self.failures) < 10:
            begin = time.monotonic()
            try:
                check(self.served.get("/health", timeout=15)[0], 200)
                self.answers += 1
            except Exception as trouble:  # reported at the end, with all others
                self.failures.append(repr(trouble))
            self.slowest = max(self.slowest, time.monotonic() - begin)
            self.largest = max(self.largest, self.served.resident_bytes())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.ending.set()
        self.thread.join()
        if kind is None:
            check(self.failures, [], "/health was not answered")
            assert self.answers > 0
            assert self.largest - self.start < self.growth, f"grew by {(self.largest - self.start) / MIB:.0f} MiB"


def send(connection, data):
    """True if all of it was taken."""
    try:
        connection.sendall(data)
        return True
    except OSError:
        return False


def received(connection):
    data = b""
    try:
        while chunk := connection.recv(65536):
            data += chunk
    except OSError:
        pass
    return data


def request(body, headers=""):
    return (f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def endless_headers(served):
    for line in [b"X-Endless: " + b"y" * 100 + b"\r\n", b"z" * 1000]:
        with served.connect() as connection:
            send(connection, b"GET / HTTP/1.1\r\n")
            begin = time.monotonic()
            while send(connection, line * 100):  # what it no longer cares for it still takes, a second long
                assert time.monotonic() - begin < 10, "a header without end is read"
            check(received(connection)[:12] in [b"HTTP/1.1 431", b""], True)


def slow_clients(served):
    """More of them than there are connections; each sends a byte now and then."""
    connections = [served.connect() for _ in range(100)]
    for i, connection in enumerate(connections):
        send(connection, [b"", b"G", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"][i % 3])
    for _ in range(20):
        for connection in connections:
            send(connection, b"X")
        check(served.call("eth_blockNumber")["result"], "0x2bc")
        time.sleep(0.05)
    for connection in connections:
        connection.close()


def deaf_clients(served):
    """Large answers that no client reads."""
    connections = []
    for _ in range(24):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", served.port))
        send(connection, request(json.dumps([LOGS] * 20).encode()) * 3)
        connections.append(connection)
    time.sleep(0.5)
    check(served.call("eth_blockNumber")["result"], "0x2bc")
    for connection in connections:
        connection.close()


def huge_batches(served):
    check("error" in json.dumps(served.post([LOGS] * 5000)), True)
    check("error" in json.dumps(served.post(b"[" + b"1," * 500_000 + b"1]")), True)
    answers = served.post([LOGS] * 200)  # within the number, not within the bytes of a batch's answers
    check(len(answers) <= 200 and any("error" in answer for answer in answers) or len(json.dumps(answers)) < 40_000_000, True)
    wide = {"fromBlock": "0x0", "toBlock": "0x2bc", "address": ["0x" + "%040x" % i for i in range(30_000)]}
    check("error" in served.call("eth_getLogs", wide), True, "more addresses than may be asked for")


def deep_json(served):
    for opening, closing in [(b"[", b"]"), (b'{"a":', b"}")]:
        for depth in [100, 10_000, 200_000]:
            for body in [opening * depth + b"1" + closing * depth, opening * depth]:
                check("error" in json.dumps(served.post(body)), True)
    body = b'{"jsonrpc":"2.0","id":' + b"[" * 1000 + b"]" * 1000 + b',"method":"eth_blockNumber"}'
    check("error" in json.dumps(served.post(body)), True)


def large_bodies(served):
    for _ in range(10):
        with served.connect() as connection:
            send(connection, request(b"[" + b" " * (10 * MIB)))
            connection.shutdown(socket.SHUT_WR)
            check(received(connection)[:12], b"HTTP/1.1 413")
    # Many that are just small enough, all at once, and never whole.
    connections = [served.connect() for _ in range(30)]
    body = request(b"[" + b" " * (2 * MIB - 2))[:-1]
    for connection in connections:
        send(connection, body)
    check(served.call("eth_blockNumber")["result"], "0x2bc")
    for connection in connections:
        connection.close()


def garbage(served):
    state = 12345
    for _ in range(200):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        with served.connect() as connection:
            send(connection, (struct.pack("<Q", state) * (1 + state % 200)))
            connection.shutdown(socket.SHUT_WR)
            received(connection)
        if state % 2:
            with served.connect() as connection:
                send(connection, request(struct.pack("<Q", state) * 50) + b"\0" * 100)
    for _ in range(20):  # ends in the middle, with a reset
        connection = served.connect()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        send(connection, request(json.dumps(LOGS).encode()))
        connection.close()


def web_socket(served):
    connection = served.connect()
    key = base64.b64encode(os.urandom(16)).decode()
    send(connection, (f"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            break
        head += byte
    check(head[:12], b"HTTP/1.1 101", head)
    return connection


def frame(opcode, payload, last=True):
    head = bytes([(0x80 if last else 0) | opcode])
    size = len(payload)
    head += bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size) if size < 65536 else \
        bytes([0x80 | 127]) + struct.pack(">Q", size)
    return head + b"\0\0\0\0" + payload


def web_socket_floods(served):
    text = json.dumps(LOGS).encode()
    ping = frame(9, b"x" * 125)
    floods = [frame(1, text) * 200, ping * 2000, frame(1, b"x" * 1000, last=False) + frame(0, b"x" * 1000, last=False) * 3000,
              frame(1, b"x" * (4 * MIB)), frame(1, b"[" * 100_000) * 10, b"\xff" * 100_000]
    connections = []
    for flood in floods * 3:  # no client reads an answer
        connection = web_socket(served)
        connection.settimeout(2)
        send(connection, flood)
        connections.append(connection)
    # One that subscribes to everything there is, without end.
    connection = web_socket(served)
    subscribe = {"jsonrpc": "2.0", "id": 1, "method": "eth_subscribe", "params": ["logs", {}]}
    connection.settimeout(5)
    send(connection, frame(1, json.dumps(subscribe).encode()) * 3000)
    connections.append(connection)
    time.sleep(1)
    check(served.call("eth_blockNumber")["result"], "0x2bc")
    for connection in connections:
        connection.close()


def many_filters(served):
    """As many filters as one likes: there is an end to them."""
    new = {"jsonrpc": "2.0", "id": 1, "method": "eth_newFilter",
           "params": [{"topics": [["0x" + "%064x" % i for i in range(100)]]}]}
    for _ in range(30):
        served.post([new] * 100)


ATTACKS = [endless_headers, slow_clients, deaf_clients, huge_batches, deep_json, large_bodies, garbage, web_socket_floods,
           many_filters]
AT_LENGTH = [deaf_clients, huge_batches, web_socket_floods]


def test(command):
    with Served(command, *LIMITS) as served:
        check(served.get("/health")[0], 200)
        for attack in ATTACKS:
            begin = time.monotonic()
            with Watch(served, GROWTH_OF_ANSWERS if attack in AT_LENGTH else GROWTH) as watch:
                attack(served)
            print(f"{attack.__name__:18} {time.monotonic() - begin:5.1f} s, {watch.answers} times well, at the slowest "
                  f"{watch.slowest * 1000:.0f} ms, {watch.start / MIB:.0f} to {watch.largest / MIB:.0f} MiB")
        logs = served.call(LOGS["method"], *LOGS["params"])["result"]
        check(len(logs), 1280)
        assert wait_until(lambda: served.resident_bytes() < KEPT), f"{served.resident_bytes() / MIB:.0f} MiB are kept"
        # Nothing of it is left but the connection that asks.
        with served.connect():
            assert wait_until(lambda: len(os.listdir(f"/proc/{served.process.pid}/fd")) < 60), "connections are left open"


main(test)
