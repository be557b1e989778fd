"""Every file operation of every command fails once, in every way that it can.

usage: io_faults.py PROGRAM PRELOAD MAPPED_WRITER [WORD...]     only the commands whose name has one of the words
Counts the calls of a clean run, then runs the command once for each call and error. Afterwards there is the old
content or the new one, exit 0 means the new one, a failure has a sentence, and the next run works.
"""
import pathlib
import sys

from chain_commands import CHAIN_COMMANDS
from file_commands import FILE_COMMANDS
from harness import FULL, Sweep, Tools, calm, error_name, faults_of, fill, filled, learnt_template, sample, with_words
from servers import SERVERS
from track_commands import TRACK_COMMANDS

FAULTS_IN_SHORT_RUN = 8  # of one command


def count_calls(tools, command, sweep):
    """The template of a command's folder, and every fault that its calls admit."""
    template = learnt_template(tools, command, sweep)
    log = template.with_suffix(".log")
    with filled(tools, command, template, sweep.folder / "counted") as folder:
        command.run(tools, folder, PREFIX=folder, LOG=log)
    unlikely = getattr(command, "unlikely", set())
    return template, [fault for fault in faults_of(log) if fault[1:3] not in unlikely]


def sweep_command(tools, command, sweep):
    template, faults = count_calls(tools, command, sweep)
    sweep.note("calls", len({fault[0] for fault in faults}))

    def one(fault, folder):
        number, kind, error, sticky = fault
        fill(command, tools, template, folder)
        outcome = command.run(tools, folder, PREFIX=folder, AT=number, ERROR=error, STICKY=int(sticky))
        sweep.note("exit 0" if outcome.code == 0 else "refused")
        calm(outcome, command.name)
        command.check(tools, folder, outcome, leftovers=kind == "unlink" or sticky)

    def named(fault, folder):
        try:
            one(fault, folder)
        except AssertionError as wrong:
            number, kind, error, sticky = fault
            raise AssertionError(f"{command.name}, call {number} ({kind}) answers {error_name(error)}"
                                 f"{' from then on' if sticky else ''}: {wrong}") from None

    chosen = sample(faults, FAULTS_IN_SHORT_RUN // (2 if command in SERVERS else 1))
    if command.name in ("eth index", "eth import of a folder"):  # a listing that fails is not the end of the folder
        chosen += [fault for fault in faults if fault[1] == "readdir" and fault not in chosen]
    sweep.each(named, chosen)


def main():
    tools = Tools(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    sweep = Sweep("file operations that fail" + ("" if FULL else ", a sample"))
    commands = with_words(FILE_COMMANDS + TRACK_COMMANDS + CHAIN_COMMANDS + SERVERS, sys.argv[4:])
    for command in commands:
        sweep_command(tools, command, sweep)
    sweep.note("commands", len(commands))
    return sweep.close()


if __name__ == "__main__":
    sys.exit(main())
