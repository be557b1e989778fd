#!/usr/bin/env python3
"""Draws docs/images/speed-{light,dark}.svg from the tables of bench/RESULTS.md. Usage: bench/speed_picture.py [--check]

With --check nothing is written: exit code 1 where a picture is not what the tables say.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = ["10 thousand", "1 million", "100 million"]
PANELS = [("Batch lookup", 0), ("One lookup at a time", 1)]  # title, column of the tables
FILTERS = {  # row of the tables, what the picture calls it
    "Boost fast_multiblock64<8>": "Boost.Bloom, 8 probes",
    "RocksDB": "RocksDB, 6 probes",
    "bloomery aes, 8 probes": "Bloomery, 8 probes",
    "bloomery aes, 6 probes": "Bloomery, 6 probes",
}
THEMES = {
    "light": {"text": "#1f2328", "soft": "#59636e", "bars": ["#afb8c1", "#8c959f", "#0969da", "#54aeff"]},
    "dark": {"text": "#e6edf3", "soft": "#9198a1", "bars": ["#484f58", "#6e7681", "#4493f8", "#1f6feb"]},
}


def section(text, heading):
    """The lines from a heading to the next one of its level or above."""
    level = heading.split(" ", 1)[0]
    rest = text.split("\n" + heading + "\n", 1)[1]
    return re.split(rf"\n#{{1,{len(level)}}} ", rest, maxsplit=1)[0]


def measured(text):
    """{(filter, size): (nanoseconds of a batch lookup, of one lookup, false-positive rate)}"""
    result = {}
    numbers = section(text, "### Numbers, AVX-512")
    for size in SIZES:
        table = numbers.split(f"**{size} keys**", 1)[1].split("**", 1)[0]
        for line in table.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells[0] in FILTERS:
                result[cells[0], size] = (float(cells[1]), float(cells[2]), cells[6])
    rocksdb = section(text, "### RocksDB's FastLocalBloom")
    rate = re.search(r"rate at 10 bits per key: ([\d.]+ %)", rocksdb)[1]
    for size in SIZES:
        cells = re.search(rf"^\| {size} \| ([\d.]+) / ([\d.]+) ", rocksdb, re.MULTILINE)
        result["RocksDB", size] = (float(cells[1]), float(cells[2]), rate)
    return result


def rate_range(values, name):
    """The false-positive rate over the three sizes, in words."""
    rates = sorted(float(values[name, size][2].rstrip(" %")) for size in SIZES)
    low, high = f"{rates[0]:.2f}", f"{rates[-1]:.2f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def picture(values, theme):
    colors = THEMES[theme]
    width, left, panel, bar = 900, 20, 440, 13
    out = []

    def text(x, y, words, size=12, color="text", anchor="start", weight="normal"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colors[color]}" text-anchor="{anchor}" '
                   f'font-weight="{weight}">{words}</text>')

    text(left, 26, "Nanoseconds per lookup: 64-bit keys, 10 bits per key, half of them present", 15, weight="600")
    for row, (name, shown) in enumerate(FILTERS.items()):
        x, y = left + 440 * (row % 2), 50 + 20 * (row // 2)
        out.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" rx="2" fill="{colors["bars"][row]}"/>')
        text(x + 18, y, f"{shown} (false positives {rate_range(values, name)})", 12, "soft")
    top = 108
    for column, (title, cell) in enumerate(PANELS):
        x0 = left + column * panel
        text(x0, top, title, 13, weight="600")
        scale = (panel - 180) / max(one[cell] for one in values.values())
        y = top + 14
        for size in SIZES:
            text(x0, y + 2 * bar + 4, f"{size} keys", 12, "soft")
            for row, name in enumerate(FILTERS):
                nanoseconds = values[name, size][cell]
                length = max(1.0, nanoseconds * scale)
                out.append(f'<rect x="{x0 + 118}" y="{y}" width="{length:.1f}" height="{bar - 2}" rx="2" '
                           f'fill="{colors["bars"][row]}"/>')
                text(x0 + 123 + length, y + bar - 3, f"{nanoseconds:.1f}", 11)
                y += bar
            y += 12
    text(left, y + 8, "AMD EPYC (Zen 4), one thread, GCC 12, -O3 -march=native; shorter is faster. "
         "Drawn from bench/RESULTS.md by bench/speed_picture.py", 11, "soft")
    height = y + 20
    title = "Measured speed of lookups beside Boost.Bloom and RocksDB"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="system-ui, sans-serif" role="img" aria-label="{title}">\n<title>{title}</title>\n' +
            "\n".join(out) + "\n</svg>\n")


def main():
    values = measured((ROOT / "bench/RESULTS.md").read_text(encoding="utf-8"))
    stale = 0
    for theme in THEMES:
        file = ROOT / "docs" / "images" / f"speed-{theme}.svg"
        drawn = picture(values, theme)
        if "--check" not in sys.argv:
            file.write_text(drawn, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != drawn:
            print(f"{file.relative_to(ROOT)} is not what bench/RESULTS.md says; run bench/speed_picture.py")
            stale += 1
    return 1 if stale else 0


sys.exit(main())
