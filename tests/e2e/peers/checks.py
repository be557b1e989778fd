"""What every peer and bloomery must agree on, whichever wrote the file."""

from programs import Failure

MOST_FALSE = 0.06  # of the absent keys: a filter that says "maybe" to everything is caught


def show(record, longest=60):
    text = record.decode(errors="backslashreplace")
    return text if len(text) <= longest else f"{text[:longest]}... ({len(record)} bytes)"


def word(answer):
    return "maybe" if answer else "no"


def same_answers(what, keys, answers_of_peer, answers, who="bloomery"):
    """Of the keys that are present, then of those that are absent."""
    present, absent = keys
    wanted = zip(present + absent, answers_of_peer, answers, strict=True)
    for i, (record, theirs, answer) in enumerate(wanted):
        if theirs != answer:
            kind = "present" if i < len(present) else "absent"
            raise Failure(f"{what}: {kind} key `{show(record)}`: "
                          f"the peer answers {word(theirs)}, {who} answers {word(answer)}")


def all_found(what, who, records, answers):
    for record, answer in zip(records, answers, strict=True):
        if not answer:
            raise Failure(f"{what}: key `{show(record)}` was added, and {who} answers no")


def some_false(what, answers, least=1):
    """Without false positives, equal answers would prove little."""
    false = sum(answers)
    if not least <= false <= MOST_FALSE * len(answers):
        raise Failure(f"{what}: {false} of {len(answers)} absent keys pass, "
                      f"and {least} to {int(MOST_FALSE * len(answers))} were expected")
    return false


def same_bytes(what, theirs, ours):
    their, our = theirs.read_bytes(), ours.read_bytes()
    if their == our:
        return
    size = min(len(their), len(our))
    at = next((i for i in range(size) if their[i] != our[i]), size)
    raise Failure(f"{what}: {ours} ({len(our)} bytes) is not {theirs} ({len(their)} bytes); byte {at} "
                  f"is {our[at:at + 8].hex() or 'the end'}, the peer has {their[at:at + 8].hex() or 'the end'}")


def compare(what, bloomery, ask_peer, theirs, ours, keys, options):
    """The peer's file and ours hold the same keys: both sides read both, and all answers agree."""
    present, absent = keys
    records = present + absent
    their_answers, peer_reads_ours = ask_peer([theirs, ours], records)
    all_found(what, "the peer", present, their_answers[: len(present)])
    false = some_false(what, their_answers[len(present) :])
    for path in (theirs, ours):
        answers = bloomery.ask(path, records, *options)
        all_found(f"{what}, {path.name}", "bloomery", present, answers[: len(present)])
        same_answers(f"{what}, {path.name}", keys, their_answers, answers)
    same_answers(f"{what}, {theirs.name} and {ours.name}", keys, their_answers, peer_reads_ours,
                 "the peer reading our file")
    print(f"{what}: {len(present)} keys found and {false} false positives alike, "
          f"each side reading both files of {theirs.stat().st_size} bytes")


def both_ways(what, bloomery, program, folder, keys, make, ask, sizing, options):
    """make, ask: arguments of the peer's program. sizing: of `build`. options: of `build` and `query`."""
    name = what.replace(" ", "-").replace(",", "")
    theirs, ours = folder / f"{name}.peer", folder / f"{name}.bloomery"
    program.make(theirs, keys[0], *make)
    bloomery.build(ours, keys[0], *sizing, *options)
    same_bytes(what, theirs, ours)
    compare(what, bloomery, lambda paths, records: program.ask(paths, records, *ask), theirs, ours,
            keys, options)


def database(what, bloomery, program, folder, keys):
    """Every table of a database that the peer wrote finds its keys, and few others."""
    present, absent = keys
    options = ["--format", "leveldb", "--hex"]
    path = folder / "database"
    program.run("database", path, records=present)
    tables = {}
    for line in program.run("tables", path).split(b"\n")[:-1]:
        name, key = line.split(b"\t")
        tables.setdefault(name.decode(), []).append(key)
    stored = set().union(*tables.values())
    if stored != set(present) or len(tables) < 2:
        raise Failure(f"{what}: {len(tables)} tables hold {len(stored)} of {len(present)} keys")
    for name, held in sorted(tables.items()):
        table = f"{what}, table {name}"
        all_found(table, "bloomery", held, bloomery.ask(path / name, held, *options))
        # Text only: two writers under one policy name differ for a last byte above 0x7f.
        text = [key for key in absent if max(bytes.fromhex(key.decode()), default=0) < 0x80]
        false = some_false(table, bloomery.ask(path / name, text, *options), least=0)
        seen = bloomery.inspect(path / name, "--format", "leveldb")
        if seen["format"] != "leveldb" or seen["checksum"] != "ok":
            raise Failure(f"{table}: inspect says {seen}")
        print(f"{table}: {len(held)} keys found, {false} of {len(text)} absent ones pass")
    whole_folder(what, bloomery, path, keys, tables)


def whole_folder(what, bloomery, path, keys, tables):
    """The folder as one database: every key is found, and the tables are those the peer has."""
    present, absent = keys
    all_found(f"{what}, folder", "bloomery", present, bloomery.ask(path, present, "--hex"))
    text = [key for key in absent if max(bytes.fromhex(key.decode()), default=0) < 0x80]
    false = some_false(f"{what}, folder", bloomery.ask(path, text, "--hex"), least=0)
    seen = bloomery.inspect(path)
    live = {table["file"]: table for table in seen["tables"]}
    unknown = set(live) - set(tables)
    denied = sum(table["denied_keys"] for table in live.values())
    if seen["verdict"] != "ok" or unknown or denied or seen["total"]["keys"] < len(set(present)):
        raise Failure(f"{what}, folder: {unknown} are no tables of the peer; inspect says {seen}")
    for name, table in live.items():
        if table["keys"] != len(tables[name]):
            raise Failure(f"{what}, folder: {name} has {len(tables[name])} keys, and not {table['keys']}")
    print(f"{what}, folder: {len(present)} keys in {len(live)} tables found, "
          f"{false} of {len(text)} absent ones pass, no key is denied by its filter")
