"""The power goes after every file operation of a command, and what was not synced is lost, torn or reordered.

usage: power_loss.py PROGRAM PRELOAD MAPPED_WRITER [WORD...]     only the commands whose name has one of the words
Records a run, then builds every state that the disk may be in (replay.py) and reads it: the old content or the new one,
never a mixture that is answered from; and once the command has ended with 0, the new one.
"""
import pathlib
import sys

from chain_commands import CHAIN_COMMANDS
from file_commands import FILE_COMMANDS
from harness import FULL, STDOUT, Sweep, Tools, copy_folder, sample, with_words
from mapped_command import MappedCommand
from replay import Disk, digest, read_trace, write_tree
from track_commands import TRACK_COMMANDS

STATES_IN_SHORT_RUN = 16  # of one command; fewer where a state costs more to read
TRIES = 36 if FULL else 4  # random states at every moment, beside the systematic ones; fewer where they cost more


def record(tools, command, sweep):
    """The folder before the run, and what the run did to it."""
    name = command.name.replace(" ", "_")
    template, run = sweep.folder / name, sweep.folder / (name + ".run")
    template.mkdir()
    command.prepare(tools, template)
    copy_folder(template, run)
    copy_folder(template, sweep.folder / (name + ".learnt"))
    command.learn(tools, sweep.folder / (name + ".learnt"))
    disk = Disk(run, command.disk_model, STDOUT)
    trace = sweep.folder / (name + ".trace")
    outcome = command.run(tools, run, PREFIX=run, TRACE=trace)
    assert outcome.code == 0, outcome
    return disk, read_trace(trace, run, run / STDOUT)


def states_of(disk, operations, tries):
    """(what was said until then, whether the command had ended, the moment, the tree): each tree once for what was said."""
    said, seen = b"", set()
    for moment in range(len(operations) + 1):
        ended = moment == len(operations)
        for tree in disk.states(moment, tries):
            known = digest(tree), said, ended
            if known not in seen:
                seen.add(known)
                yield said, ended, moment, tree
        if not ended:
            operation = operations[moment]
            said += operation.data if operation.kind == "say" else b""
            disk.apply(operation)


def sweep_command(tools, command, sweep):
    disk, operations = record(tools, command, sweep)
    states = list(states_of(disk, operations, max(2, TRIES // command.cost)))
    sweep.note("operations", len(operations))
    sweep.note("states known", len(states))

    def one(state, folder):
        said, ended, moment, tree = state
        write_tree(tree, folder)
        try:
            command.check_power_loss(tools, folder, said, ended)
        except AssertionError as wrong:
            where = "after its end" if ended else f"before operation {moment} of {len(operations)}, {operations[moment]}"
            raise AssertionError(f"{command.name}, power lost {where}: {wrong}") from None

    ends = [state for state in states if state[1]]  # always: they are what a user was promised
    rest = sample([state for state in states if not state[1]], STATES_IN_SHORT_RUN // command.cost)
    sweep.each(one, (ends if FULL else ends[:6]) + rest)


def main():
    tools = Tools(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    sweep = Sweep("power losses" + ("" if FULL else ", a sample"))
    commands = with_words([MappedCommand(sys.argv[3]), *FILE_COMMANDS, *TRACK_COMMANDS, *CHAIN_COMMANDS], sys.argv[4:])
    for command in commands:
        sweep_command(tools, command, sweep)
    sweep.note("commands", len(commands))
    return sweep.close("states")


if __name__ == "__main__":
    sys.exit(main())
