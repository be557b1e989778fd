#!/usr/bin/env python3
"""Draws the pictures of measurements in docs/images and docs/images/results from the tables of bench/RESULTS.md.

usage: bench/pictures.py [--check]

With --check nothing is written: exit code 1 where a picture is not what its table says, where a page shows a picture of bars that
is not drawn here, and where a picture is drawn that no page shows.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import bar_chart  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
PAGES = ["README.md", "bench/RESULTS.md"]
OTHERS = {"session"}  # tools/record_session.py draws and checks it
OPERATIONS = ["Batch lookup", "One lookup at a time", "Bulk insert", "One insert at a time"]
BESIDE_BOOST = [("Boost.Bloom", False), ("Bloomery", True)]
FLAGS = {"native": "-O3 -march=native", "x86-64-v3": "-O3 -march=x86-64-v3", "-O2": "-O2"}  # of the tables: of a compiler


class Table:
    """One table: {first cells: the cells after them}, as plain text. A row without a first cell belongs to the row above."""

    def __init__(self, lines, keys=1):
        rows = [[re.sub(r"\*\*|`|\\(?=\|)", "", cell).strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]] for line in lines]
        self.header, self.rows = rows[0], {}
        above = [""] * keys
        for row in rows[2:]:
            above = [cell or before for cell, before in zip(row[:keys], above)]
            name = above[0] if keys == 1 else tuple(above)
            assert name not in self.rows, f"two rows begin with {name}"
            self.rows[name] = row[keys:]

    def number(self, row, column, which=0):
        """The number of a cell, or of several the one that is wanted."""
        return float(re.findall(r"\d[\d,]*(?:\.\d+)?", self.rows[row][column])[which].replace(",", ""))


class Results:
    def __init__(self, text):
        self.sections = {}  # heading: [lines of a table]
        heading, table = "", None
        for line in text.splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ")
            if not line.startswith("|"):
                table = None
            elif table is None:
                table = [line]
                self.sections.setdefault(heading, []).append(table)
            else:
                table.append(line)

    def table(self, heading, number=0, keys=1):
        return Table(self.sections[heading][number], keys)


def numbers(results, flags):
    table = results.table("Filter<T> as users get it", 1)
    sizes = ["10 thousand", "1 million", "50 million"]
    return (f"Nanoseconds per key: 64-bit keys, {FLAGS[flags]}", BESIDE_BOOST,
            [(name, [(f"{size} keys", [table.number(f"{size}, {flags}", column, side) for side in (1, 0)]) for size in sizes])
             for column, name in enumerate(OPERATIONS)])


def numbers_of_two_flags(results):
    """The picture of README.md."""
    table = results.table("Filter<T> as users get it", 1)
    flags = ["-O2", "native"]
    return ("Nanoseconds per lookup: 64-bit keys, 10 bits per key, half of them present",
            [(f"{name}, {FLAGS[one]}", ours) for name, ours in BESIDE_BOOST for one in flags],
            [(name, [(f"{size} keys", [table.number(f"{size}, {one}", column, side) for side in (1, 0) for one in flags])
                     for size in ("10 thousand", "1 million", "50 million")]) for column, name in enumerate(OPERATIONS[:2])])


def strings(results, length):
    """Cells are our time, and in brackets the ratio."""
    table = results.table("Strings")

    def pair(row, column):
        ours, ratio = (table.number(row, column, which) for which in (0, 1))
        return [ours * ratio, ours]

    groups = [(f"{size}, {flags}", f"{length} bytes, {size}, {flags}") for size in ("10 thousand", "1 million") for flags in FLAGS]
    return (f"Nanoseconds per key: strings of {length} bytes", BESIDE_BOOST,
            [(name, [(group, pair(row, column)) for group, row in groups]) for column, name in enumerate(OPERATIONS)])


def two_threads(results):
    table = results.table("Two threads")
    return ("Batch lookups of numbers by two threads on one filter", BESIDE_BOOST,
            [("Nanoseconds per key", [(f"{size}, {name}", [None, table.number(size, column)]) for size in table.rows
                                      for column, name in enumerate(("one thread", "two threads"))]),
             ("Times as fast as one thread", [(f"{size} keys", [table.number(size, 3), table.number(size, 2)]) for size in table.rows])])


def low_rates(results):
    table = results.table("Rates below 3e-4")
    classic = {}  # {size and rate: (row, position in its cells)}
    for row in table.rows:
        if row.startswith("classic"):
            _, size, rates = row.split(", ")
            classic |= {f"{size}, {rate}": (row, which) for which, rate in enumerate(rates.split(" / "))}
    groups = [row for row in table.rows if not row.startswith("classic") and not row.endswith("1e-2")]

    def old(group, column):
        if group not in classic:
            return None
        row, which = classic[group]
        return float(table.rows[row][column].split(" / ")[which])

    return ("Nanoseconds per key at low rates: the layout lines beside classic", [("classic", False), ("lines", True)],
            [(name, [(group, [old(group, column), table.number(group, column)]) for group in groups])
             for column, name in enumerate(OPERATIONS)])


def hashes(results):
    table = results.table("Hashes of byte keys", keys=2)
    names = ["Boost with XXH3-64", "xxh3", "xxh3-64", "aes"]
    return ("Nanoseconds per lookup with each hash of byte keys (an earlier state, see the text)",
            [(name, not name.startswith("Boost")) for name in names],
            [(f"{operation}, {'10 thousand' if size == '10 k' else '1 million'} keys",
              [(f"{length} bytes", [table.number((f"{size}, {length}", name), column) for name in names]) for length in (8, 23, 61)])
             for size in ("10 k", "1 M") for column, operation in enumerate(OPERATIONS[:2])])


def dedup(results):
    table = results.table("dedup", 0)

    def bars(column):
        return [(row, [None, table.number(row, column)] if row.startswith("bloomery") else [table.number(row, column), None])
                for row in table.rows]

    return ("One million lines, one third of them repeats", [("other commands", False), ("bloomery", True)],
            [("CPU seconds", bars(0)), ("MB resident", bars(1))])


def dedup_threads(results):
    table = results.table("dedup", 1, keys=2)
    return ("Five million lines with one thread and with two, seconds by the clock", [("-j 1", False), ("-j 2", True)],
            [(command, [(row[0], [table.number(row, 0, which) for which in (0, 1)]) for row in table.rows if row[1] == command])
             for command in dict.fromkeys(row[1] for row in table.rows)])


def redis(results):
    table = results.table("The Redis module", keys=3)
    panels = []
    for group in dict.fromkeys(row[0] for row in table.rows):
        commands = dict.fromkeys(row[1] for row in table.rows if row[0] == group)
        panels.append((group, [(command, [table.number((group, command, "compatible"), 2), table.number((group, command, "compatible"), 1),
                                          table.number((group, command, "LAYOUT BLOCK"), 1)]) for command in commands]))
    return ("Nanoseconds per item beyond the floor, which is the server's part",
            [("RedisBloom", False), ("Bloomery, compatible", True), ("Bloomery, LAYOUT BLOCK", True)], panels)


def leveldb(results):
    alone, gets = results.table("Filters alone", keys=2), results.table("A database of 20 million keys", keys=2)
    policies = ["built-in", "ours, compatible", "ours, block"]
    panels = [(f"{title}, by keys per filter", [(f"{int(keys):,}", [alone.number((keys, policy), column) for policy in policies])
                                                for keys in ("20", "120", "1000", "1000000")])
              for column, title in enumerate(("Make a filter", "Look up a present key", "Look up an absent key"))]
    panels.append(("A get of an absent key, by size of the blocks",
                   [(blocks, [gets.number((blocks, policy), 0) for policy in policies]) for blocks in ("4 KiB", "64 KiB")]))
    return ("Nanoseconds per key of LevelDB's filter policies", [(policy, policy != "built-in") for policy in policies], panels)


def ethereum(results):
    blooms, searches = results.table("Ethereum", 0), results.table("Ethereum", 1, keys=3)
    series = [("geth (quoted, the lower figure)", False), ("Bloomery, baseline", True), ("AVX2", True), ("AVX-512", True)]
    names = {"bloom of 1000 logs, ns per log": "1000 logs, per log", "bloom of one log alone, ns": "one log",
             "generator, ns per header": "generator, per header"}
    panels = [("Blooms", [(name, [blooms.number(row, column) for column in (4, 2, 1, 0)]) for row, name in names.items()])]
    panels += [(f"Search per block, {share} of the bits set",
                [(search, [searches.number(("1 million", share, search), column) for column in (5, 2, 1, 0)])
                 for search in ("one address", "address + 3 topics", "50 addresses")]) for share in ("2.0 %", "30.1 %", "64.1 %")]
    return "Nanoseconds: Ethereum's blooms, and searches in 1 million blocks, vectors in memory", series, panels


def commands(results, heading, title, columns, ours="bloomery", names=("other programs", "bloomery")):
    """A bar for each row. columns: {title of a panel: column of the table}; rows without a number have no bar."""
    table = results.table(heading)
    panels = []
    for panel, column in columns.items():
        rows = [row for row in table.rows if re.search(r"\d", table.rows[row][column])]
        panels.append((panel, [(row, [None, table.number(row, column)] if row.startswith(ours) else [table.number(row, column), None])
                               for row in rows]))
    return title, [(names[0], False), (names[1], True)], panels


def parquet(results):
    table = results.table("Parquet columns", keys=2)
    return ("A column of a Parquet file", [("hyparquet, which only decodes", False), ("bloomery", True)],
            [("CPU seconds", [(f"{column.split(',')[0]}: {program}", [None, table.number((column, program), 0)]
                               if program.startswith("bloomery") else [table.number((column, program), 0), None])
                              for column, program in table.rows])])


def postgres(results):
    aggregates, joins = results.table("PostgreSQL"), results.table("PostgreSQL", 1)

    def bars(table, ours):
        return [(row, [None, table.number(row, 0)] if ours in row else [table.number(row, 0), None]) for row in table.rows]

    return ("Seconds of queries on 10 million orders", [("PostgreSQL alone", False), ("with a filter", True)],
            [("Aggregates", bars(aggregates, "bloom_agg")), ("Orders of customers in the north", bars(joins, "filter"))])


def rocksdb(results):
    table = results.table("RocksDB's FastLocalBloom")
    return ("Nanoseconds per key beside RocksDB's filter (an earlier state, see the text)", [("RocksDB", False), ("Bloomery", True)],
            [(name, [(f"{size} keys", [table.number(size, side, which) for side in (0, 1)]) for size in table.rows])
             for which, name in enumerate(OPERATIONS)])


def python(results):
    table = results.table("Python")

    def bars(names):
        return [(name.replace("contains_many", "look up").replace("key ", ""),
                 [table.number(name, 2) if re.search(r"\d", table.rows[name][2]) else None, table.number(name, 0)]) for name in names]

    single = [name for name in table.rows if name.startswith("key in")]
    return ("Nanoseconds per key in Python", [("numpy.isin, set", False), ("Bloom", True)],
            [("Batches", bars([name for name in table.rows if name not in single and name != "–"])),
             ("Keys one at a time", bars(single))])


def searches(results):
    table = results.table("Searches at the same time", keys=2)
    names = ["direct", "threads", "auto"]
    return ("Milliseconds by the clock until all searches are done", [(name, True) for name in names],
            [(f"{cache.capitalize()}, {wanted}",
              [(f"{row[0].split(', ')[1]} at once", [table.number(row, column) for column in range(3)])
               for row in table.rows if row[0].startswith(cache) and row[1] == wanted])
             for cache in ("warm", "cold") for wanted in ("one key", "a key each")])


def dialects(results):
    table = results.table("Beside the peers: their time / ours", keys=2)
    label = {(ours, peer): f"{peer.removeprefix('peer:')}, {ours.split(', ')[1]}" for ours, peer in table.rows}
    return ("Nanoseconds per key of the filters of other systems", [("their program", False), ("Bloomery", True)],
            [(name, [(label[row], [table.number(row, column, side) for side in (0, 1)]) for row in table.rows])
             for column, name in enumerate(("Add a key", "Look up a present key", "Look up an absent key"))])


PICTURES = {
    "speed": numbers_of_two_flags,
    "filter-u64-native": lambda results: numbers(results, "native"),
    "filter-u64-v3": lambda results: numbers(results, "x86-64-v3"),
    "filter-u64-O2": lambda results: numbers(results, "-O2"),
    "filter-23": lambda results: strings(results, 23),
    "filter-61": lambda results: strings(results, 61),
    "two-threads": two_threads,
    "low-rates": low_rates,
    "rocksdb": rocksdb,
    "hashes": hashes,
    "dedup": dedup,
    "dedup-threads": dedup_threads,
    "documents": lambda results: commands(results, "Documents", "Repeated text in 100 MB of JSON lines",
                                          {"MB of text per second of CPU time": 0, "MiB resident": 1}, "dedup"),
    "parquet": parquet,
    "csv": lambda results: commands(results, "CSV", "200 MB of CSV, CPU seconds", {"CPU seconds": 0}),
    "json-keys": lambda results: commands(results, "JSON keys", "One member of JSON lines of 320 bytes", {"MB/s": 0}, "Bloomery",
                                          ("other readers", "Bloomery's reader")),
    "python": python,
    "redis": redis,
    "postgres": postgres,
    "ethereum": ethereum,
    "searches": searches,
    "leveldb": leveldb,
    "dialects": dialects,
}


READING = {  # "Shorter is faster." of the others
    "speed": "AMD EPYC (Zen 4), one thread, GCC 12; shorter is faster.",
    "two-threads": "Nanoseconds: shorter is faster.",
    "dedup": "Shorter is better.",
    "documents": "Speed: longer is faster. Memory: shorter is less.",
    "json-keys": "Longer is faster.",
}


def drawn(results):
    """{name of a file: its text}"""
    files = {}
    for name, picture in PICTURES.items():
        footer = f"{READING.get(name, 'Shorter is faster.')} Drawn from the tables of bench/RESULTS.md by bench/pictures.py"
        for theme in bar_chart.THEMES:
            files[f"{'' if name == 'speed' else 'results/'}{name}-{theme}.svg"] = bar_chart.draw(theme, *picture(results), footer)
    return files


def problems(files):
    shown = set()
    for page in PAGES:
        shown |= set(re.findall(r"docs/images/([^\"]+-(?:light|dark)\.svg)", (ROOT / page).read_text(encoding="utf-8")))
    shown -= {f"{name}-{theme}.svg" for name in OTHERS for theme in bar_chart.THEMES}
    for name in sorted(shown - set(files)):
        yield f"docs/images/{name} is shown by a page, and no table is checked against it"
    for name in sorted(set(files) - shown):
        yield f"docs/images/{name} is shown by no page"
    for name, content in files.items():
        file = IMAGES / name
        if not file.exists() or file.read_text(encoding="utf-8") != content:
            yield f"docs/images/{name} is not what bench/RESULTS.md says; run bench/pictures.py"


def main():
    files = drawn(Results((ROOT / "bench/RESULTS.md").read_text(encoding="utf-8")))
    if "--check" not in sys.argv:
        (IMAGES / "results").mkdir(exist_ok=True)
        for name, content in files.items():
            (IMAGES / name).write_text(content, encoding="utf-8")
        return 0
    found = list(problems(files))
    print("\n".join(found) or f"{len(files)} pictures are what their tables say")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
