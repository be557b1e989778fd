"""The sweeps find what they are for: a small program that saves wrongly in each of several ways is caught in each.

usage: catches.py BAD_PROGRAM PRELOAD
"""
import os
import pathlib
import sys

os.environ["BLOOMERY_FULL"] = "1"  # every fault: there are few

import io_faults
import memory_faults
import power_loss
from file_commands import FileCommand
from harness import Sweep, Tools

OLD, NEW = "old " * 500, "new " * 600
GOOD = "right"
CAUGHT_BY = {
    io_faults.sweep_command: ["unchecked-write", "short-write", "in-place", "silent", "leftover"],
    memory_faults.sweep_command: ["unchecked-malloc", "lost-without-memory"],
    power_loss.sweep_command: ["no-sync", "in-place", "no-folder-sync"],
}


def prepare(tools, folder):
    (folder / "file").write_text(OLD)


def sweep_of(tools, sweep_command, mode):
    sweep = Sweep(f"{sweep_command.__module__}, {mode}", quiet=True)
    sweep_command(tools, FileCommand(mode, [mode, "file", NEW], prepare), sweep)
    sweep.close()
    return sweep


def main():
    tools = Tools(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    failed = 0
    for sweep_command, modes in CAUGHT_BY.items():
        for mode in [GOOD, *modes]:
            found = sweep_of(tools, sweep_command, mode).findings
            if bool(found) == (mode == GOOD):
                failed += 1
                print(f"FAILED: {sweep_command.__module__}, {mode}: {found or 'not caught'}")
    print(f"{sum(len(modes) for modes in CAUGHT_BY.values())} planted defects, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
