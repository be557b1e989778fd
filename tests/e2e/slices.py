#!/usr/bin/env python3
"""A filter in parts, from end to end: eight processes build and deduplicate what one process does, byte by byte or as a
set, each in about an eighth of the memory; lost, stale and foreign parts are named.

usage: slices.py BLOOMERY
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

PARTS = 8
KEYS = 200_000


class Run:
    def __init__(self, done, peak):
        self.code, self.out, self.err, self.peak = done.returncode, done.stdout, done.stderr.decode(), peak


class Slices:
    def __init__(self, bloomery, folder):
        self.bloomery, self.folder = bloomery, folder

    def run(self, *words, code=0, data=None):
        done = subprocess.run([self.bloomery, *map(str, words)], cwd=self.folder, input=data, capture_output=True, check=False)
        assert done.returncode == code, f"{words}: {done.returncode}: {done.stderr.decode()}"
        return Run(done, 0)

    def peak(self, *words):
        """The largest resident memory of a run, in KiB."""
        # A process begins with the peak of the one that forked it, so that must be a small one.
        script = ("import os, sys; code = os.waitstatus_to_exitcode(os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)[1]);"
                  "import resource; print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run([sys.executable, "-S", "-c", script, self.bloomery, *map(str, words), "-o", "measured"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        code, peak = map(int, done.stdout.split())
        assert code == 0, words
        return peak

    def write(self, name, lines):
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines))

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def shell(self, script):
        environment = dict(os.environ, PATH=f"{pathlib.Path(self.bloomery).resolve().parent}:{os.environ['PATH']}")
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder, env=environment, capture_output=True,
                              check=False)
        assert done.returncode == 0, f"{script}: {done.stderr.decode()}"
        return done.stdout

    def parts(self, name, parts=PARTS):
        return [f"{name}.{i:0{len(str(parts))}}-of-{parts}" for i in range(parts)]


def rate_is_kept(slices, filter_name, rate):
    """The rate, not only false negatives: routed by place into ordinary filters, 99 % would be answered maybe."""
    count = int(slices.run("query", "-c", filter_name, "absent.txt", code=0).out)
    assert 0.3 * rate < count / KEYS < 1.5 * rate, f"{filter_name}: {count} of {KEYS} absent keys may be contained"
    assert int(slices.run("query", "-c", filter_name, "keys.txt").out) == KEYS
    return count


def build(slices, name, options, rate, whole_is_equal=True):
    slices.run("build", "-q", "-o", f"{name}-whole.bloom", "-n", KEYS, *options, "keys.txt")
    for i, part in enumerate(slices.parts(name)):
        slices.run("build", "-q", "--part", f"{i}/{PARTS}", "-n", KEYS, *options, "-o", f"{part}.bloom", "keys.txt")
    files = [f"{part}.bloom" for part in slices.parts(name)]
    slices.run("join", "-q", "--manifest", "-o", f"{name}.bloomset", *files)
    slices.run("join", "-q", "-o", f"{name}.bloom", f"{name}.bloomset")
    slices.run("join", "-q", "-o", f"{name}-of-files.bloom", *reversed(files))
    assert slices.bytes(f"{name}.bloom") == slices.bytes(f"{name}-of-files.bloom")
    joined, whole = slices.bytes(f"{name}.bloom"), slices.bytes(f"{name}-whole.bloom")
    if whole_is_equal:
        assert joined == whole, f"{name}: the parts are not the filter of one process"
    else:  # with several lines per key no part can count the keys: bytes 72 to 79, and the checksum of the header
        assert joined[:72] + joined[80:120] + joined[128:] == whole[:72] + whole[80:120] + whole[128:]
    assert rate_is_kept(slices, f"{name}.bloomset", rate) == rate_is_kept(slices, f"{name}-whole.bloom", rate)
    slices.run("verify", f"{name}.bloomset")
    slices.run("inspect", "--strict", f"{name}.bloomset")
    assert b"equal" in slices.run("compare", f"{name}.bloomset", f"{name}.bloom").out


def routed(slices):
    """split sends each record to the part that its key belongs to, and nothing else has to read it."""
    slices.run("split", "-q", "--parts", PARTS, "-n", KEYS, "-p", "1%", "-o", "routed", "keys.txt")
    names = slices.parts("records")
    lines = [slices.bytes(f"routed/{name}").splitlines() for name in names]
    assert sorted(line for some in lines for line in some) == sorted(slices.bytes("keys.txt").splitlines())
    assert max(map(len, lines)) < 1.1 * KEYS / PARTS
    for i, name in enumerate(names):
        slices.run("build", "-q", "--part", f"{i}/{PARTS}", "-n", KEYS, "-p", "1%", "-o", f"routed/{name}.bloom", f"routed/{name}")
        assert slices.bytes(f"routed/{name}.bloom") == slices.bytes(f"block.{i}-of-{PARTS}.bloom")
    assert not list((slices.folder / "routed").glob("*.partial"))
    slices.run("split", "-q", "--parts", PARTS, "-n", KEYS, "-o", "routed", "keys.txt", code=2)  # the files are there


def cut(slices):
    slices.run("split", "-q", "--parts", 5, "--filter", "block-whole.bloom", "-o", "cut")
    slices.run("join", "-q", "-o", "again.bloom", "cut/block-whole.bloomset")
    assert slices.bytes("again.bloom") == slices.bytes("block-whole.bloom")


def faults(slices):
    folder = slices.folder / "faults"
    folder.mkdir()
    for path in slices.folder.glob(f"block.*-of-{PARTS}.bloom"):
        shutil.copy(path, folder)
    shutil.copy(slices.folder / "block.bloomset", folder)
    third = folder / f"block.3-of-{PARTS}.bloom"
    good = third.read_bytes()
    named = f"part 3 of {PARTS} (block.3-of-{PARTS}.bloom)"

    def refused(*words, code=3):
        run = slices.run(*words, code=code)
        assert named in run.err, run.err

    third.unlink()
    for words in (["query", "-c", "faults/block.bloomset", "keys.txt"], ["inspect", "faults/block.bloomset"],
                  ["verify", "faults/block.bloomset"], ["join", "-o", "x.bloom", "faults/block.bloomset"],
                  ["dedup", "-q", "--against", "faults/block.bloomset", "keys.txt"]):
        refused(*words, code=2)
    assert not (slices.folder / "x.bloom").exists()
    # Keys of other parts are answered.
    others = slices.bytes(f"routed/records.1-of-{PARTS}")
    assert slices.run("query", "-c", "faults/block.bloomset", data=others).out.strip() == b"%d" % others.count(b"\n")
    third.write_bytes(good[:-1])
    refused("query", "-c", "faults/block.bloomset", "keys.txt")
    for damaged in (good[:500] + bytes([good[500] ^ 1]) + good[501:], good[:4096] + bytes(4096) + good[8192:]):
        third.write_bytes(damaged)
        for words in (["verify"], ["query", "-c"], ["inspect"], ["dedup", "-q", "--against"], ["join", "-o", "x.bloom"]):
            refused(*words, "faults/block.bloomset", *(["keys.txt"] if words[0] in ("query", "dedup") else []))
        run = slices.run("join", "--manifest", "-o", "faults/x.bloomset", *sorted(f"faults/{p.name}" for p in folder.glob("*.bloom")),
                         code=3)
        assert "block.3-of-8.bloom: the body checksum" in run.err and not (folder / "x.bloomset").exists(), run.err
    third.unlink()
    os.mkfifo(third)
    refused("query", "-c", "faults/block.bloomset", "keys.txt", code=2)
    third.unlink()
    third.write_bytes(good)
    slices.run("verify", "faults/block.bloomset")
    # Rebuilt from other records: newer than the manifest.
    slices.run("build", "-qF", "--part", f"3/{PARTS}", "-n", KEYS, "-p", "1%", "-o", third, "absent.txt")
    refused("query", "-c", "faults/block.bloomset", "keys.txt")
    # The part alone is repaired, and the manifest stays right.
    slices.run("build", "-qF", "--part", f"3/{PARTS}", "-n", KEYS, "-p", "1%", "-o", third, "keys.txt")
    slices.run("verify", "faults/block.bloomset")
    # A part is no filter, a manifest takes no keys, and parts of different filters do not join.
    run = slices.run("query", third, "keys.txt", code=3)
    assert f"this is part 3 of {PARTS} of a filter" in run.err, run.err
    slices.run("add", "faults/block.bloomset", "keys.txt", code=2)
    slices.run("dedup", "--save", "faults/block.bloomset", "keys.txt", code=2)
    slices.run("build", "-qF", "--part", f"3/{PARTS}", "-n", 2 * KEYS, "-p", "1%", "-o", third, "keys.txt")
    run = slices.run("join", "-o", "x.bloom", *sorted(f"faults/{p.name}" for p in folder.glob("*.bloom")), code=2)
    assert "block.3-of-8.bloom: it is a part of another filter" in run.err, run.err
    text = (folder / "block.bloomset").read_text()
    (folder / "block.bloomset").write_text(text.replace("0.01", "0.02"))
    run = slices.run("query", "-c", "faults/block.bloomset", "keys.txt", code=3)
    assert "checksum of the manifest" in run.err, run.err


def truncated_meanwhile(slices):
    """A part that is cut within its last page while it is in use reads zeros there: no exit 0 or 1 may say "absent"."""
    folder = slices.folder / "meanwhile"
    folder.mkdir()
    for path in [*slices.folder.glob(f"block.*-of-{PARTS}.bloom"), slices.folder / "block.bloomset"]:
        shutil.copy(path, folder)
    lines = slices.bytes("keys.txt")
    part = folder / f"block.3-of-{PARTS}.bloom"
    whole = part.read_bytes()
    for words in (["query", "--label", "meanwhile/block.bloomset"], ["dedup", "--against", "meanwhile/block.bloomset"]):
        part.write_bytes(whole)
        source, sink = os.pipe()
        with subprocess.Popen([slices.bloomery, *words], cwd=slices.folder, stdin=source, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as run:
            os.close(source)
            with open(sink, "wb", buffering=0) as out:
                for at in range(0, len(lines), 65536):  # more than the pipe and the queue hold: all parts are open
                    out.write(lines[at:at + 65536])
                while f"{part.name}\n" not in pathlib.Path(f"/proc/{run.pid}/maps").read_text():
                    time.sleep(0.01)
                os.truncate(part, len(whole) - 1)
            error = run.stderr.read().decode()
        assert run.returncode == 2 and "was truncated" in error, (words, run.returncode, error)


def two_writers(slices):
    """Both write the same part: the file is one of the two, whole."""
    command = [slices.bloomery, "build", "-qF", "--part", f"2/{PARTS}", "-n", str(KEYS), "-p", "1%", "-o", "written.bloom", "keys.txt"]
    both = [subprocess.Popen(command, cwd=slices.folder) for _ in range(2)]
    assert 0 in [process.wait() for process in both]
    assert slices.bytes("written.bloom") == slices.bytes(f"block.2-of-{PARTS}.bloom")
    # Into one folder: one of them writes, and the other says so or comes after it.
    command = [slices.bloomery, "split", "-qF", "--parts", str(PARTS), "-n", str(KEYS), "-p", "1%", "-o", "both", "keys.txt"]
    both = [subprocess.Popen(command, cwd=slices.folder, stderr=subprocess.DEVNULL) for _ in range(3)]
    codes = [process.wait() for process in both]
    assert 0 in codes and set(codes) <= {0, 2}, codes
    for name in slices.parts("records"):
        assert slices.bytes(f"both/{name}") == slices.bytes(f"routed/{name}")


def merged(slices):
    """Four filters of different keys become one, by pairs; and the same part of four."""
    lines = slices.bytes("keys.txt").splitlines(keepends=True)
    for i in range(4):
        (slices.folder / f"quarter{i}.txt").write_bytes(b"".join(lines[i::4]))
        slices.run("build", "-q", "-n", KEYS, "-p", "1%", "-o", f"quarter{i}.bloom", f"quarter{i}.txt")
        slices.run("build", "-q", "--part", f"5/{PARTS}", "-n", KEYS, "-p", "1%", "-o", f"quarter{i}.part", f"quarter{i}.txt")
    quarters = [f"quarter{i}.bloom" for i in range(4)]
    slices.run("merge", "-q", "--tree", "-j", 4, "-o", "tree.bloom", *quarters)
    slices.run("merge", "-q", "-o", "chain.bloom", *quarters)
    assert slices.bytes("tree.bloom") == slices.bytes("chain.bloom")
    assert slices.bytes("tree.bloom")[128:] == slices.bytes("block-whole.bloom")[128:]
    slices.run("merge", "-q", "-o", "merged.part", *[f"quarter{i}.part" for i in range(4)])
    assert slices.bytes("merged.part")[128:] == slices.bytes(f"block.5-of-{PARTS}.bloom")[128:]
    run = slices.run("merge", "-q", "-o", "wrong.part", "quarter0.part", f"block.4-of-{PARTS}.bloom", code=3)
    assert "merges only with the same part" in run.err, run.err


def deduplicated(slices):
    source = random.Random(3)
    keys = slices.bytes("keys.txt").decode().splitlines()
    slices.write("repeats.txt", [source.choice(keys) for _ in range(2 * KEYS)])
    for options in (["-p", "1%"], ["-p", "0.01%"], []):
        whole = slices.run("dedup", "-q", "-n", KEYS, *options, "repeats.txt").out.splitlines()
        union = []
        for i in range(PARTS):
            union += slices.run("dedup", "-q", "--part", f"{i}/{PARTS}", "-n", KEYS, *options, "repeats.txt").out.splitlines()
        assert len(union) == len(set(union)) and set(union) == set(whole), f"{options}: {len(union)} and {len(whole)} records"
    distinct = len(set(slices.bytes("repeats.txt").splitlines()))
    assert distinct * 0.999 < len(whole) <= distinct  # the rate: a wrong filter would drop most
    known = slices.run("dedup", "-q", "-c", "--against", "block.bloomset", "absent.txt").out
    assert 0.97 * KEYS < int(known) <= KEYS
    slices.run("dedup", "--part", "0/8", "repeats.txt", code=2)  # without the number of keys of all parts
    slices.run("dedup", "--part", "0/8", "-n", "1000", "--exact", "repeats.txt", code=2)
    slices.run("dedup", "--part", "0/8", "-n", "1000", "--layout", "lines", "repeats.txt", code=2)
    slices.run("build", "--part", "0/8", "-n", "1000", "--layout", "classic", "-o", "x", "keys.txt", code=2)


def memory(slices):
    """A filter of 128 MB takes eight processes of about 16 MB each."""
    large = ["-n", "100M", "-p", "1%"]
    idle = slices.peak("build", "-qF", "-n", 1000, "keys.txt")
    whole = slices.peak("build", "-qF", *large, "keys.txt") - idle
    part = slices.peak("build", "-qF", "--part", "0/8", *large, "keys.txt") - idle
    single = slices.peak("dedup", "-q", "--force", *large, "keys.txt") - idle
    own = slices.peak("dedup", "-q", "--force", "--part", "0/8", *large, "keys.txt") - idle
    print(f"peak memory above an idle run: build {whole} KiB, one of 8 parts {part} KiB; "
          f"dedup {single} KiB, one of 8 parts {own} KiB")
    assert whole > 100_000 and part < whole / 6 and own < single / 5, "a part takes more than its share"


def main():
    slices = Slices(os.path.abspath(sys.argv[1]), pathlib.Path(tempfile.mkdtemp(prefix="bloomery-slices-")))
    try:
        slices.write("keys.txt", (f"https://example.com/{i}" for i in range(KEYS)))
        slices.write("absent.txt", (f"https://example.org/{i}" for i in range(KEYS)))
        build(slices, "block", ["-p", "1%"], 0.01)
        build(slices, "seeded", ["-p", "1%", "--seeded"], 0.01)
        build(slices, "lines", ["-p", "1/5000", "--layout", "lines"], 1 / 5000, whole_is_equal=False)
        routed(slices)
        cut(slices)
        faults(slices)
        truncated_meanwhile(slices)
        two_writers(slices)
        merged(slices)
        deduplicated(slices)
        memory(slices)
    finally:
        shutil.rmtree(slices.folder)


if __name__ == "__main__":
    main()
