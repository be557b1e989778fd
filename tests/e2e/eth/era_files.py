"""era1 and ere files that an independent writer made: before and after the merge, with and without proofs and receipts, in
any order, cut and altered; and archives of another layer."""
import json
import pathlib
import random
import subprocess
import tempfile

import era_writer
from harness import check, main, skip

BLOCKS = 24


class Folder:
    def __init__(self, command, folder):
        self.command, self.folder, self.databases = command, pathlib.Path(folder), 0

    def run(self, *arguments):
        run = subprocess.run([self.command, "eth", *map(str, arguments)], capture_output=True, text=True, timeout=120)
        if "built without" in run.stderr:
            skip("the command was built without the log search")
        return run

    def save(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def imported(self, *sources, code=0, words=""):
        self.databases += 1
        database = self.folder / f"chain{self.databases}"
        run = self.run("import", "--db", database, *sources)
        check(run.returncode, code, run.stderr)
        check(words in run.stderr, True, run.stderr)
        return database

    def expect_logs(self, database, blocks):
        verified = self.run("verify", "--db", database)
        check((verified.returncode, f"{len(blocks)} blocks and 0 sections: 0 problems" in verified.stdout), (0, True),
              verified.stdout + verified.stderr)
        status = json.loads(self.run("status", "--db", database, "--json").stdout)
        check((status["unverified"], status["gaps"]), (0, 0))
        lines = self.run("logs", "--db", database).stdout.splitlines()
        wanted = [log for block in blocks for log in block.shown_logs()]
        found = [{key: log[key] for key in wanted[0]} for log in map(json.loads, lines)]
        check(len(wanted) > 20, True, "logs in the chain")
        check(found, wanted)


def round_trips(folder):
    for first, merged in ((0, False), (8192, False), (8192 * 2000, True)):
        blocks = era_writer.chain(first, BLOCKS, merged)
        if not merged:
            folder.expect_logs(folder.imported(folder.save("a.era1", era_writer.era1(blocks))), blocks)
        for proofs in (False, True):
            data = era_writer.ere(blocks, proofs=proofs)
            folder.expect_logs(folder.imported(folder.save("a.ere", data)), blocks)
            bare = folder.imported(folder.save("b.ere", era_writer.ere(blocks, proofs=proofs, receipts=False)))
            run = folder.run("logs", "--db", bare)
            check((run.returncode != 0, "failed to get logs for block" in run.stderr), (True, True), run.stderr)
            # The archive with receipts completes it.
            check(folder.run("import", "--db", bare, folder.folder / "a.ere").returncode, 0)
            folder.expect_logs(bare, blocks)


def several_in_any_order(folder):
    """Parts of one chain that does not begin at block 0: the order of the files makes no difference."""
    blocks = era_writer.chain(8192, BLOCKS, False)
    parts = []
    for i, at in enumerate(range(0, BLOCKS, 6)):
        of_part = blocks[at:at + 6]
        data = era_writer.era1(of_part) if i % 2 else era_writer.ere(of_part)
        parts.append(folder.save(f"part{i}", data))
    for order in ((3, 2, 1, 0), (2, 0, 3, 1), (0, 1, 2, 3)):
        folder.expect_logs(folder.imported(*[parts[i] for i in order]), blocks)
    parent = era_writer.hexed(blocks[11].hash)
    database = folder.imported(parts[0], parts[2], parts[3], code=3,
                               words=f"block {8192 + 12}: its parent, block {8192 + 11} ({parent}), is neither in the store nor")
    check(folder.run("import", "--db", database, parts[1], parts[2], parts[3]).returncode, 0)
    folder.expect_logs(database, blocks)


def cut_and_altered(folder):
    blocks = era_writer.chain(0, 6, False)
    after = era_writer.chain(8192, 6, True)
    choice = random.Random(7)
    for name, data in (("era1", era_writer.era1(blocks)), ("ere", era_writer.ere(blocks, proofs=True)), ("ere", era_writer.ere(after))):
        places = era_writer.entries(data)
        for cut in places[1:] + [choice.randrange(1, len(data)) for _ in range(6)] + [len(data) - 1]:
            if cut < 8:
                continue  # too short to be known for what it is
            folder.imported(folder.save(f"cut.{name}", data[:cut]), code=3, words="era file: ")
        # A bit of a header, of a body and of receipts: never taken, whatever it is that notices.
        for place in (places[1], places[len(places) // 3], places[len(places) // 2]):
            altered = bytearray(data)
            altered[place + 8 + 20] ^= 1
            folder.imported(folder.save(f"altered.{name}", bytes(altered)), code=3, words="altered.")


def of_the_consensus_layer(folder):
    for data in (era_writer.beacon_era(), era_writer.beacon_era()[:60]):
        folder.imported(folder.save("mainnet-00000-4b363db9.era", data), code=3,
                        words="it holds beacon blocks of the consensus layer, which have no receipts and so no logs; import era1")


def test(command):
    for part in (round_trips, several_in_any_order, cut_and_altered, of_the_consensus_layer):
        with tempfile.TemporaryDirectory(prefix="bloomery-era-") as name:
            part(Folder(command, name))


main(test)
