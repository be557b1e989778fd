"""Every allocation of every command fails once, and then this one and all that follow.

usage: memory_faults.py PROGRAM PRELOAD MAPPED_WRITER [WORD...]     only the commands whose name has one of the words
A command without memory says so and ends with 2 or 4, leaves the old content or the new one, and exit 0 means the new
one. The allocations before a command begins its work are the same for all commands: they fail for one of them.
"""
import pathlib
import shutil
import subprocess
import sys

from chain_commands import CHAIN_COMMANDS
from file_commands import FILE_COMMANDS
from harness import FULL, Sweep, Tools, calm, fill, filled, learnt_template, sample, with_words
from servers import SERVERS
from track_commands import TRACK_COMMANDS

FAULTS_IN_SHORT_RUN = 8  # of one command


class Memory:
    """One run with its allocations counted, and which of them failed."""

    def __init__(self, tools, command, folder, at=0, sticky=False):
        log = folder.with_suffix(".memory")
        self.outcome = command.run(tools, folder, PREFIX=folder, MEMORY_LOG=log, MEMORY_AT=at, MEMORY_STICKY=int(sticky))
        report = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        self.asked = max((int(line.split()[1]) for line in report if line.startswith("asked")), default=0)
        self.failed = [line for line in report if line.startswith("failed")]
        self.in_leveldb = any(line.endswith("leveldb") for line in self.failed)
        self.frames = [line.split("(+")[1].split(")")[0] for line in report if line.startswith(f"{tools.program}(+")]

    def asked_by(self, tools):
        """The functions that asked for what was not given, for a finding."""
        if shutil.which("addr2line") is None:
            return f"; asked by {self.frames[:12]}"
        named = subprocess.run(["addr2line", "-Cfspe", str(tools.program), *self.frames[:12]], capture_output=True, text=True)
        return "\n    ".join(["; asked by", *(line[:150] for line in named.stdout.splitlines() if " at ??" not in line)])


def start_up(tools, sweep):
    """Allocations of a program that does nothing but read its options."""
    class Nothing:
        def run(self, tools, folder, **settings):
            return tools.run(folder, ["--version"], **settings)
    folder = sweep.folder / "nothing"
    folder.mkdir()
    return Memory(tools, Nothing(), folder).asked


def sweep_command(tools, command, sweep, first=1):
    template = learnt_template(tools, command, sweep)
    with filled(tools, command, template, sweep.folder / "counted") as counted:
        asked = Memory(tools, command, counted).asked

    def one(fault, folder):
        at, sticky = fault
        where = f"{command.name}, allocation {at} of {asked} fails{' and all later ones' if sticky else ''}"
        fill(command, tools, template, folder)
        memory = Memory(tools, command, folder, at, sticky)
        outcome = memory.outcome
        try:
            judge(memory, outcome, folder)
        except AssertionError as wrong:
            raise AssertionError(f"{where}: {wrong}{memory.asked_by(tools)}") from None

    def judge(memory, outcome, folder):
        if memory.in_leveldb and outcome.code < 0:
            # LevelDB is built without exceptions and ends the process; what is on disk must be whole all the same.
            sweep.note("ended by LevelDB itself")
        else:
            calm(outcome, command.name)
            assert outcome.code in (0, 1, 2, 4), f"{outcome}"
        command.check(tools, folder, outcome, leftovers=True)
        sweep.note("exit 0" if outcome.code == 0 else "refused")

    # A server that never gets memory again can only end; one that did not get it once goes on.
    endings = (False,) if command in SERVERS else (False, True)
    faults = [(at, sticky) for at in range(first, asked + 1) for sticky in endings]
    sweep.each(one, sample(faults, FAULTS_IN_SHORT_RUN // (2 if command in SERVERS else 1)))


def main():
    tools = Tools(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    sweep = Sweep("allocations that fail" + ("" if FULL else ", a sample"))
    words = sys.argv[4:]
    commands = with_words(FILE_COMMANDS + TRACK_COMMANDS + CHAIN_COMMANDS + SERVERS, words)
    reading = start_up(tools, sweep)
    for command in commands:
        sweep_command(tools, command, sweep, reading)
    if not words:
        sweep_options(tools, sweep, reading)
    sweep.note("commands", len(commands))
    return sweep.close()


def sweep_options(tools, sweep, reading):
    """The allocations before a command begins, of which there are thousands."""
    def one(fault, folder):
        at, sticky = fault
        (folder / "old.txt").write_text("a\nb\n")
        memory = Memory(tools, Build(), folder, at, sticky)
        where = f"reading the options, allocation {at} fails{' and all later ones' if sticky else ''}"
        calm(memory.outcome, where)
        assert memory.outcome.code in (2, 4), f"{where}: {memory.outcome}"
        assert not (folder / "f.bloom").exists(), f"{where}: {memory.outcome}"

    class Build:
        def run(self, tools, folder, **settings):
            return tools.run(folder, ["build", "-q", "-o", "f.bloom", "old.txt"], **settings)

    sweep.each(one, sample([(at, sticky) for at in range(1, reading) for sticky in (False, True)], 30))


if __name__ == "__main__":
    sys.exit(main())
