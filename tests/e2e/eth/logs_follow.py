"""eth logs --follow and --checkpoint: a chain with reorganisations, read from a server and from a folder, by a command that is
killed again and again. The output has each log once, and in the end those of the chain."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Served, check, skip
from npm_packages import install  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parent / "node"
FULL = "BLOOMERY_FULL" in os.environ
KILLS = 200 if FULL else 30
SEED = int(os.environ.get("BLOOMERY_FOLLOW_SEED", "1"))
EVENT = "Transfer(address indexed from, address indexed to, uint256 value)"


def parts_of_chain(random_number):
    """Parts that replace up to 30 blocks each, and the number of the last block."""
    parts, last = ["0-40:0"], 40
    for salt in range(1, 25 if FULL else 12):
        first = last + 1 - random_number.choice([0, 0, 1, 2, 5, 30])
        last = max(last, first) + random_number.randrange(1, 12)
        parts.append(f"{first}-{last}:{salt}")
    return parts


def applied(lines):
    """The logs that a reader of the output has; each comes once, and is taken back only while it is there."""
    there = {}
    for line in lines:
        log = json.loads(line)
        key = (log["blockHash"], int(log["logIndex"], 16))
        if log.pop("removed"):
            check(there.pop(key, None), log, "taken back, and was not there as it is now")
        else:
            check(key in there, False, f"written twice: {key}")
            there[key] = log
    return sorted(there.values(), key=lambda log: (int(log["blockNumber"], 16), int(log["logIndex"], 16)))


def compare(found, wanted, what):
    """With a sentence that can be read."""
    different = [log for log in found if log not in wanted] + [log for log in wanted if log not in found]
    check((len(found), [(log["blockNumber"], log["logIndex"]) for log in different]), (len(wanted), []), what)
    check(found == wanted, True, f"{what}: the order differs")


def wait_for(served, line):
    """Until the server has this block as its newest."""
    wanted = json.loads(line)["block"]["hash"]
    deadline = time.monotonic() + 30
    while served.call("eth_getBlockByNumber", "latest", False)["result"]["hash"] != wanted:
        check(time.monotonic() < deadline, True, f"the server does not come to {wanted}")
        time.sleep(0.02)


def logs(command, *arguments, code=None, **more):
    """With any code for success, which is 1 where nothing was printed, unless one is wanted."""
    run = subprocess.run([command, "eth", "logs", "--event", EVENT, "-q", *map(str, arguments)], capture_output=True, text=True,
                         timeout=60, **more)
    check(run.returncode in (0, 1) if code is None else run.returncode == code, True, f"{arguments}: {run.returncode} {run.stderr}")
    return run


def now(command, *source):
    """The logs of the chain as it is."""
    found = [json.loads(line) for line in logs(command, *source).stdout.splitlines()]
    for log in found:
        check(log.pop("removed"), False)
    return found


def follow_and_kill(command, random_number, arguments, feed, kills):
    """Runs the command and kills it, again and again, while `feed` makes the chain grow by a step."""
    for _ in range(kills):
        process = subprocess.Popen([command, "eth", "logs", "--event", EVENT, "-q", *map(str, arguments)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(random_number.random() * 0.04)
        feed()
        time.sleep(random_number.random() * 0.06)
        process.send_signal(signal.SIGKILL)
        err = process.communicate()[1]
        check(process.returncode, -signal.SIGKILL, err)


def test_server(command, folder, lines):
    """From a server over both transports; a file with each log exactly once."""
    random_number = random.Random(SEED)
    with Served(command, source=write(folder, "start.jsonl", lines[:20])) as served:
        rest = lines[20:]

        def feed():
            count = max(1, len(lines) // KILLS)
            served.append(rest[:count])
            del rest[:count]

        for scheme in ["http", "ws"]:
            output, state = folder / f"{scheme}.jsonl", folder / f"{scheme}.state"
            url = f"{scheme}://127.0.0.1:{served.port}"
            how = ["--from-rpc", url, "--checkpoint", state, "-o", output]
            follow_and_kill(command, random_number, [*how, "--follow", "--poll", "0.02"], feed, KILLS // 2)
            # To the end, or until the chain is as long as it was: a shorter one may only be behind, and is waited for.
            heights = [int(json.loads(line)["block"]["number"], 16) for line in lines]
            while rest and (scheme == "ws" or heights[len(lines) - len(rest) - 1] < max(heights[:len(lines) - len(rest)])):
                served.append(rest[:1])
                del rest[:1]
            wait_for(served, lines[len(lines) - len(rest) - 1])
            logs(command, *how)  # to the end
            logs(command, *how, code=1)  # and nothing is new
            wanted = now(command, "--from-rpc", url)
            compare(applied(output.read_text().splitlines()), wanted, scheme)
        check(len(wanted) > 20, True)
        taken_back = sum('"removed":true' in line for line in output.read_text().splitlines())
        print(f"{2 * (KILLS // 2)} kills, {len(wanted)} logs, {taken_back} taken back over {scheme}")
        # What follows is at least once on stdout: the same set of logs.
        url = served.url
        state = folder / "stdout.state"
        first = logs(command, "--from-rpc", url, "--checkpoint", state).stdout.splitlines()
        compare(applied(first), wanted, "stdout")
        check(logs(command, "--from-rpc", url, "--checkpoint", state, code=1).stdout, "")


def test_reorganisation(command, folder, chain):
    """Live: first the logs that are taken back, the newest first, then those of the new blocks; and Ctrl-C is no error."""
    old, new = chain("0-20:0", "15-30:1")[:21], chain("0-20:0", "15-30:1")[21:]
    with Served(command, source=write(folder, "reorganised.jsonl", old)) as served:
        output = folder / "reorganised.out"
        follower = subprocess.Popen([command, "eth", "logs", "-q", "--from-rpc", f"ws://127.0.0.1:{served.port}", "--follow", "--poll",
                                     "0.02", "-o", str(output)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def written(count):
            deadline = time.monotonic() + 30
            while not output.exists() or output.read_text().count("\n") < count:
                check(time.monotonic() < deadline and follower.poll() is None, True, f"{count} logs are not written")
                time.sleep(0.01)
            return [json.loads(line) for line in output.read_text().splitlines()]

        def logs_in(some):
            return [log for line in some for receipt in json.loads(line)["receipts"] for log in receipt["logs"]]

        before = written(len(logs_in(old)))
        check(any(log["removed"] for log in before), False)
        served.append(new)
        wanted = [(log["blockHash"], log["logIndex"], True) for log in reversed(logs_in(old[15:]))]
        wanted += [(log["blockHash"], log["logIndex"], False) for log in logs_in(new)]
        after = written(len(before) + len(wanted))[len(before):]
        check([(log["blockHash"], log["logIndex"], log["removed"]) for log in after], wanted)
        follower.send_signal(signal.SIGINT)
        check(follower.wait(20), 0, "Ctrl-C")
        check(follower.communicate(), ("", ""))


def test_restart(command, folder, chain):
    """A server that goes away and comes back with another branch is waited for."""
    lines = chain("0-20:0", "18-25:1")
    database, output = str(folder / "restart"), folder / "restart.out"

    def grow(some):
        subprocess.run([command, "eth", "import", "-q", "--db", database, "-"], input="".join(some), text=True, check=True,
                       timeout=60)

    def serve(listen):
        server = subprocess.Popen([command, "eth", "serve", "--db", database, "--listen", listen], stdout=subprocess.PIPE, text=True)
        return server, server.stdout.readline().rpartition(":")[2].strip()

    def stop(server):
        server.send_signal(signal.SIGTERM)
        check(server.wait(30), 0)
        server.stdout.close()

    grow(lines[:21])
    server, port = serve("127.0.0.1:0")
    follower = subprocess.Popen([command, "eth", "logs", "--event", EVENT, "-q", "--from-rpc", f"http://127.0.0.1:{port}", "--follow",
                                 "--poll", "0.02", "-o", str(output)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wanted = now(command, "--from-rpc", f"http://127.0.0.1:{port}")
        wait_until(lambda: output.exists() and output.read_text().count("\n") == len(wanted), follower)
        stop(server)
        grow(lines[21:])
        server, _ = serve(f"127.0.0.1:{port}")
        wanted = now(command, "--from-rpc", f"http://127.0.0.1:{port}")
        wait_until(lambda: applied(whole_lines(output)) == wanted, follower)
        compare(applied(output.read_text().splitlines()), wanted, "restart")
        follower.send_signal(signal.SIGTERM)
        check((follower.wait(20), follower.communicate()), (0, ("", "")))
        stop(server)
    finally:
        for process in [follower, server]:
            if process.poll() is None:
                process.kill()
                process.wait()


def whole_lines(path):
    """Without one that is being written."""
    return path.read_text().rpartition("\n")[0].split("\n")


def wait_until(condition, follower):
    deadline = time.monotonic() + 30
    while not condition():
        check((time.monotonic() < deadline, follower.poll()), (True, None), "the follower does not come to the end")
        time.sleep(0.01)


def test_folder(command, folder, lines):
    """From a folder that imports change between the runs."""
    random_number = random.Random(SEED + 1)
    database, output, state = folder / "db", folder / "folder.jsonl", folder / "folder.state"
    how = ["--db", database, "--checkpoint", state, "-o", output]
    rest = list(lines)

    def grow():
        count = random_number.randrange(1, 12)
        subprocess.run([command, "eth", "import", "-q", "--db", str(database), "-"], input="".join(rest[:count]), text=True,
                       timeout=60, check=True, capture_output=True)
        del rest[:count]

    grow()
    while rest:
        follow_and_kill(command, random_number, [*how, "--follow", "--poll", "0.01"], lambda: None, 2)
        grow()
    logs(command, *how)
    compare(applied(output.read_text().splitlines()), now(command, "--db", database), "folder")


def test_refusals(command, folder, lines):
    """A checkpoint of another search, another chain, another output; one that is damaged."""
    database, output, state = folder / "one", folder / "refused.jsonl", folder / "refused.state"
    start = write(folder, "one.jsonl", lines[:30])
    subprocess.run([command, "eth", "import", "-q", "--db", str(database), str(start)], check=True, timeout=60)
    how = ["--db", database, "--checkpoint", state, "-o", output]
    logs(command, *how)
    whole = output.read_bytes()
    for arguments, code, sentence in [
            ([*how, "--address", "0x" + "11" * 20], 2, "the checkpoint belongs to another search"),
            (how[:4], 2, "output is a file; give it with --output"),
            ([*how, "--force"], 2, "--force would replace the output"),
            ([*how[:4], "-o", folder / "other.jsonl"], 2, "other.jsonl")]:
        error = logs(command, *arguments, code=code).stderr
        check(sentence in error, True, error)
    output.write_bytes(whole[:-1])
    check("it is shorter" in logs(command, *how, code=2).stderr, True)
    output.write_bytes(whole[:-1] + b" ")
    check("its bytes differ" in logs(command, *how, code=2).stderr, True)
    output.write_bytes(whole + b"half a li")  # of a run that was killed
    logs(command, *how, code=1)
    check(output.read_bytes(), whole)
    text = state.read_text()
    state.write_text(text.replace("Transfer", "transfer", 1))
    check("this is no checkpoint of bloomery eth logs, or a damaged one" in logs(command, *how, code=3).stderr, True)
    state.write_text(text)
    other = folder / "another"
    fork = write(folder, "another.jsonl", [line for line in lines if ":7" not in line][:1])
    subprocess.run([command, "eth", "import", "-q", "--db", str(other), "--chain-id", "5", str(fork)], check=True, timeout=60)
    check("belongs to chain 1, and this is chain 5" in logs(command, "--db", other, *how[2:], code=2).stderr, True)


def write(folder, name, lines):
    path = folder / name
    path.write_text("".join(lines))
    return path


def main():
    command = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="bloomery-follow-") as name:
        folder = pathlib.Path(name)
        install(PACKAGE, folder, skip)
        shutil.copy(PACKAGE / "token_chain.mjs", folder)

        def chain(*parts):
            made = subprocess.run(["node", "token_chain.mjs", *parts], cwd=folder, capture_output=True, text=True, timeout=120)
            if made.returncode != 0:
                sys.exit(f"the generator failed:\n{made.stderr}")
            return made.stdout.splitlines(keepends=True)

        parts = parts_of_chain(random.Random(SEED))
        lines = chain(*parts)
        print(f"seed {SEED}: {' '.join(parts)}")
        test_reorganisation(command, folder, chain)
        test_restart(command, folder, chain)
        test_server(command, folder, lines)
        test_folder(command, folder, lines)
        test_refusals(command, folder, lines)
        # The golden blocks are what the generator makes.
        golden = pathlib.Path(__file__).resolve().parents[2] / "golden/ethereum/token_blocks.jsonl"
        check("".join(chain()) == golden.read_text(), True, "the golden blocks are others")


main()
