"""Chain folders that were interrupted or damaged, as the commands see them: an import that is killed at any moment, a full
disk, a write-ahead log that was cut or altered, two programs on one folder. Nothing is lost without a word."""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import harness
from harness import check

FULL = os.environ.get("BLOOMERY_FULL") is not None
ADDRESS = "0x79d720b462a1724ea710687caae044404fd675fd"


class Folder:
    def __init__(self, command, folder):
        self.command, self.folder = command, pathlib.Path(folder)
        self.source = self.folder / "blocks.jsonl"
        self.source.write_text("".join(harness.chain_lines()))
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.temporary)}

    def run(self, *arguments, **options):
        run = subprocess.run([self.command, "eth", *map(str, arguments)], capture_output=True, text=True, timeout=120,
                             env=self.environment, **options)
        if "built without" in run.stderr:
            harness.skip("the command was built without the log search")
        return run

    def start(self, *arguments):
        return subprocess.Popen([self.command, "eth", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=self.environment)

    def import_into(self, database, *options):
        return self.run("import", "--db", database, self.source, *options)

    def imported(self, name):
        database = self.folder / name
        check(self.import_into(database).returncode, 0)
        return database

    def logs(self, database, *options):
        return self.run("logs", "--db", database, "--address", ADDRESS, *options)


def killed_at_any_moment(folder):
    """Clean after every kill; what was reported is there; in the end everything is."""
    database = folder.folder / "killed"
    whole = folder.logs(folder.imported("whole")).stdout
    generator = random.Random(5)
    for round in range(60 if FULL else 8):
        process = folder.start("import", "--db", database, folder.source)
        time.sleep(generator.uniform(0, 0.25))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if not (database / "BLOOMERY-CHAIN").exists():
            continue
        verified = folder.run("verify", "--db", database)
        # Before the first write of the database there is none to be verified, and nothing was reported.
        if not (database / "CURRENT").exists():
            check(verified.returncode != 0, True, "a folder without a database is not verified")
        else:
            check(verified.returncode, 0, f"round {round}: {verified.stdout}{verified.stderr}")
        if round % 3 == 2:
            shutil.rmtree(database)
    finished = folder.import_into(database, "--json")
    check(finished.returncode, 0, finished.stderr)
    facts = json.loads(finished.stdout)
    check((facts["in_folder"], facts["missing"], facts["lost"], facts["head"]), (701, 0, [], 700))
    check(facts["blocks"], 701)
    check(facts["stored"] + facts["already_there"], 701)
    check(folder.logs(database).stdout, whole)


def killed_while_indexing(folder):
    """Import, index and drop, killed at any moment: the chain is right after each, with what it has of an index."""
    database = folder.folder / "killed"
    whole = folder.logs(folder.imported("whole")).stdout
    first = folder.folder / "first.jsonl"
    first.write_text("".join(harness.chain_lines()[:200]))
    generator = random.Random(6)
    sections = 0
    for round in range(90 if FULL else 12):
        if not database.exists():
            check(folder.run("import", "--db", database, first).returncode, 0)
            check(folder.run("index", "--db", database, "--section", 8, "--confirms", 0, "--kind",
                             ["adaptive", "both"][round % 2]).returncode, 0)
        command = [["import", "--db", database, "--confirms", 0, folder.source],
                   ["index", "--db", database, "--drop"],
                   ["index", "--db", database, "--section", 8, "--confirms", 0, "--kind", "both"]][round % 3]
        process = folder.start(*command)
        time.sleep(generator.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        verified = folder.run("verify", "--db", database)
        check(verified.returncode, 0, f"round {round}: {verified.stdout}{verified.stderr}")
        status = json.loads(folder.run("status", "--db", database, "--json").stdout)
        sections += status.get("adaptive", {}).get("sections", 0)
        if status["head"] == 700:
            check(folder.logs(database).stdout, whole, f"round {round}")
        if round % 4 == 3:
            shutil.rmtree(database)
    check(sections > 0, True, "no round left a section")
    check(folder.import_into(database, "--confirms", 0).returncode, 0)
    check(folder.run("index", "--db", database, "--drop").returncode, 0)
    again = folder.run("index", "--db", database, "--section", 64, "--confirms", 0, "--json")
    check(json.loads(again.stdout)["adaptive"]["sections_made"], 10, again.stderr)
    check(folder.run("verify", "--db", database).returncode, 0)
    check(folder.logs(database).stdout, whole)


def import_indexes(folder):
    """The import makes the adaptive index as it goes, keeps the kind that is there, and leaves it out where it is told."""
    def kinds(database):
        status = json.loads(folder.run("status", "--db", database, "--json").stdout)
        return (status["bloombits"]["indexed_blocks"], status.get("adaptive", {}).get("indexed_blocks", 0))

    first = folder.folder / "first.jsonl"
    first.write_text("".join(harness.chain_lines()[:200]))
    for options, kind, wanted in (((), "adaptive", (0, 384)), ((), "bloombits", (384, 0)), ((), "both", (384, 384)),
                                  (("--no-index",), "both", (128, 128)), (("--confirms", 0), "adaptive", (0, 640))):
        database = folder.folder / f"{kind}{len(options)}{wanted[1]}"
        check(folder.run("import", "--db", database, first).returncode, 0)
        check(folder.run("index", "--db", database, "--section", 128, "--confirms", 0, "--kind", kind).returncode, 0)
        done = folder.import_into(database, *options, "--json")
        check(done.returncode, 0, done.stderr)
        check(kinds(database), wanted, f"{options} {kind}")
        check(json.loads(done.stdout)["sections_made"], (sum(wanted) - 128 * (1 + (kind == "both"))) // 128)


def full_disk(folder):
    """The import says so and fails; with room again it goes on."""
    database = folder.folder / "full"

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))

    failed = folder.run("import", "--db", database, folder.source, preexec_fn=small)
    check(failed.returncode != 0, True, "an import that could not write")
    check("File too large" in failed.stderr, True, failed.stderr)
    check(folder.run("verify", "--db", database).returncode, 0)
    check(folder.import_into(database).returncode, 0)
    check(folder.run("verify", "--db", database).returncode, 0)


def newest_log(database):
    return max((path for path in database.glob("*.log")), key=lambda path: path.stat().st_size)


def altered_log(folder):
    """The report that began this: bits of the log flipped, and every command said that all was well."""
    sound = folder.imported("sound")
    expected = folder.logs(sound).stdout
    generator = random.Random(40)
    for round in range(40 if FULL else 6):
        database = folder.folder / "altered"
        shutil.copytree(sound, database)
        log = newest_log(database)
        data = bytearray(log.read_bytes())
        at = generator.randrange(len(data))
        data[at] ^= 1 << generator.randrange(8)
        log.write_bytes(data)
        commands = [folder.run("verify", "--db", database), folder.run("status", "--db", database), folder.logs(database),
                    folder.run("index", "--db", database, "--section", 64, "--confirms", 0)]
        for answer in commands:
            right = answer.returncode != 0 or answer.args[2] == "logs" and answer.stdout == expected
            check(right, True, f"byte {at}: {answer.args[2]} exits with {answer.returncode}: {answer.stdout[:300]}")
            check("log" in answer.stderr or "lost" in answer.stderr + answer.stdout, True, answer.stderr)
        shutil.rmtree(database)


def cut_log(folder):
    """Reported blocks that vanish are named by every command, until they are imported again."""
    database = folder.imported("cut")
    log = newest_log(database)
    os.truncate(log, log.stat().st_size // 2)
    status = folder.run("status", "--db", database, "--json")
    check(status.returncode, 3, status.stderr)
    first, last = json.loads(status.stdout)["lost"][0]
    check((0 < first < last, last), (True, 700))
    named = f"blocks {first} to {last}"
    for answer in (status, folder.run("verify", "--db", database), folder.logs(database),
                   folder.run("index", "--db", database)):
        check(answer.returncode, 3, answer.args[2])
        check(named in answer.stdout + answer.stderr, True, answer.stdout + answer.stderr)
    below = folder.logs(database, "--to", first - 2)  # what is there is still answered
    check((below.returncode, below.stderr), (0, ""))
    with Server(folder, database) as server:
        code, health = server.get("health")
        check((code, health["status"], named in health["problem"]), (503, "failing", True))
        error = server.call("eth_getLogs", {"fromBlock": "0x0", "address": ADDRESS})["error"]
        check((error["code"], named in error["message"]), (-32000, True), error)
        check(error["data"], {"from": hex(first), "to": hex(last)})
        check(f"bloomery_lost_blocks {last - first + 1}\n" in server.text("metrics"), True)
        check("bloomery_followed_blocks_total 0\n" in server.text("metrics"), True, "metrics without --follow")
    again = folder.import_into(database)
    check(again.returncode, 0, again.stderr)
    check(named in again.stderr, True, again.stderr)
    check(folder.run("verify", "--db", database).returncode, 0)
    check(folder.run("status", "--db", database).returncode, 0)
    with Server(folder, database) as server:
        check(server.get("health")[0], 200)


class Server:
    def __init__(self, folder, database, *options):
        self.folder, self.database, self.options = folder, database, options

    def __enter__(self):
        self.process = self.folder.start("serve", "--db", self.database, "--listen", "127.0.0.1:0", *self.options)
        line = self.process.stdout.readline()
        self.url = line.split()[-1] + "/"
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=30)

    def text(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as reply:
            return reply.read().decode()

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def call(self, method, *params):
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})

    def post(self, body):
        request = urllib.request.Request(self.url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.loads(reply.read())


def two_programs(folder):
    """The second one says who has the folder and what to do."""
    database = folder.imported("shared")
    with Server(folder, database, "--follow", folder.folder / "news.jsonl") as server:
        reading = folder.logs(database)
        check((reading.returncode, "eth_getLogs" in reading.stderr), (2, True), reading.stderr)
        writing = folder.import_into(database)
        check((writing.returncode, f"(process {server.process.pid})" in writing.stderr), (2, True), writing.stderr)
        check("--follow" in writing.stderr, True, writing.stderr)
    with Server(folder, database):  # several may read
        check(folder.logs(database).returncode, 0)


def filters_of_one_client(folder):
    """One client cannot use up the filters of all."""
    with Server(folder, folder.imported("filtered")) as server:
        batch = [{"jsonrpc": "2.0", "id": i, "method": "eth_newBlockFilter", "params": []} for i in range(1000)]
        check(all("result" in answer for answer in server.post(batch)), True)
        error = server.call("eth_newBlockFilter")["error"]
        check((error["code"], error["message"].startswith("too many filters of this client")), (-32005, True), error)


def left_by_a_kill(folder):
    """A reader that is killed leaves a temporary folder; the next one removes it."""
    database = folder.imported("read")
    server = Server(folder, database).__enter__()
    check(len(list(folder.temporary.iterdir())), 1)
    server.process.kill()
    server.process.communicate()
    check(len(list(folder.temporary.iterdir())), 1)
    check(folder.logs(database).returncode, 0)
    check(list(folder.temporary.iterdir()), [])


def index_options(folder):
    database = folder.imported("indexed")
    none = folder.run("index", "--db", database)
    check(none.returncode, 0)
    check("--confirms" in none.stderr and "the newest block is 700" in none.stderr, True, none.stderr)
    check("why_none" in json.loads(folder.run("index", "--db", database, "--json").stdout), True)
    made = folder.run("index", "--db", database, "--section", 128, "--confirms", 32, "--kind", "both", "--json")
    facts = json.loads(made.stdout)
    check((made.returncode, facts["bloombits"]["sections_made"], facts["adaptive"]["sections_made"], facts["section_size"]),
          (0, 5, 5, 128), made.stderr)
    check(folder.run("index", "--db", database, "--section", 64).returncode, 2)
    expected = folder.logs(database).stdout
    check(json.loads(folder.run("index", "--db", database, "--drop", "--json").stdout), {"dropped": ["bloombits", "adaptive"]})
    check(folder.logs(database).stdout, expected)
    check(json.loads(folder.run("index", "--db", database, "--section", 64, "--confirms", 0, "--json").stdout)
          ["adaptive"]["sections_made"], 10)
    check(folder.run("verify", "--db", database).returncode, 0)
    check(folder.logs(database).stdout, expected)


def test(command):
    for part in (killed_at_any_moment, killed_while_indexing, import_indexes, full_disk, altered_log, cut_log, two_programs, left_by_a_kill, filters_of_one_client,
                 index_options):
        with tempfile.TemporaryDirectory(prefix="bloomery-crash-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as name:
            began = time.monotonic()
            part(Folder(command, name))
            print(f"{part.__name__}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    harness.main(test)
