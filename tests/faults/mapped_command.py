"""A filter that grows in its mapped file, for the power-loss sweep: keys that were synced are never lost."""
import pathlib

from file_commands import lines
from harness import calm

BATCH, BATCHES = 50, 6


class MappedCommand:
    """The program mapped_writer: says "synced N" once N batches of keys would survive."""

    name, disk_model, cost = "mapped filter", "strict", 2

    def __init__(self, program):
        self.program = pathlib.Path(program).resolve()

    def prepare(self, tools, folder):
        (folder / "old.txt").write_bytes(lines(0, 200))
        tools.must(folder, "build", "-q", "-n", "2000", "--layout", "block", "-o", "f.bloom", "old.txt")

    def run(self, tools, folder, **settings):
        return type(tools)(self.program, tools.preload).run(folder, ["f.bloom", BATCH, BATCHES], **settings)

    def learn(self, tools, folder):
        outcome = self.run(tools, folder)
        calm(outcome, self.name)
        assert outcome.code == 0, outcome
        self.check_power_loss(tools, folder, outcome.out, True)

    def check_power_loss(self, tools, folder, said, ended):
        batches = said.count(b"synced")
        assert batches == BATCHES or not ended, said
        wanted = lines(0, 200) + b"".join(f"new-{i}\n".encode() for i in range(BATCH * batches))
        found = tools.run(folder, ["query", "f.bloom"], wanted)
        assert found.code == 0, f"{batches} batches were synced: {found}"
        assert found.out == wanted, f"{batches} batches were synced, and {len(wanted.splitlines())} keys are " \
            f"answered with {len(found.out.splitlines())}"
        repeated = self.run(tools, folder)
        assert repeated.code == 0, f"the next run: {repeated}"
        verified = tools.run(folder, ["verify", "f.bloom"])
        assert verified.code == 0, f"the next run left {verified}"
