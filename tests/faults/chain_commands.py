"""Commands on a chain folder, for the sweeps: its logs are always those of the blocks that it says it holds."""
import json

from harness import GOLDEN, Outcome, calm

BLOCKS = 40
ADDRESS = "0x79d720b462a1724ea710687caae044404fd675fd"


def source(first, past):
    lines = (GOLDEN / "ethereum/chain_blocks.jsonl").read_bytes().splitlines(keepends=True)
    return b"".join(lines[first:past])


class ChainCommand:
    """A command on the chain folder `db`, and the logs of all its blocks."""

    disk_model, cost = "journal", 6  # LevelDB does not sync the folder of a new log
    unlikely = {("read", "short")}  # of a regular file: LevelDB takes it for the end

    def __init__(self, name, arguments, blocks_before, indexed=False):
        self.name, self.arguments, self.blocks_before, self.indexed = name, ["eth", *arguments], blocks_before, indexed

    def prepare(self, tools, folder):
        (folder / "first.jsonl").write_bytes(source(0, BLOCKS // 2))
        (folder / "all.jsonl").write_bytes(source(0, BLOCKS))
        if self.blocks_before:
            tools.must(folder, "eth", "import", "-q", "--db", "db",
                       "all.jsonl" if self.blocks_before == BLOCKS else "first.jsonl")

    def run(self, tools, folder, **settings):
        return tools.run(folder, self.arguments, **settings)

    def learn(self, tools, folder):
        outcome = self.run(tools, folder)
        calm(outcome, self.name)
        assert outcome.code == 0, outcome
        reference = folder / "reference"
        reference.mkdir()
        (reference / "all.jsonl").write_bytes(source(0, BLOCKS))
        tools.must(reference, "eth", "import", "-q", "--db", "db", "all.jsonl")
        self.logs = tools.must(reference, "eth", "logs", "--db", "db", "--no-index").splitlines()
        self.check_result(tools, folder, outcome)

    def status(self, tools, folder):
        """What the folder says it holds; where it says nothing, why."""
        done = tools.run(folder, ["eth", "status", "--db", "db", "--json"])
        calm(done, "eth status")
        return (json.loads(done.out), "") if done.code == 0 else (None, done.err)

    def check(self, tools, folder, outcome, leftovers=False):
        if outcome.code == 0:
            self.check_result(tools, folder, outcome)
        else:
            self.check_answers(tools, folder, outcome)
        repeated = self.run(tools, folder)
        assert repeated.code == 0, f"the next run: {repeated}; after {outcome}"
        self.check_result(tools, folder, repeated)

    def check_power_loss(self, tools, folder, said, ended):
        self.check(tools, folder, Outcome(0 if ended else 2, said, "the power went"))

    def check_answers(self, tools, folder, outcome):
        """Logs up to the head that the folder has, or a refusal."""
        status, why = self.status(tools, folder)
        if status is None and "--repair" in why:  # what was never synced cannot be distinguished from damage: the user decides
            repaired = tools.run(folder, ["eth", "verify", "--db", "db", "--repair"])
            calm(repaired, "eth verify --repair", reports=True)
            status, why = self.status(tools, folder)
        if status is None:
            assert self.blocks_before == 0, f"the folder cannot be read any more: {why}; {outcome}"
            return
        head = status.get("head")
        blocks = 0 if head is None else head + 1
        assert blocks >= self.blocks_before, f"{blocks} blocks of {self.blocks_before} are left; {outcome}"
        logs = tools.run(folder, ["eth", "logs", "--db", "db"])
        if blocks:
            self.compare(logs, [log for log in self.logs if int(json.loads(log)["blockNumber"], 16) < blocks], outcome)

    def check_result(self, tools, folder, outcome):
        """What holds after exit 0."""
        status, why = self.status(tools, folder)
        assert status and status["head"] == BLOCKS - 1, f"exit 0, and the head is {status or why}; {outcome}"
        if self.indexed:
            for kind in ("bloombits", "adaptive"):
                assert status[kind]["indexed_blocks"] == BLOCKS, f"exit 0, and {kind} is not whole: {status}; {outcome}"
        self.compare(tools.run(folder, ["eth", "logs", "--db", "db"]), self.logs, outcome)
        found = tools.run(folder, ["eth", "logs", "--db", "db", "--address", ADDRESS])
        self.compare(found, [log for log in self.logs if json.loads(log)["address"] == ADDRESS], outcome)

    def compare(self, found, wanted, outcome):
        assert found.code in (0, 1), f"the logs cannot be read: {found}; after {outcome}"
        assert found.out.splitlines() == wanted, f"{len(found.out.splitlines())} logs for {len(wanted)}; after {outcome}"


class FolderImport(ChainCommand):
    """eth import of a folder with several files."""

    def prepare(self, tools, folder):
        super().prepare(tools, folder)
        (folder / "blocks").mkdir()
        for part in range(4):
            (folder / "blocks" / f"{part}.jsonl").write_bytes(source(part * BLOCKS // 4, (part + 1) * BLOCKS // 4))


class IndexedChainCommand(ChainCommand):
    """A command on a folder that has both indexes of the blocks it begins with."""

    def prepare(self, tools, folder):
        super().prepare(tools, folder)
        tools.must(folder, "eth", "index", "-q", "--db", "db", "--section", "8", "--confirms", "0", "--kind", "both")


class IndexDrop(IndexedChainCommand):
    """eth index --drop: no part of an index is left that a search would use."""

    def check_result(self, tools, folder, outcome):
        super().check_result(tools, folder, outcome)
        status, _ = self.status(tools, folder)
        assert status["bloombits"]["indexed_blocks"] == 0 and "adaptive" not in status, f"an index is left: {status}; {outcome}"


CHAIN_COMMANDS = [
    ChainCommand("eth import", ["import", "-q", "--db", "db", "all.jsonl"], 0),
    ChainCommand("eth import of more", ["import", "-q", "--db", "db", "all.jsonl"], BLOCKS // 2),
    FolderImport("eth import of a folder", ["import", "-q", "--db", "db", "blocks"], 0),
    ChainCommand("eth index", ["index", "-q", "--db", "db", "--section", "8", "--confirms", "0", "--kind", "both"], BLOCKS,
                 indexed=True),
    IndexedChainCommand("eth import that indexes", ["import", "-q", "--db", "db", "--confirms", "0", "all.jsonl"], BLOCKS // 2,
                        indexed=True),
    IndexDrop("eth index --drop", ["index", "-q", "--db", "db", "--drop"], BLOCKS),
    ChainCommand("eth logs", ["logs", "--db", "db"], BLOCKS),
]
