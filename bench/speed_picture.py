#!/usr/bin/env python3
"""Draws docs/images/speed-{light,dark}.svg from the table of bench/RESULTS.md. Usage: bench/speed_picture.py [--check]

With --check nothing is written: exit code 1 where a picture is not what the table says.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import bar_chart  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = ["10 thousand", "1 million", "50 million"]
PANELS = [("Batch lookup", 0), ("One lookup at a time", 1)]  # title, column of the table
FLAGS = {"-O2": "-O2", "native": "-O3 -march=native"}  # of the table, what the picture calls them


def measured(text):
    """{(size, flags): [(our nanoseconds, theirs) of each column]}"""
    table = text.split("\nThe same in nanoseconds, ours / theirs:\n\n", 1)[1].split("\n\n", 1)[0]
    result = {}
    for line in table.splitlines()[2:]:
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        size, flags = re.fullmatch(r"(.*), ([^,]*)", name).groups()
        result[size, flags] = [tuple(float(number) for number in cell.split(" / ")) for cell in cells]
    return result


def picture(values, theme):
    series = [(f"{name}, {shown}", ours) for name, ours in (("Boost.Bloom", False), ("Bloomery", True)) for shown in FLAGS.values()]
    panels = [(title, [(f"{size} keys", [values[size, flags][column][side] for side in (1, 0) for flags in FLAGS])
                       for size in SIZES]) for title, column in PANELS]
    return bar_chart.draw(theme, "Nanoseconds per lookup: 64-bit keys, 10 bits per key, half of them present", series, panels,
                          "AMD EPYC (Zen 4), one thread, GCC 12; shorter is faster. Drawn from bench/RESULTS.md by "
                          "bench/speed_picture.py")


def main():
    values = measured((ROOT / "bench/RESULTS.md").read_text(encoding="utf-8"))
    stale = 0
    for theme in bar_chart.THEMES:
        file = ROOT / "docs" / "images" / f"speed-{theme}.svg"
        drawn = picture(values, theme)
        if "--check" not in sys.argv:
            file.write_text(drawn, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != drawn:
            print(f"{file.relative_to(ROOT)} is not what bench/RESULTS.md says; run bench/speed_picture.py")
            stale += 1
    return 1 if stale else 0


sys.exit(main())
