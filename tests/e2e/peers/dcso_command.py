"""The `bloom` command of DCSO beside ours: lines as keys, gzip, user data, insertion and join."""

import gzip
import shutil

from checks import compare, same_bytes
from key_sets import COUNT, line_records
from programs import Failure, run

SIZING = ["-n", COUNT, "-p", "0.01"]
FORMAT = ["--format", "dcso"]


def ask_command(*flags):
    def ask(paths, records):
        found = [set(run(["bloom", *flags, "check", path], records).split(b"\n")[:-1]) for path in paths]
        return [[record in lines for record in records] for lines in found]

    return ask


def plain(bloomery, folder, keys):
    theirs, ours = folder / "lines.peer", folder / "lines.bloomery"
    run(["bloom", "create", *SIZING, theirs], keys[0])
    bloomery.build(ours, keys[0], *SIZING, *FORMAT)
    same_bytes("dcso", theirs, ours)
    compare("dcso", bloomery, ask_command(), theirs, ours, keys, FORMAT)
    return theirs, ours


def zipped(bloomery, folder, keys, ours):
    theirs, ours_zipped = folder / "lines.peer.gz", folder / "lines.bloomery.gz"
    run(["bloom", "--gzip", "create", *SIZING, theirs], keys[0])
    if gzip.decompress(theirs.read_bytes()) != ours.read_bytes():
        raise Failure(f"dcso gzip: {theirs} does not unpack to {ours}")
    ours_zipped.write_bytes(gzip.compress(ours.read_bytes()))
    compare("dcso gzip", bloomery, ask_command("--gzip"), theirs, ours_zipped, keys, FORMAT)


def user_data(bloomery, folder, keys):
    """Both sides keep the data when they add more keys."""
    theirs, ours = folder / "data.peer", folder / "data.bloomery"
    data, half = "kept beside the filter\n", COUNT // 2
    run(["bloom", "create", *SIZING, theirs], keys[0][:half])
    run(["bloom", "set-data", theirs], [data.encode().rstrip(b"\n")])
    bloomery.build(ours, keys[0][:half], "--data", data, *SIZING, *FORMAT)
    same_bytes("dcso data", theirs, ours)
    if run(["bloom", "get-data", ours]) != data.encode():
        raise Failure(f"dcso data: `bloom get-data {ours}` does not print {data!r}")
    run(["bloom", "insert", theirs], keys[0][half:])
    bloomery.add(ours, keys[0][half:], *FORMAT)
    same_bytes("dcso data and insert", theirs, ours)
    compare("dcso data and insert", bloomery, ask_command(), theirs, ours, keys, FORMAT)


def join(bloomery, folder, keys):
    """`bloom join A B` rewrites A; its count of keys is the sum."""
    halves = [folder / "half.first", folder / "half.second"]
    for path, records in zip(halves, (keys[0][::2], keys[0][1::2])):
        run(["bloom", "create", *SIZING, path], records)
    theirs, ours = folder / "join.peer", folder / "join.bloomery"
    shutil.copy(halves[0], theirs)
    run(["bloom", "join", theirs, halves[1]])
    bloomery.merge(ours, *halves)
    same_bytes("dcso join", theirs, ours)
    compare("dcso join", bloomery, ask_command(), theirs, ours, keys, FORMAT)


def check_command(bloomery, folder):
    keys = line_records()
    ours = plain(bloomery, folder, keys)[1]
    zipped(bloomery, folder, keys, ours)
    user_data(bloomery, folder, keys)
    join(bloomery, folder, keys)
