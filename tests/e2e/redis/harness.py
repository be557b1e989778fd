"""A server with our module on a free loopback port, and a client that shows replies as they are on the wire."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIP = 77
# Another server to try the module in: BLOOMERY_REDIS_SERVER=/path/of/valkey-server. Its redis-cli or valkey-cli lies beside it.
SERVER = os.environ.get("BLOOMERY_REDIS_SERVER", "redis-server")
CLI = re.sub("server$", "cli", SERVER)


def server_version():
    text = subprocess.run([SERVER, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"v=(\d+)\.(\d+)", text).groups()))



class Simple(str):
    """A simple string (+OK), distinct from a bulk string, which is bytes."""


class Refused(str):
    """An error reply, without its leading minus."""


class Map(list):
    """A RESP3 map, as a list of pairs."""


class Client:
    def __init__(self, port, resp=2):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")
        if resp == 3:
            self("HELLO", 3)

    def __call__(self, *words):
        return self.all([words])[0]

    def all(self, commands):
        """Sends all commands, then reads all replies."""
        self.socket.sendall(b"".join(map(encode, commands)))
        return [self.read() for _ in commands]

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server hung up")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return Simple(rest.decode())
        if kind == b"-":
            return Refused(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"#":
            return rest == b"t"
        if kind == b",":
            return float(rest)
        if kind == b"_" or rest == b"-1":
            return None
        if kind in (b"$", b"="):
            data = self.file.read(int(rest) + 2)
            return data[:-2]
        if kind in (b"*", b"~"):
            return [self.read() for _ in range(int(rest))]
        if kind == b"%":
            return Map((self.read(), self.read()) for _ in range(int(rest)))
        raise ValueError(f"unknown reply {line!r}")

    def close(self):
        self.file.close()
        self.socket.close()


def encode(words):
    parts = [w if isinstance(w, bytes) else str(w).encode() for w in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """with Server(module) as server: server.client()("BF.ADD", "k", "x")"""

    def __init__(self, module, load_arguments=(), options=(), more_modules=(), port=None, environment=()):
        self.fixed_port, self.environment = port, dict(environment)
        self.module, self.load_arguments = module, list(load_arguments)
        self.options, self.more_modules = list(options), list(more_modules)
        self.directory = tempfile.mkdtemp(prefix="bloomery-redis-")
        self.process = None
        self.port = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self, expect_failure=False):
        self.port = self.fixed_port or free_port()
        config = ["bind 127.0.0.1", f"port {self.port}", f'dir "{self.directory}"', 'save ""',
                  "logfile server.log", "daemonize no", "repl-diskless-sync-delay 0", *self.options]
        if server_version() >= (7, 0):  # before, DEBUG was always there
            config.append("enable-debug-command yes")
        for module, arguments in [(self.module, self.load_arguments), *self.more_modules]:
            if module is not None:
                config.append(" ".join(["loadmodule", str(module), *arguments]))
        path = pathlib.Path(self.directory, "redis.conf")
        path.write_text("\n".join(config) + "\n")
        self.process = subprocess.Popen([SERVER, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, **self.environment})
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                if expect_failure:
                    return
                raise RuntimeError("the server ended:\n" + self.log())
            try:
                client = Client(self.port)
                answer = client("PING")
                client.close()
                if answer == "PONG":
                    return
            except OSError:
                pass
            time.sleep(0.01)
        raise RuntimeError("the server does not answer:\n" + self.log())

    def stop(self, how=signal.SIGTERM):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(timeout=60)

    def restart(self):
        self.stop()
        self.start()

    def client(self, resp=2):
        return Client(self.port, resp)

    def log(self):
        path = pathlib.Path(self.directory, "server.log")
        return path.read_text(errors="replace") if path.exists() else ""


def until(condition, seconds=30):
    """Waits for something that another process does. False where it does not come."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.005)
    return False


wrong = []


def check(found, expected, what=""):
    """Exactly equal, type included: 1 is not True, and +OK is not a bulk string."""
    if describe(found) != describe(expected):
        frame = sys._getframe(1)
        wrong.append(f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}: {what}\n"
                     f"  expected {describe(expected)}\n  found    {describe(found)}")


def describe(value):
    if isinstance(value, Map):
        return "Map" + str([(describe(k), describe(v)) for k, v in value])
    if isinstance(value, set):
        return "{" + ", ".join(sorted(map(describe, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(describe, value)) + "]"
    return f"{type(value).__name__}:{value!r}"


def chunks_of(r, kind, key):
    """A whole dump of a filter: the positions and chunks that LOADCHUNK takes."""
    found, position = [], 0
    while True:
        position, chunk = r(f"{kind}.SCANDUMP", key, position)
        if position == 0:
            return found
        found.append((position, chunk))


def caught_up(primary, replica):
    """Waits until the replica has all that the primary has written."""
    def same():
        fields = [dict(line.split(b":", 1) for line in client("INFO", "replication").split(b"\r\n") if b":" in line)
                  for client in (primary, replica)]
        return (fields[1].get(b"master_link_status") == b"up"
                and fields[0][b"master_repl_offset"] == fields[1][b"slave_repl_offset"])
    check(until(same), True, "the replica catches up")


def finish():
    print("\n".join(wrong[:20]) or "ok")
    sys.exit(1 if wrong else 0)


def main(test):
    """test(module): the path of bloomery.so comes as the first argument."""
    if shutil.which(SERVER) is None:
        print(f"skipped: {SERVER} is not installed")
        sys.exit(SKIP)
    test(pathlib.Path(sys.argv[1]).resolve())
    finish()


# The checksum that ends a DUMP payload: CRC-64 with Jones's polynomial, reflected.
def _crc_table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x95AC9329AC4BC9B5 if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE = _crc_table()


def with_checksum(payload):
    """The payload with its last eight bytes replaced by what they should be."""
    crc = 0
    for byte in payload[:-8]:
        crc = _TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return payload[:-8] + crc.to_bytes(8, "little")


OK = Simple("OK")
WRONG_TYPE = Refused("WRONGTYPE Operation against a key holding the wrong kind of value")


def arity(command):
    return Refused(f"ERR wrong number of arguments for '{command}' command")
