"""dedup --checkpoint is killed at random moments and goes on: the result is that of a run without interruption.

usage: dedup_resume.py PROGRAM [KILLS]     10 kills, or 100 with BLOOMERY_FULL=1
Plain and compressed input, one thread and two, a growing filter and one that existed before, plain and compressed
output, records and bytes as interval; the file of --dupes and the saved filter are compared too. Then what must be
refused: a changed input, other options, a changed filter, a damaged checkpoint.
"""
import hashlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 100 if os.environ.get("BLOOMERY_FULL") == "1" else 10
RECORDS = 120_000


def run(folder, *arguments, check=True):
    done = subprocess.run([PROGRAM, "dedup", "-q", *arguments], cwd=folder, capture_output=True, text=True)
    assert not check or done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done


def content(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout
    if path.suffix == ".gz":
        return subprocess.run(["gzip", "-dc", path], capture_output=True, check=True).stdout
    return path.read_bytes()


def digest(path):
    return hashlib.sha256(content(path)).hexdigest()


def make_input(folder, source):
    lines = "".join(f"{source.randrange(RECORDS * 2 // 3)} {'x' * source.randrange(40)}\n" for _ in range(RECORDS))
    middle = lines.index("\n", len(lines) // 2) + 1
    (folder / "a.txt").write_text(lines[:middle])
    (folder / "b.txt").write_text(lines[middle:-1])  # the last record lacks its delimiter
    subprocess.run(["zstd", "-q", "a.txt"], cwd=folder, check=True)
    subprocess.run(["gzip", "-k", "b.txt"], cwd=folder, check=True)
    run(folder, "-n", "200k", "--save", "old.bloom", "-o", "ignored.txt", "-f", "1", "-t", " ", "b.txt")
    (folder / "ignored.txt").unlink()


CASES = [
    # inputs, name of the output, options; "old" starts from a filter that exists
    (["a.txt", "b.txt"], "o.txt", ["--checkpoint", "5k"]),
    (["a.txt", "b.txt"], "o.txt", ["--checkpoint", "100kB", "-j2", "--dupes", "d.txt"]),
    (["a.txt.zst", "b.txt.gz"], "o.zst", ["--checkpoint", "7k", "-j2", "--dupes", "d.gz", "-f", "1", "-t", " "]),
    (["a.txt", "b.txt"], "o.gz", ["--checkpoint", "10k", "-n", "200k", "--mark"]),
    (["a.txt", "b.txt"], "o.txt", ["--checkpoint", "6k", "-j4", "-n", "200k", "-d"]),
    (["a.txt", "b.txt"], "o.txt", ["--checkpoint", "0.006m", "-f", "1", "-t", " ", "old"]),
]


def inode_of(path):
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def wait_for_checkpoint(process, path):
    """Until the state was written once more: the next run goes on from there, and the one after that from its own."""
    before = inode_of(path)
    while process.poll() is None and inode_of(path) in (None, before):
        time.sleep(0.0005)
    if process.poll() is None:
        raise subprocess.TimeoutExpired(process.args, 0)


def killed_runs(folder, case, source, kills):
    inputs, name, options = case
    old = "old" in options
    options = [option for option in options if option != "old"]
    for path in folder.glob("*"):
        if path.name in (name, name + ".partial", "s.bloom", "d.txt", "d.txt.partial", "d.gz", "d.gz.partial", name + ".checkpoint"):
            path.unlink()
    without = [option for i, option in enumerate(options)
               if option != "--checkpoint" and (i == 0 or options[i - 1] != "--checkpoint")]
    if old:
        (folder / "s.bloom").write_bytes((folder / "old.bloom").read_bytes())
    begin = time.monotonic()
    run(folder, "--save", "s.bloom", "-o", name, *without, *inputs)
    length = time.monotonic() - begin
    wanted = {kind: digest(folder / kind) for kind in (name, "s.bloom", "d.txt", "d.gz") if (folder / kind).exists()}
    for kind in wanted:
        (folder / kind).unlink()
    if old:
        (folder / "s.bloom").write_bytes((folder / "old.bloom").read_bytes())
    command = [PROGRAM, "dedup", "--save", "s.bloom", "-o", name, *options, *inputs]
    killed = went_on = finished = 0
    for number in range(kills):
        process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE)
        try:
            if number % 3 == 2:
                process.wait(source.uniform(0, length * 1.3))
            else:
                wait_for_checkpoint(process, folder / (name + ".checkpoint"))
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        complaint = process.communicate()[1].decode()
        if process.returncode == 0:
            finished += 1
            break
        assert process.returncode == -9, (case, process.returncode, complaint)
        went_on += (folder / (name + ".checkpoint")).exists()
    if finished == 0:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, (case, done.stderr)
        complaint = done.stderr
    # Records that were read twice would be dropped as repeats of themselves, and show in the counts only.
    assert f"bloomery: {RECORDS:,} records in" in complaint, (case, complaint)
    found = {kind: digest(folder / kind) for kind in wanted}
    assert found == wanted, f"{case}: another output after {killed} kills: {found} {wanted}"
    left = [path.name for path in folder.glob("*") if path.suffix in (".partial", ".checkpoint")]
    assert not left, left
    return killed, went_on


def interrupted(folder, options=()):
    """A checkpoint of an unfinished run, made without a race: the last record is no key."""
    for path in folder.glob("o.txt*"):
        path.unlink()
    (folder / "s.bloom").unlink(missing_ok=True)
    done = run(folder, "--save", "s.bloom", "-o", "o.txt", "--checkpoint", "1k", "--hex", *options, "hex.txt", check=False)
    assert done.returncode == 2 and "hex.txt: record" in done.stderr, done
    assert (folder / "o.txt.checkpoint").exists() and (folder / "o.txt.partial").exists()


def refusals(folder):
    lines = "".join(f"{i:08x}\n" for i in range(60_000))
    path = folder / "hex.txt"
    path.write_text(lines + "no number\n")

    def refused(sentence, *arguments):
        done = run(folder, *arguments, check=False)
        assert done.returncode == (3 if "damaged" in sentence else 2) and sentence in done.stderr, (sentence, done)

    again = ["--save", "s.bloom", "-o", "o.txt", "--checkpoint", "1k", "--hex", "hex.txt"]
    interrupted(folder)
    refused("hex.txt: record 60001 (byte 1 of the record):", *again)  # it goes on, and counts records from the start of the file
    refused("an earlier run is not finished", "-o", "o.txt", "--hex", "hex.txt")
    refused("had other options", *again[:-2], "hex.txt")
    refused("files, and now 2 are given", *again, "a.txt")
    (folder / "s.bloom").write_bytes((folder / "old.bloom").read_bytes())
    refused("s.bloom changed since the unfinished run began", *again)
    (folder / "s.bloom").unlink()
    with path.open("a") as file:
        file.write("12\n")
    refused("hex.txt changed since the unfinished run read it", *again)
    interrupted(folder)
    state = folder / "o.txt.checkpoint"
    whole = state.read_bytes()
    for damaged in (whole[:-1], whole[:100], b"", whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]):
        state.write_bytes(damaged)
        refused("o.txt.checkpoint: the checkpoint is damaged", *again)
    state.write_bytes(whole)
    os.truncate(folder / "o.txt.partial", 10)
    refused("it is missing or shorter", *again)
    path.write_text(lines)
    state.unlink()
    run(folder, *again)
    assert (folder / "o.txt").read_text() == lines


def unfinished_ends(folder):
    """All records are printed and the state says so, but the run ended before it saved: --strict refuses to."""
    strict = ["--save", "s.bloom", "-o", "end.txt", "--checkpoint", "1k", "-n", "10k", "--strict", "a.txt"]
    for step in ("first", "again", "renamed"):
        if step == "renamed":  # a kill after the rename and before the save leaves this
            (folder / "end.txt.partial").rename(folder / "end.txt")
        done = run(folder, *strict, check=False)
        assert done.returncode == 4, (step, done)
        assert (folder / "end.txt.checkpoint").exists() and not (folder / "s.bloom").exists(), step
        assert (folder / "end.txt.partial").exists() == (step != "renamed"), step
    (folder / "end.txt.checkpoint").unlink()


def main():
    source = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_input(folder, source)
        refusals(folder)
        (folder / "s.bloom").unlink()
        unfinished_ends(folder)
        for path in ("hex.txt", "o.txt", "end.txt"):
            (folder / path).unlink()
        killed = went_on = 0
        turn = 0
        while killed < KILLS or turn < len(CASES):
            counts = killed_runs(folder, CASES[turn % len(CASES)], source, max(3, KILLS // 15))
            killed += counts[0]
            went_on += counts[1]
            turn += 1
        print(f"dedup_resume: {killed} kills in {turn} runs, {went_on} left a checkpoint; every output was the same")
        assert went_on > 0


if __name__ == "__main__":
    main()
