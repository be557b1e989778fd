#!/usr/bin/env python3
"""The scripts between markers in docs/slices.md, each in a folder of its own: what their parts hold is what one process makes.

usage: slices_recipes.py BLOOMERY recipes|parallel

With `parallel` those that need GNU parallel, with `recipes` the others. Scripts for Slurm and Spark are run once for each part.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from slices import KEYS, Slices  # noqa: E402  (beside this file)

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/slices.md"
SKIP = 77


def scripts():
    found = dict(re.findall(r"<!-- test: (\w+) -->\n+```sh\n(.*?)```", PAGE.read_text(), re.S))
    wanted = {"xargs", "parallel", "repair", "slurm", "spark", "dedup_xargs", "dedup_parallel", "dedup_slurm", "dedup_spark"}
    assert set(found) == wanted, f"docs/slices.md marks {sorted(found)}, and this test knows {sorted(wanted)}"
    return found


def check_filter(slices, name="seen.bloomset"):
    """The parts, joined, are the filter of one process, byte by byte."""
    slices.run("join", "-qF", "-o", "joined.bloom", name)
    slices.run("build", "-qF", "-o", "single.bloom", "-n", KEYS, "-p", "1%", "urls.txt")
    assert slices.bytes("joined.bloom") == slices.bytes("single.bloom"), "the parts are not the filter of one process"
    assert int(slices.run("query", "-c", name, "urls.txt").out) == len(slices.bytes("urls.txt").splitlines())


def check_records(slices, name="once.txt"):
    """The parts keep together what one process keeps."""
    single = slices.run("dedup", "-q", "-n", KEYS, "urls.txt").out.splitlines()
    kept = slices.bytes(name).splitlines()
    distinct = len(set(slices.bytes("urls.txt").splitlines()))
    assert sorted(kept) == sorted(single), f"the parts keep {len(kept)} records, one process keeps {len(single)}"
    assert 0.999 * distinct < len(kept) <= distinct < KEYS, (len(kept), distinct)


def smaller(script, folder):
    """A script for a cluster, with the size and the folder of this test."""
    assert "-n 1e9" in script, script
    return script.replace("-n 1e9", f"-n {KEYS}").replace("/shared/", f"{folder}/")


def once_for_each_part(slices, script, number):
    """Runs the script for parts 0 to 63, as the cluster would; what they print, one after the other."""
    (slices.folder / "script").write_text(smaller(script, slices.folder))
    return slices.shell(f"for i in $(seq 0 63); do {number}; done")


def slurm(slices, script):
    return once_for_each_part(slices, script, "SLURM_ARRAY_TASK_ID=$i bash -eu script")


def spark(slices, script):
    return once_for_each_part(slices, script, "echo $i | sh -eu script")


def route_and_join(slices, run, script):
    slices.run("split", "-q", "--parts", 64, "-n", KEYS, "-p", "1%", "-o", "routed", "urls.txt")
    run(slices, script)
    slices.shell("bloomery join -q --manifest -o seen.bloomset seen.*-of-64.bloom")
    check_filter(slices)


def plain(slices, script):
    slices.shell(script)
    check_filter(slices)


def again(slices, script):
    """A second run builds what is missing, and nothing else."""
    plain(slices, script)
    (slices.folder / "seen.3-of-8.bloom").unlink()
    others = (slices.folder / "seen.4-of-8.bloom").stat()
    plain(slices, script)
    assert (slices.folder / "seen.4-of-8.bloom").stat() == others


def dedup(slices, script):
    slices.shell(script)
    check_records(slices)


def dedup_slurm(slices, script):
    slurm(slices, script)
    slices.shell("cat once.?? > once.txt")
    check_records(slices)


def dedup_spark(slices, script):
    (slices.folder / "once.txt").write_bytes(spark(slices, script))
    check_records(slices)


RUN = {
    "xargs": plain, "repair": plain, "dedup_xargs": dedup,
    "slurm": lambda slices, script: route_and_join(slices, slurm, script),
    "spark": lambda slices, script: route_and_join(slices, spark, script),
    "dedup_slurm": dedup_slurm, "dedup_spark": dedup_spark,
    "parallel": again, "dedup_parallel": dedup,
}


def is_gnu_parallel():
    """The moreutils have another command of this name."""
    if shutil.which("parallel") is None:
        return False
    said = subprocess.run(["parallel", "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    return said.startswith("GNU parallel")


def main():
    bloomery, with_parallel = os.path.abspath(sys.argv[1]), sys.argv[2] == "parallel"
    if with_parallel and not is_gnu_parallel():
        print("skipped: GNU parallel is not installed (Debian: parallel)")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIP)
    chosen = {name: script for name, script in scripts().items() if ("parallel" in name) == with_parallel}
    assert chosen
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bloomery-recipes-"))
    source = random.Random(3)
    try:
        for name, script in chosen.items():
            work = Slices(bloomery, folder / name)
            work.folder.mkdir()
            repeats = "dedup" in name
            work.write("urls.txt", (f"https://example.com/{source.randrange(KEYS) if repeats else i}"
                                    for i in range(KEYS * (2 if repeats else 1))))
            RUN[name](work, script)
            print(f"{name}: as one process")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
