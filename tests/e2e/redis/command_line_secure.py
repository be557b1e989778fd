"""Encrypted connections, sockets and passwords: what is verified, what is refused, and what is never shown."""
import os
import pathlib
import socket
import subprocess
import threading
import time

from command import PROGRAM, Folder, bloomery, lines
from harness import Server, check, free_port, main

SECRET = "hush/hush"


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def authority(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
            f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-addext", "basicConstraints=critical,CA:TRUE")


def certificate(name, by, names, days=("-days", "2")):
    """Of a server or client, signed by an authority; `names` is its subjectAltName."""
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.csr")
    pathlib.Path(f"{name}.ext").write_text(f"subjectAltName={names}\n")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{by}.pem", "-CAkey", f"{by}.key", "-CAcreateserial", "-out",
            f"{name}.pem", "-extfile", f"{name}.ext", *days)


def expired(name, by, names):
    """As `openssl x509` of this version cannot begin in the past, `openssl ca` signs it."""
    pathlib.Path("ca.cnf").write_text(
        "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial.txt\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n"
        f"[p]\ncommonName=supplied\n[e]\nsubjectAltName={names}\n")
    pathlib.Path("index.txt").write_text("")
    pathlib.Path("serial.txt").write_text("1000\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.csr")
    openssl("ca", "-batch", "-config", "ca.cnf", "-extensions", "e", "-in", f"{name}.csr", "-cert", f"{by}.pem", "-keyfile",
            f"{by}.key", "-out", f"{name}.pem", "-startdate", "20200101000000Z", "-enddate", "20200102000000Z", "-notext")


class Encrypted:
    """A server that speaks TLS on one more port, and may want its clients' certificates."""

    def __init__(self, module, name, clients="no"):
        self.port = free_port()
        here = os.getcwd()
        self.server = Server(module, options=[f"tls-port {self.port}", f"tls-cert-file {here}/{name}.pem",
                                              f"tls-key-file {here}/{name}.key", f"tls-ca-cert-file {here}/ours.pem",
                                              f"tls-auth-clients {clients}"])

    def __enter__(self):
        self.server.start()
        self.server.client()("BF.ADD", "seen", "a")
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    def url(self, host="127.0.0.1", credentials="", query=""):
        return f"rediss://{credentials}{host}:{self.port}/seen{query}"


def encrypted(module):
    for name in ["ours", "theirs"]:
        authority(name)
    certificate("good", "ours", "DNS:localhost,IP:127.0.0.1")
    certificate("elsewhere", "ours", "DNS:redis.example,IP:192.0.2.1")
    certificate("client", "ours", "DNS:client")
    certificate("stranger", "theirs", "DNS:client")
    expired("old", "ours", "DNS:localhost,IP:127.0.0.1")
    trust = ["--redis-ca-file", "ours.pem"]
    with Encrypted(module, "good") as server:
        for host in ["127.0.0.1", "localhost"]:
            check(bloomery("query", *trust, server.url(host), records=lines("a", "b")).out, b"a\n", host)
        check(bloomery("query", server.url(), records=b"a\n", environment={"BLOOMERY_REDIS_CA": "ours.pem"}).out, b"a\n")
        large = lines(*(f"key:{i}" for i in range(50_000)))
        bloomery("build", "--force", "--format", "redisbloom", "-n", "50000", "-o", server.url(), *trust, records=large)
        check(bloomery("query", "-c", *trust, server.url(), records=large).out, b"50000\n")
        bloomery("convert", "--to", "redisbloom", "-o", "copy.bin", *trust, server.url())
        server.server.client()("CONFIG", "SET", "requirepass", SECRET)
        pathlib.Path("password").write_text(SECRET + "\n")
        check(bloomery("query", "-c", *trust, "--redis-password-file", "password", server.url(), records=large).out, b"50000\n")
        # Whatever is wrong is refused, and never by silence.
        for arguments, says in [([], "--redis-ca-file"), (["--redis-ca-file", "theirs.pem"], "not signed by a trusted authority"),
                                (["--redis-ca-file", "missing.pem"], "missing.pem: cannot be used"),
                                ([*trust, "--redis-cert-file", "missing.pem"], "missing.pem: cannot be used"),
                                ([*trust, "--redis-key-file", "client.key"], "--redis-cert-file")]:
            run = bloomery("query", *arguments, server.url(), records=b"a\n", code=2)
            check("cannot connect" in run.err and says in run.err, True, run.err)
        plain = f"rediss://127.0.0.1:{server.server.port}/seen?timeout=2"
        run = bloomery("query", *trust, plain, records=b"a\n", code=2)
        check("TLS" in run.err, True, run.err)
        bloomery("query", f"redis://127.0.0.1:{server.port}/seen?timeout=2", records=b"a\n", code=2)
    for name, says in [("elsewhere", "is not for '127.0.0.1'"), ("old", "has expired")]:
        with Encrypted(module, name) as server:
            run = bloomery("query", *trust, server.url(), records=b"a\n", code=2)
            check(says in run.err, True, run.err)
    with Encrypted(module, "good", clients="yes") as server:
        identity = [*trust, "--redis-cert-file", "client.pem", "--redis-key-file", "client.key"]
        check(bloomery("query", *identity, server.url(), records=b"a\n").out, b"a\n")
        run = bloomery("query", *trust, server.url(), records=b"a\n", code=2)
        check("--redis-cert-file" in run.err, True, run.err)
        stranger = [*trust, "--redis-cert-file", "stranger.pem", "--redis-key-file", "stranger.key"]
        run = bloomery("query", *stranger, server.url(), records=b"a\n", code=2)
        check("refuses this client" in run.err, True, run.err)
        mixed = [*trust, "--redis-cert-file", "client.pem", "--redis-key-file", "stranger.key"]
        check("cannot be used" in bloomery("query", *mixed, server.url(), records=b"a\n", code=2).err, True)


def silent_handshake():
    """A port that accepts and says nothing, or a byte now and then, ends in time."""
    for drip in [b"", b"\x16"]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            over = threading.Event()

            def serve():
                peer, _ = listener.accept()
                with peer:
                    while not over.wait(0.1):
                        try:
                            peer.send(drip)
                        except OSError:
                            return
            thread = threading.Thread(target=serve)
            thread.start()
            start = time.monotonic()
            run = bloomery("inspect", f"rediss://127.0.0.1:{listener.getsockname()[1]}/k?timeout=1", code=2)
            over.set()
            thread.join()
            check(time.monotonic() - start < 20, True)
            check("TLS" in run.err, True, run.err)


def sockets(module):
    with Server(module, options=["unixsocket redis.sock", "unixsocketperm 700"]) as server:
        client = server.client()
        client("BF.ADD", "seen", "a")
        client("CONFIG", "SET", "requirepass", SECRET)
        path = os.path.join(server.directory, "redis.sock")
        url = f"unix://{path}?timeout=5#seen"
        environment = {"BLOOMERY_REDIS_PASSWORD": SECRET}
        check(bloomery("query", url, records=lines("a", "b"), environment=environment).out, b"a\n")
        bloomery("add", f"redis+unix://:{SECRET.replace('/', '%2F')}@{path}#seen", records=b"b\n")
        run = bloomery("query", url, records=b"a\n", code=2)
        check("BLOOMERY_REDIS_PASSWORD" in run.err and "--redis-password-file" in run.err, True, run.err)
        check("cannot connect" in bloomery("inspect", "unix:///nowhere/redis.sock#k", code=2).err, True)


def unseen(module):
    """A password in an address is in no output, and in the process list no longer than it takes to start."""
    with Server(module) as server:
        client = server.client()
        client("BF.ADD", "seen", "a")
        client("CONFIG", "SET", "requirepass", SECRET)
        quoted = SECRET.replace("/", "%2F")
        url, other = (f"redis://:{quoted}@127.0.0.1:{server.port}/{key}" for key in ("seen", "other"))
        runs = [bloomery("verify", url), bloomery("verify", "--json", url), bloomery("inspect", url),
                bloomery("inspect", "--json", url), bloomery("query", url, records=b"a\n"), bloomery("add", url, records=b"b\n"),
                bloomery("merge", "-o", other, url, url), bloomery("compare", url, other), bloomery("compare", "--json", url, other),
                bloomery("convert", "--to", "redisbloom", "--force", "-o", other, url), bloomery("fold", "-o", "x.bin", url, code=None),
                bloomery("dedup", "--against", url, records=b"a\nc\n"), bloomery("query", url, "missing.txt", code=2),
                bloomery("build", "--format", "redisbloom", "-o", url, records=b"a\n", code=2),
                bloomery("inspect", url.replace("/seen", "/none"), code=None), bloomery("inspect", url, url, code=2),
                bloomery("verify", "--json", url.replace("redis:", "REDIS:"), code=None),
                bloomery("inspect", f"redis://ann:{SECRET}@127.0.0.1:{server.port}/seen", code=2),
                bloomery("track", "nodes", "--redis", url, code=None), bloomery("track", "nodes", "--json", "--redis", url, code=None),
                bloomery("track", "cycle", "--state", "s", "--redis", url.replace(":%d" % server.port, ":1"), code=2),
                bloomery(url, code=2)]
        for number, run in enumerate(runs):
            for word in [SECRET, quoted, "hush"]:
                check(word in run.err + run.out.decode(errors="replace"), False, f"run {number}: {run.err}{run.out[:300]}")
        with subprocess.Popen([PROGRAM, "query", "-c", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(b"a\n" * 200_000)  # more than a pipe holds: it reads, so it has started
            process.stdin.flush()
            words = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
            check(b"hush" in words, False, words)
            check(b"@127.0.0.1" in words, True, words)
            process.communicate()


def test(module):
    with Folder():
        sockets(module)
        unseen(module)
        silent_handshake()
        with Server(None) as plain:
            speaks_tls = plain.client()("CONFIG", "GET", "tls-port") != []
        if speaks_tls:
            encrypted(module)
        else:
            print("this server was built without TLS: what is encrypted was not tried")


main(test)
