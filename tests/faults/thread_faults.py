"""From the first thread on that a command wants, or the second, or a later one, the system starts none.

usage: thread_faults.py PROGRAM PRELOAD MAPPED_WRITER [WORD...]     only the commands whose name has one of the words
A command goes on with the threads that it has, and then its output is what it always is; or it says in one sentence
that there are none, and ends with 4.
"""
import pathlib
import sys

from chain_commands import ADDRESS, BLOCKS, CHAIN_COMMANDS, ChainCommand
from harness import Sweep, Tools, calm, fill, learnt_template, with_words
from servers import SERVERS

MOST_THREADS = 24  # more than any of the commands starts


class IndexedCommand(ChainCommand):
    """A command on a chain that has an index of one kind."""

    def __init__(self, name, kind, arguments):
        super().__init__(name, arguments, BLOCKS)
        self.kind = kind

    def prepare(self, tools, folder):
        super().prepare(tools, folder)
        tools.must(folder, "eth", "index", "-q", "--db", "db", "--section", "8", "--confirms", "0", "--kind", self.kind)


class RecordCommand:
    """A command whose records go through several threads; all its output is known."""

    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments

    def prepare(self, tools, folder):
        (folder / "records.txt").write_text("".join(f"{i % 150_000}\n" for i in range(200_000)))
        tools.must(folder, "build", "-q", "-o", "f.bloom", "records.txt")

    def run(self, tools, folder, **settings):
        return tools.run(folder, self.arguments, **settings)

    def learn(self, tools, folder):
        self.wanted = self.run(tools, folder)
        calm(self.wanted, self.name)

    def check(self, tools, folder, outcome, leftovers=False):
        if outcome.code == 0:
            assert outcome.out == self.wanted.out, f"{len(outcome.out)} bytes for {len(self.wanted.out)}"


COMMANDS = CHAIN_COMMANDS + SERVERS + [
    IndexedCommand("eth logs, bloombits", "bloombits", ["logs", "--db", "db", "--address", ADDRESS]),
    IndexedCommand("eth logs, adaptive", "adaptive", ["logs", "--db", "db", "--address", ADDRESS]),
    IndexedCommand("eth verify", "both", ["verify", "--db", "db"]),
    IndexedCommand("eth verify --repair", "both", ["verify", "--db", "db", "--repair"]),
    RecordCommand("dedup", ["dedup", "-q", "-j", "3", "records.txt"]),
    RecordCommand("query", ["query", "-j", "4", "f.bloom", "records.txt"]),
    RecordCommand("build --seeded", ["build", "-q", "-j", "4", "--seeded", "-o", "s.bloom", "records.txt"]),
]


def sweep_command(tools, command, sweep):
    template = learnt_template(tools, command, sweep)

    def one(first, folder):
        where = f"{command.name}, no thread from number {first} on"
        fill(command, tools, template, folder)
        outcome = command.run(tools, folder, THREADS_FROM=first)
        calm(outcome, where)
        assert outcome.code in (0, 4), f"{where}: {outcome}"
        if outcome.code == 4:
            assert outcome.err.count("\n") == 1 and "thread" in outcome.err, f"{where}: {outcome}"
        try:
            command.check(tools, folder, outcome, leftovers=True)
        except AssertionError as wrong:
            raise AssertionError(f"{where}: {wrong}") from None
        sweep.note("exit 0" if outcome.code == 0 else "refused")

    sweep.each(one, range(1, MOST_THREADS if command in SERVERS else 7))


def main():
    tools = Tools(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    sweep = Sweep("threads that are not started")
    for command in with_words(COMMANDS, sys.argv[4:]):
        sweep_command(tools, command, sweep)
    return sweep.close()


if __name__ == "__main__":
    sys.exit(main())
