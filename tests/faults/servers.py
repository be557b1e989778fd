"""Servers with a fault in them: one that listens answers rightly or refuses, is not deaf afterwards, and ends on a signal."""
import http.client
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time

from chain_commands import ADDRESS, BLOCKS, ChainCommand, source
from harness import STDOUT, Outcome, calm
from track_commands import TREE, TrackCommand, totals

START, ANSWER, END = 30, 20, 30  # seconds for each


class Running:
    """A server until it gets a signal. Its first line says that it is ready."""

    def __init__(self, tools, folder, arguments, settings):
        self.process = subprocess.Popen([str(tools.program), *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE,
                                        stderr=open(folder / "messages", "wb"), env=tools.environment(folder, **settings))
        self.messages = folder / "messages"
        self.ready = self.first_line()

    def first_line(self):
        line, end = b"", time.monotonic() + START
        while not line.endswith(b"\n") and time.monotonic() < end:
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                byte = os.read(self.process.stdout.fileno(), 1)
                if not byte:
                    break
                line += byte
        return line.decode()

    def stop(self, answers):
        """What it did. A server that must be killed, because it does not end in time, is deaf too."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
            answers.append(["deaf"])
        err = self.messages.read_text(errors="replace")
        self.messages.unlink()
        return Outcome(code, json.dumps({"ready": self.ready, "answers": answers}).encode(), err)


class ServeCommand(ChainCommand):
    """eth serve with a file that it follows: three searches, the last after twenty more blocks were appended."""

    cost = 8

    def __init__(self):
        super().__init__("eth serve", ["serve", "--db", "db", "--listen", "127.0.0.1:0", "--follow", "news.jsonl"], BLOCKS // 2)

    def prepare(self, tools, folder):
        super().prepare(tools, folder)
        (folder / "news.jsonl").touch()

    def search(self, port):
        """The logs that one request is answered with; None where it is refused or the connection ends."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER)
        request = {"jsonrpc": "2.0", "id": 1, "method": "eth_getLogs",
                   "params": [{"fromBlock": "0x0", "toBlock": "latest", "address": ADDRESS}]}
        try:
            connection.request("POST", "/", json.dumps(request), {"Content-Type": "application/json"})
            reply = connection.getresponse()
            found = json.loads(reply.read()) if reply.status == 200 else {}
            return [log["logIndex"] + log["blockNumber"] for log in found["result"]] if "result" in found else None
        except TimeoutError:
            return ["deaf"]
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def run(self, tools, folder, **settings):
        server = Running(tools, folder, self.arguments, settings)
        found = re.search(r"127\.0\.0\.1:(\d+)", server.ready)
        answers = []
        try:
            if found:
                answers = [self.search(int(found[1])) for _ in range(2)]
                with open(folder / "news.jsonl", "ab") as news:
                    news.write(source(BLOCKS // 2, BLOCKS))
                answers.append(self.settled(int(found[1]), server))
        finally:
            outcome = server.stop(answers)
        return outcome

    def settled(self, port, server):
        """The answer once all blocks are there; the last one where they do not come."""
        end, answer = time.monotonic() + 3, None
        while time.monotonic() < end and server.process.poll() is None:
            answer = self.search(port)
            if answer is not None and len(answer) == getattr(self, "all_found", -1):
                break
            time.sleep(0.02)
        return answer

    def learn(self, tools, folder):
        for name, past in (("half", BLOCKS // 2), ("whole", BLOCKS)):
            reference = folder / name
            reference.mkdir()
            (reference / "blocks.jsonl").write_bytes(source(0, past))
            tools.must(reference, "eth", "import", "-q", "--db", "db", "blocks.jsonl")
            logs = tools.must(reference, "eth", "logs", "--db", "db", "--no-index").splitlines()
            mine = [json.loads(log) for log in logs if json.loads(log)["address"] == ADDRESS]
            setattr(self, name, [log["logIndex"] + log["blockNumber"] for log in mine])
            self.logs = logs
            shutil.rmtree(reference)
        self.all_found = len(self.whole)
        outcome = self.run(tools, folder)
        calm(outcome, self.name)
        assert json.loads(outcome.out)["answers"] == [self.half, self.half, self.whole], outcome

    def check(self, tools, folder, outcome, leftovers=False):
        answers = json.loads(outcome.out)["answers"]
        assert ["deaf"] not in answers, f"no answer within {ANSWER} s: the server is deaf; {outcome}"
        for answer in answers:
            right = answer is None or (answer == self.whole[:len(answer)] and len(answer) >= len(self.half))
            assert right, f"a search found {len(answer)} logs; {outcome}"
        if outcome.code == 0:
            assert answers and answers[-1] is not None, f"it went on, and is deaf; {outcome}"
        self.check_answers(tools, folder, outcome)
        (folder / "news.jsonl").write_bytes(b"")
        repeated = self.run(tools, folder)
        assert repeated.code == 0 and json.loads(repeated.out)["answers"][-1] == self.whole, \
            f"the next run: {repeated}; after {outcome}"


class WatchCommand(TrackCommand):
    """track watch: what changes while it runs is in the next scan, or the scan says that it is not complete."""

    cost = 8

    def __init__(self):
        super().__init__("track watch", ["watch", TREE, "--state", "s", "--backend", "inotify"])

    def run(self, tools, folder, **settings):
        tree = self.tree(folder)
        arguments = [tree if word == TREE else word for word in self.arguments]
        watcher, answers = Running(tools, folder, arguments, settings), []
        try:
            if watcher.ready.startswith("watching"):
                for step in range(3):
                    (tree / "c" / f"new-{step}").write_text("x" * step)
                    if watcher.process.poll() is None:
                        answers.append(self.scan(tools, folder, tree))
        finally:
            outcome = watcher.stop(answers)
        return outcome

    def scan(self, tools, folder, tree):
        done = tools.run(folder, ["track", "scan", tree, "--state", "s", "--sweep", "0", "--json", "-q"])
        calm(done, "a scan beside the watcher")
        if done.code != 0:
            return None
        usage = json.loads(done.out)
        return [[usage["objects"], usage["bytes"]], list(totals(tree)), usage["complete"]]

    def learn(self, tools, folder):
        outcome = self.run(tools, folder)
        calm(outcome, self.name)
        assert outcome.code == 0 and len(json.loads(outcome.out)["answers"]) == 3, outcome
        self.check(tools, folder, outcome)

    def check(self, tools, folder, outcome, leftovers=False):
        assert ["deaf"] not in json.loads(outcome.out)["answers"], f"SIGTERM did not end it in {END} s; {outcome}"
        for answer in json.loads(outcome.out)["answers"]:
            right = answer is None or not answer[2] or answer[0] == answer[1]
            assert right, f"a scan counted {answer and answer[0]}, there were {answer and answer[1]}; {outcome}"
        after = self.scan(tools, folder, self.tree(folder))
        assert after and after[0] == after[1], f"a later scan counted {after}; {outcome}"
        repeated = self.run(tools, folder)
        answers = json.loads(repeated.out)["answers"]
        assert repeated.code == 0 and len(answers) == 3 and all(answer and answer[0] == answer[1] for answer in answers), \
            f"the next run: {repeated}; after {outcome}"


SERVERS = [ServeCommand(), WatchCommand()]
