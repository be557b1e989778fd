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


def logs(command, *arguments, code=0, **more):
    run = subprocess.run([command, "eth", "logs", "--event", EVENT, "-q", *map(str, arguments)], capture_output=True, text=True,
                         timeout=60, **more)
    check(run.returncode, code, f"{arguments}: {run.stderr}")
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
            if scheme == "ws":
                served.append(rest)
                last = int(json.loads(lines[-1])["block"]["number"], 16)
                while int(served.call("eth_blockNumber")["result"], 16) < last:
                    time.sleep(0.02)
            logs(command, *how)  # to the end
            logs(command, *how, code=1)  # and nothing is new
            wanted = now(command, "--from-rpc", url)
            check(applied(output.read_text().splitlines()), wanted, scheme)
        check(len(wanted) > 20, True)
        taken_back = sum('"removed":true' in line for line in output.read_text().splitlines())
        print(f"{2 * (KILLS // 2)} kills, {len(wanted)} logs, {taken_back} taken back over {scheme}")
        # What follows is at least once on stdout: the same set of logs.
        url = served.url
        state = folder / "stdout.state"
        first = logs(command, "--from-rpc", url, "--checkpoint", state).stdout.splitlines()
        check(applied(first), wanted)
        check(logs(command, "--from-rpc", url, "--checkpoint", state, code=1).stdout, "")


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
    check(applied(output.read_text().splitlines()), now(command, "--db", database))


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
        parts = parts_of_chain(random.Random(SEED))
        made = subprocess.run(["node", "token_chain.mjs", *parts], cwd=folder, capture_output=True, text=True, timeout=120)
        if made.returncode != 0:
            sys.exit(f"the generator failed:\n{made.stderr}")
        lines = made.stdout.splitlines(keepends=True)
        print(f"seed {SEED}: {' '.join(parts)}")
        test_server(command, folder, lines)
        test_folder(command, folder, lines)
        test_refusals(command, folder, lines)
        # The golden blocks are what the generator makes.
        made = subprocess.run(["node", "token_chain.mjs"], cwd=folder, capture_output=True, text=True, timeout=60, check=True)
        golden = pathlib.Path(__file__).resolve().parents[2] / "golden/ethereum/token_blocks.jsonl"
        check(made.stdout, golden.read_text())


main()
