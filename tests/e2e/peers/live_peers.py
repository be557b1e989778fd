#!/usr/bin/env python3
"""Runs a real peer and the bloomery command side by side, on 10,000 keys that are in a filter and
10,000 that are not. For each filter: both write the same bytes, both read both files, and every
answer agrees, false positives included.

    live_peers.py PEER BLOOMERY BUILD_DIR    0 alike, 1 different, 77 the peer is not installed
    live_peers.py PEER --bench BUILD_DIR     measures the peer's own library: one line of JSON
"""

import pathlib
import shutil
import sys

import programs
from checks import both_ways, database
from dcso_command import check_command
from key_sets import COUNT, hex_records, integer_records, text_records
from programs import Bloomery, Failure, Missing

RATE = "0.01"
NUMBERS = (COUNT, RATE)
SIZING = ("-n", COUNT, "-p", RATE)
# Halfway between six and seven probes: Guava's older rule takes other numbers than its newer one.
UNLUCKY_RATE = "0.011048543456039806"


def check_guava(bloomery, program, folder):
    def check(what, keys, rate, funnel, strategy, name, *options):
        both_ways(what, bloomery, program, folder, keys, (COUNT, rate, funnel, strategy), (funnel,),
                  ("-n", COUNT, "-p", rate, "--guava-release", "31"), ("--format", name, *options))

    check("guava bytes", hex_records(), RATE, "bytes", 1, "guava", "--hex")
    check("guava bytes mitz32", hex_records(), RATE, "bytes", 0, "guava:mitz32", "--hex")
    check("guava i32", integer_records(32), RATE, "i32", 1, "guava", "--funnel", "i32")
    check("guava i64", integer_records(64), UNLUCKY_RATE, "i64", 1, "guava", "--funnel", "i64")
    check("guava utf16", text_records(), "0.03", "utf16", 1, "guava", "--funnel", "utf16")


def check_bits_and_blooms(bloomery, program, folder):
    keys = hex_records()
    for variant, name in (("binary", "bits-and-blooms"), ("json", "bits-and-blooms:json")):
        both_ways(name, bloomery, program, folder, keys, (*NUMBERS, variant), (variant,), SIZING,
                  ("--format", name, "--hex"))


def check_goleveldb(bloomery, program, folder):
    keys = hex_records()
    both_ways("goleveldb", bloomery, program, folder, keys, (*NUMBERS, "any"), ("any",),
              ("-n", COUNT, "--bits-per-key", 10), ("--format", "leveldb", "--hex"))
    database("goleveldb", bloomery, program, folder, keys)


def check_leveldb(bloomery, program, folder):
    keys = hex_records()
    both_ways("leveldb", bloomery, program, folder, keys, (), (),
              ("-n", COUNT, "--bits-per-key", 10), ("--format", "leveldb", "--hex"))
    database("leveldb", bloomery, program, folder, keys)


def check_dcso(bloomery, program, folder):
    both_ways("dcso library", bloomery, program, folder, hex_records(), (*NUMBERS, "any"), ("any",),
              SIZING, ("--format", "dcso", "--hex"))
    check_command(bloomery, folder)


PEERS = {
    "guava": (programs.guava, check_guava),
    "bits-and-blooms": (programs.bits_and_blooms, check_bits_and_blooms),
    "goleveldb": (programs.goleveldb, check_goleveldb),
    "leveldb": (programs.leveldb, check_leveldb),
    "dcso": (programs.dcso, check_dcso),
}


def main(arguments):
    if len(arguments) != 3 or arguments[0] not in PEERS:
        print(__doc__, "\nPEER is one of:", *PEERS, file=sys.stderr)
        return 2
    peer, command, build = arguments[0], arguments[1], pathlib.Path(arguments[2])
    folder = build / peer
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (build / "programs").mkdir(exist_ok=True)
    build_program, check = PEERS[peer]
    try:
        program = build_program(build)
        if command == "--bench":
            print(program.run("--bench").decode(), end="")
        else:
            check(Bloomery(command, folder), program, folder)
    except Missing as missing:
        print(f"{peer} is skipped: {missing}")
        return 77
    except Failure as failure:
        print(f"{peer}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
