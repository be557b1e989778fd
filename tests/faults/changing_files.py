"""Files that another program changes while a command reads them.

usage: changing_files.py PROGRAM PRELOAD MAPPED_WRITER [WORD...]     only the readers whose name has one of the words
Right after each call that opens, reads or maps a file, the file is emptied, cut in half, changed in every page, removed,
or replaced by another valid one. The command then answers as before, or as for the other file, or refuses with a
sentence; it is never ended by a signal. Where a format has no checksum, changed bits are not noticed by anyone.
"""
import os
import pathlib
import shutil
import sys
import tarfile

from chain_commands import ADDRESS, source
from file_commands import KEYS, lines
from harness import FULL, GOLDEN, Sweep, Tools, calm, copy_folder, sample, with_words

CHANGES = ["change-empty", "change-shorter", "change-flipped", "change-gone", "change-other"]
FAULTS_IN_SHORT_RUN = 8  # of one reader
REAL = pathlib.Path(os.environ.get("BLOOMERY_REAL_DIR", GOLDEN.parents[2] / "shared/real"))


class Reader:
    """A command and the files it reads. Every file may be replaced by the one that is named here for it."""

    def __init__(self, name, arguments, prepare, checksums=True, stdin=b"", others=()):
        self.name, self.arguments, self.prepare = name, arguments, prepare
        self.checksums, self.stdin, self.others = checksums, stdin, dict(others)

    def run(self, tools, folder, **settings):
        return tools.run(folder, self.arguments, self.stdin, **settings)


def filters(*options):
    def prepare(tools, folder):
        (folder / "old.txt").write_bytes(KEYS)
        (folder / "more.txt").write_bytes(lines(300, 600))
        for name, files in (("f", ["old.txt"]), ("g", ["old.txt", "more.txt"])):
            tools.must(folder, "build", "-q", "-n", "60000", "-p", "0.1%", *options, "-o", f"{name}.bloom", *files)
        shutil.copy(folder / "g.bloom", folder / "other.bloom")
    return prepare


def leveldb_folder(tools, folder):
    for name in ("cpp", "go"):
        copy_folder(GOLDEN / f"formats/leveldb/dec1000.{name}.db", folder / name)
    shutil.copy(GOLDEN / "formats/leveldb/t-default.cpp.ldb", folder / "table.ldb")
    (folder / "keys.txt").write_bytes(b"".join(b"%d\n" % i for i in range(100)))


def geth_folder(tools, folder):
    with tarfile.open(GOLDEN / "ethereum/chaindata_compacted.tar.gz") as archive:
        archive.extractall(folder)


def blocks(tools, folder):
    (folder / "blocks.jsonl").write_bytes(source(0, 40))


def era(tools, folder):
    shutil.copy(REAL / "mainnet-00000-5ec1ffb8.era1", folder / "blocks.era1")


def parquet(tools, folder):
    for file in sorted((REAL / "parquet").glob("*.parquet"))[:1]:
        shutil.copy(file, folder / "table.parquet")


OTHER = {"f.bloom": "other.bloom"}
READERS = [
    *[Reader(f"query, {layout}", ["query", "f.bloom"], filters("--layout", layout), stdin=KEYS, others=OTHER)
      for layout in ("block", "lines", "classic", "counting", "scalable")],
    Reader("query of a file of keys", ["query", "f.bloom", "old.txt"], filters(), checksums=False),
    *[Reader(f"query, {name}", ["query", "--format", name, "f.bloom"], filters("--format", name), checksums=False,
             stdin=KEYS, others=OTHER) for name in ("guava", "bits-and-blooms", "dcso", "parquet")],
    Reader("inspect", ["inspect", "--json", "f.bloom"], filters(), others=OTHER),
    Reader("verify", ["verify", "f.bloom"], filters(), others=OTHER),
    Reader("compare", ["compare", "--json", "f.bloom", "g.bloom"], filters(), others=OTHER),
    Reader("merge", ["merge", "-q", "-o", "out.bloom", "f.bloom", "g.bloom"], filters(), others=OTHER),
    Reader("fold", ["fold", "-q", "-p", "1%", "-o", "out.bloom", "f.bloom"], filters(), others=OTHER),
    Reader("convert", ["convert", "-q", "--to", "bits-and-blooms:json", "-o", "out.json", "f.bloom"],
           filters("--format", "bits-and-blooms"), checksums=False, others=OTHER),
    Reader("dedup --against", ["dedup", "-q", "--against", "f.bloom", "--"], filters(), stdin=KEYS, others=OTHER),
    Reader("dedup --exact", ["dedup", "-q", "--exact", "old.txt"], filters(), checksums=False),
    Reader("inspect of a LevelDB table", ["inspect", "--json", "table.ldb"], leveldb_folder),
    Reader("inspect of a LevelDB database", ["inspect", "--json", "cpp"], leveldb_folder),
    Reader("query of a LevelDB database", ["query", "cpp", "keys.txt"], leveldb_folder, checksums=False),
    Reader("eth logs of geth's folder", ["eth", "logs", "--db", "chaindata", "--address", ADDRESS], geth_folder),
    Reader("eth import of geth's folder", ["eth", "import", "-q", "--db", "db", "chaindata"], geth_folder),
    Reader("eth import of JSON lines", ["eth", "import", "-q", "--db", "db", "blocks.jsonl"], blocks),
]
if (REAL / "parquet").is_dir():
    READERS.append(Reader("inspect of a Parquet file", ["inspect", "--json", "table.parquet"], parquet, checksums=False))
if FULL and (REAL / "mainnet-00000-5ec1ffb8.era1").exists():
    READERS.append(Reader("eth import of an era1 file", ["eth", "import", "-q", "--db", "db", "blocks.era1"], era))


def prepared(tools, reader, sweep):
    """The template of its folder, its clean answers for each file that may stand there, and its calls."""
    template = sweep.folder / reader.name.replace(" ", "_").replace("'", "")
    template.mkdir()
    reader.prepare(tools, template)
    answers = []
    for name, other in [(None, None), *reader.others.items()]:
        trial = template.with_suffix(f".{name}")
        copy_folder(template, trial)
        if other:
            shutil.copy(trial / other, trial / name)
        answers.append(reader.run(tools, trial))
        shutil.rmtree(trial)
    log, counted = template.with_suffix(".log"), template.with_suffix(".counted")
    copy_folder(template, counted)
    reader.run(tools, counted, PREFIX=counted, LOG=log)
    return template, answers, [line.split(" ", 2) for line in log.read_text().splitlines()]


def changes_of(reader, calls):
    for number, kind, path in calls:
        name = pathlib.Path(path).name
        if kind not in ("open", "read", "mmap") or name in ("standard-output", ".") or "/db/" in path:
            continue
        for change in CHANGES:
            if change != "change-other" or name in reader.others:
                yield int(number), kind, name, change


def sweep_reader(tools, reader, sweep):
    template, answers, calls = prepared(tools, reader, sweep)
    calm(answers[0], reader.name)
    assert answers[0].code in (0, 1), f"{reader.name}: {answers[0]}"

    def one(fault, folder):
        number, kind, name, change = fault
        where = f"{reader.name}, {name} after call {number} ({kind}), {change}"
        copy_folder(template, folder)
        outcome = reader.run(tools, folder, PREFIX=folder, AT=number, ERROR=change,
                             OTHER=folder / reader.others.get(name, "nothing"))
        calm(outcome, where)
        assert outcome.code in (0, 1, 2, 3, 4), f"{where}: {outcome}"
        sweep.note("answered" if outcome.code in (0, 1) else "refused")
        noticed = reader.checksums or change in ("change-other", "change-gone")
        if outcome.code in (0, 1) and noticed:
            assert (outcome.code, outcome.out) in [(answer.code, answer.out) for answer in answers], \
                f"{where}: neither the old answer nor the other: {outcome}, clean {answers[0]}"

    sweep.each(one, sample(list(changes_of(reader, calls)), FAULTS_IN_SHORT_RUN))


def main():
    tools = Tools(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    sweep = Sweep("files that change underneath" + ("" if FULL else ", a sample"))
    readers = with_words(READERS, sys.argv[4:])
    for reader in readers:
        sweep_reader(tools, reader, sweep)
    sweep.note("readers", len(readers))
    return sweep.close("changes")


if __name__ == "__main__":
    sys.exit(main())
