"""A chain out of a node: `eth import --from-rpc` and `eth serve --follow URL`, with our own server of the sample chain as the
node, over HTTP and WebSocket; TLS, credentials, hostile answers; and kills at any moment."""
import base64
import hashlib
import hmac
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness
from crash import Folder, Server
from harness import check, wait_until
from mock_node import MockNode, RpcFault, chain_answers

FULL = os.environ.get("BLOOMERY_FULL") is not None
HEAD = 700
KEY = "k3y-of-a-provider"


def import_from(folder, name, address, *options, code=0, **environment):
    run = subprocess.run([folder.command, "eth", "import", "--db", folder.folder / name, "--from-rpc", address,
                          *map(str, options)], capture_output=True, text=True, timeout=120,
                         env={**folder.environment, **environment})
    check(run.returncode, code, f"{options}: {run.stdout}{run.stderr}")
    check(KEY in run.stdout + run.stderr, False, "a key was printed: " + run.stderr)
    return run


def logs_of(folder, name):
    run = folder.run("logs", "--db", folder.folder / name)
    check(run.returncode, 0, run.stderr)
    return run.stdout


def expect_whole(folder, name, whole="whole"):
    check(logs_of(folder, name), logs_of(folder, whole), f"{name}: the logs differ")
    verified = folder.run("verify", "--db", folder.folder / name)
    check(verified.returncode, 0, verified.stdout + verified.stderr)


def our_server_as_node(folder):
    """Every block by HTTP and by WebSocket; what was verified is said; a second run has nothing to do."""
    folder.imported("whole")
    with Server(folder, folder.folder / "whole") as node:
        for scheme in ("http", "ws"):
            address = node.url.replace("http", scheme)
            facts = json.loads(import_from(folder, scheme, address, "--json").stdout)
            check((facts["stored"], facts["head"], facts["receipts_from"], facts["missing"]),
                  (HEAD + 1, HEAD, "eth_getBlockReceipts", 0))
            for part in ("header_hash", "receipts_root", "bloom"):
                check(facts["verified"][part], HEAD + 1, part)
            expect_whole(folder, scheme)
            again = import_from(folder, scheme, address)
            check(f"nothing is missing: the head is block {HEAD}" in again.stderr, True, again.stderr)
        ranged = import_from(folder, "part", node.url, "--from", 100, "--to", 199)
        check("100 blocks stored" in ranged.stderr and "verified in all blocks: header hashes" in ranged.stderr, True,
              ranged.stderr)
        for first, last in ((300, 399), (0, 49)):  # gaps on both sides
            import_from(folder, "part", node.url, "--from", first, "--to", last)
        facts = json.loads(import_from(folder, "part", node.url, "--jobs", 3, "--json").stdout)
        check((facts["missing"], facts["in_folder"]), (0, HEAD + 1))
        expect_whole(folder, "part")
        beyond = import_from(folder, "part", node.url, "--from", 0, "--to", HEAD + 5)
        check(f"the newest block of the node is {HEAD}, so block {HEAD + 5} is not there yet" in beyond.stderr, True, beyond.stderr)
        wrong = import_from(folder, "other", node.url, "--chain-id", 5, code=2)
        check("it is a node of chain 1, not of chain 5" in wrong.stderr, True, wrong.stderr)
    refused = import_from(folder, "none", "http://127.0.0.1:1/" + KEY, code=2)
    check("http://127.0.0.1:1/...: " in refused.stderr and "cannot be reached" in refused.stderr, True, refused.stderr)


class Authority:
    """Certificates of an authority of our own."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.certificate = folder / f"{name}.pem"
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj",
                     f"/CN={name}", "-days", "2")

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def issue(self, name, subject, *dates):
        (self.folder / f"{name}.cnf").write_text(f"subjectAltName={subject}\n")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
                     f"/CN={name}")
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{self.name}.pem", "-CAkey", f"{self.name}.key",
                     "-CAcreateserial", "-out", f"{name}.pem", "-days", *(dates or ("2",)), "-extfile", f"{name}.cnf")
        return self.folder / f"{name}.pem", self.folder / f"{name}.key"


def encrypted(folder):
    """A certificate is accepted where its authority, its host and its dates are right; nothing is sent otherwise."""
    authority, stranger = Authority(folder.folder, "authority"), Authority(folder.folder, "stranger")
    right = authority.issue("right", "DNS:localhost,IP:127.0.0.1")
    elsewhere = authority.issue("elsewhere", "DNS:other.example")
    expired = authority.issue("expired", "DNS:localhost", "-1")
    folder.imported("whole")
    with Server(folder, folder.folder / "whole") as server, chain_answers(server) as answer:
        with MockNode(answer, certificate=right) as node:
            for number, host in enumerate(("localhost", "127.0.0.1")):
                import_from(folder, f"tls{number}", node.address("/v1/" + KEY, host), "--ca-file", authority.certificate)
                expect_whole(folder, f"tls{number}")
            import_from(folder, "system", node.address(host="localhost"), SSL_CERT_FILE=str(authority.certificate))
            node.heads.clear()
            for options, says in (((), "its certificate is not accepted"),
                                  (("--ca-file", stranger.certificate), "its certificate is not accepted"),
                                  (("--ca-file", folder.source), "cannot be read"),
                                  (("--ca-file", folder.folder / "none.pem"), "cannot be read")):
                run = import_from(folder, "refused", node.address("/v1/" + KEY, "localhost"), *options, code=2)
                check(says in run.stderr, True, run.stderr)
            check(node.heads, [], "a request was sent to a node that was not verified")
        for certificate, says in ((elsewhere, "mismatch"), (expired, "expired")):
            with MockNode(answer, certificate=certificate) as node:
                run = import_from(folder, "refused", node.address(host="localhost"), "--ca-file", authority.certificate, code=2)
                check("certificate is not accepted" in run.stderr and says in run.stderr, True, run.stderr)
                check(node.heads, [])
        with MockNode(answer) as plain:
            run = import_from(folder, "refused", plain.address().replace("http:", "https:"), code=2)
            check("TLS" in run.stderr, True, run.stderr)


def credentials(folder):
    """Keys reach the node and no message; a token is signed with the secret and fresh."""
    folder.imported("whole")
    secret = folder.folder / "jwt.hex"
    secret.write_text("0x" + "7b" * 32 + "\n")
    headers = folder.folder / "headers"
    headers.write_text(f"X-Key: {KEY}\nX-Other: b\n")
    with Server(folder, folder.folder / "whole") as server, chain_answers(server) as answer:
        with MockNode(answer) as node:
            import_from(folder, "keyed", node.address(f"/v2/{KEY}", user=f"me:{KEY}@"), "--header", f"@{headers}", "--to", 9)
            path, sent = node.heads[0]
            check((path, sent["X-Key"], sent["X-Other"]), (f"/v2/{KEY}", KEY, "b"))
            check(sent["Authorization"], "Basic " + base64.b64encode(f"me:{KEY}".encode()).decode())
            node.heads.clear()
            import_from(folder, "signed", node.address(), "--jwt-secret", secret, "--to", 9)
            kind, token = node.heads[0][1]["Authorization"].split()
            signed, _, signature = token.rpartition(".")
            wanted = base64.urlsafe_b64encode(hmac.new(bytes([0x7b] * 32), signed.encode(), hashlib.sha256).digest())
            check((kind, signature), ("Bearer", wanted.rstrip(b"=").decode()))
            claims = json.loads(base64.urlsafe_b64decode(signed.split(".")[1] + "=="))
            check(abs(claims["iat"] - time.time()) < 30, True, claims)
        with MockNode(answer, refuse=lambda handler: handler.send_error(403, f"bad key {KEY}") or True) as node:
            run = import_from(folder, "refused", node.address(f"/v2/{KEY}"), "--header", f"X-Key: {KEY}", code=2)
            check("403" in run.stderr and "--header" in run.stderr, True, run.stderr)

        def bad_key(_):
            raise RpcFault(-32602, f"invalid key {KEY}")
        with MockNode(bad_key) as node:
            run = import_from(folder, "refused", node.address(f"/v2/{KEY}"), code=2)
            check("invalid key ..." in run.stderr, True, run.stderr)
        with MockNode(answer, refuse=lambda handler: time.sleep(0.2)) as node:
            process = folder.start("import", "--db", folder.folder / "shown", "--from-rpc", node.address(f"/v2/{KEY}", user="u:pw@"),
                                   "--header", f"X-Key: {KEY}")
            wait_until(lambda: node.heads)
            listed = pathlib.Path(f"/proc/{process.pid}/cmdline").read_text()
            process.terminate()
            _, said = process.communicate(timeout=30)
            check((KEY in listed, "u:pw" in listed, KEY in said), (False, False, False), listed + said)
    for options in (("--from-rpc", "ftp://x"), ("--from-rpc", "http://h:99999"), ("--from", "3", "x.jsonl"),
                    ("--header", "a: b", "x.jsonl"), ("--from-rpc", "http://h", "x.jsonl"), (),
                    ("--from-rpc", "http://h", "--header", "broken"), ("--from-rpc", "http://h", "--gaps"),
                    ("--from-rpc", "http://h", "--jwt-secret", str(headers)), ("--from-rpc", "http://h", "--jobs", "0"),
                    ("--from-rpc", "http://h", "--from", "9", "--to", "3")):
        run = folder.run("import", "--db", folder.folder / "usage", *options)
        check(run.returncode, 2, f"{options}: {run.stderr}")
        check((folder.folder / "usage").exists(), False, f"{options} made a folder")


    for options in (("--follow", f"http://u:{KEY}@h/{KEY}?x={KEY}"), ("--follow", f"ws://h:x/{KEY}"),
                    ("--follow", f"http://h/{KEY}", "--header", "broken")):
        for chain in (("--db", folder.folder / "unused"), ("--chain", f"main={folder.folder / 'unused'}")):
            run = folder.run("serve", *chain, *options)
            check((run.returncode, KEY in run.stderr), (2, False), run.stderr)


class Follower(Server):
    def head(self):
        return int(self.call("eth_blockNumber")["result"], 16)


def followed(folder, database, address, *options):
    return Follower(folder, database, "--follow", address, *options)


def follows(folder):
    """A served chain takes what its node has, and what comes: by polling and by a subscription; the node may go and come."""
    blocks = harness.chain_lines()
    folder.imported("whole")
    for scheme in ("http", "ws"):
        news = folder.folder / f"{scheme}.jsonl"
        news.write_text("".join(blocks[:500]))
        with Follower(folder, folder.folder / f"{scheme}-node", "--follow", news) as node:
            check(wait_until(lambda: node.head() == 499), True, "the node takes its file")
            port = node.url.rsplit(":", 1)[1].rstrip("/")
            address = node.url.replace("http", scheme) + ("?key=" + KEY if scheme == "http" else "")
            with followed(folder, folder.folder / scheme, address) as server:
                check(wait_until(lambda: server.head() == 499), True, "the server takes over what the node has")
                for last in (501, 600, 701):
                    with open(news, "a") as out:
                        out.writelines(blocks[node.head() + 1:last])
                    check(wait_until(lambda: server.head() == last - 1), True, f"{scheme}: block {last - 1} comes")
                check(server.get("health")[0], 200)
                node.process.terminate()
                node.process.communicate(timeout=30)
                check(wait_until(lambda: "problem" in server.get("health")[1], 40), True, "a node that is gone is reported")
                problem = server.get("health")[1]["problem"]
                check("127.0.0.1" in problem and KEY not in problem, True, problem)
                node.process = folder.start("serve", "--db", folder.folder / f"{scheme}-node", "--listen", f"127.0.0.1:{port}")
                node.process.stdout.readline()
                check(wait_until(lambda: "problem" not in server.get("health")[1], 40), True, "and so is that it is back")
        expect_whole(folder, scheme)


def killed_while_importing(folder):
    """Killed at random; what is there is right after every kill, and the last run ends with the whole chain."""
    wanted, generator = (200 if FULL else 20), random.Random(9)
    folder.imported("whole")
    database = folder.folder / "killed"
    with Server(folder, folder.folder / "whole") as node:
        began = time.monotonic()
        import_from(folder, "timed", node.url)
        whole, kills, rounds = time.monotonic() - began, 0, 0
        while kills < wanted:
            check(rounds < 20 * wanted, True, "the import is never killed")
            rounds += 1
            process = folder.start("import", "--db", database, "--from-rpc", node.url, "--jobs", generator.choice((1, 4)))
            time.sleep(generator.uniform(0, whole))
            killed = process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += killed
            if (database / "CURRENT").exists():
                verified = folder.run("verify", "--db", database)
                check(verified.returncode, 0, f"round {rounds}: {verified.stdout}{verified.stderr}")
            if not killed or rounds % 5 == 4:
                shutil.rmtree(database, ignore_errors=True)
        import_from(folder, "killed", node.url)
        expect_whole(folder, "killed")
    print(f"{kills} kills while importing")


def killed_while_following(folder):
    rounds, generator = (200 if FULL else 20), random.Random(19)
    folder.imported("whole")
    blocks = harness.chain_lines()
    news = folder.folder / "news.jsonl"
    news.write_text(blocks[0])
    written = 1
    with Follower(folder, folder.folder / "node", "--follow", news) as node:
        for round in range(rounds):
            scheme = generator.choice(("http", "ws"))
            server = followed(folder, folder.folder / "killed", node.url.replace("http", scheme))
            server.__enter__()
            more = min(len(blocks), written + (len(blocks) // rounds if rounds < 100 else 3))
            with open(news, "a") as out:
                out.writelines(blocks[written:more])
            written = more
            time.sleep(generator.uniform(0, 0.15))
            server.process.send_signal(signal.SIGKILL)
            server.process.communicate()
            verified = folder.run("verify", "--db", folder.folder / "killed")
            check(verified.returncode, 0, f"round {round}: {verified.stdout}{verified.stderr}")
        with open(news, "a") as out:
            out.writelines(blocks[written:])
        with followed(folder, folder.folder / "killed", node.url) as server:
            check(wait_until(lambda: server.head() == HEAD), True, "the server takes the rest")
    expect_whole(folder, "killed")
    print(f"{rounds} kills while following")


def misbehaving(folder):
    """Answers that fail by turns, on the wire of a real import."""
    folder.imported("whole")
    generator = random.Random(3)

    def refuse(handler):
        way = generator.randrange(12)
        if way == 0:
            handler.send_response(429)
            handler.send_header("Retry-After", "0")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        elif way == 1:
            handler.send_error(503)
        elif way == 2:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n[{")
            handler.close_connection = True
        elif way == 3:
            handler.connection.close()
            handler.close_connection = True
        return way < 4

    with Server(folder, folder.folder / "whole") as server, chain_answers(server) as answer, MockNode(answer, refuse) as node:
        facts = json.loads(import_from(folder, "flaky", node.address(), "--json").stdout)
        check(facts["retries"] > 0, True, facts)
    expect_whole(folder, "flaky")


def test(command):
    for part in (our_server_as_node, encrypted, credentials, misbehaving, follows, killed_while_importing, killed_while_following):
        with tempfile.TemporaryDirectory(prefix="bloomery-node-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as name:
            began = time.monotonic()
            part(Folder(command, name))
            print(f"{part.__name__}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    harness.main(test)
