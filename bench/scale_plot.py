#!/usr/bin/env python3
"""Draws docs/images/scale-light.svg and scale-dark.svg from the rows that scale_sim wrote into bench/RESULTS.md.

usage: scale_plot.py [--check]    --check: end with 1 unless the pictures are those of the rows
"""
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, TOP, BOTTOM = 900, 372, 92, 310
LEFT_PANEL, RIGHT_PANEL = (60, 420), (520, 880)
GOALS = (1.0, 0.1)  # in percent
THEMES = {
    "light": {"text": "#1f2328", "soft": "#59636e", 1.0: "#0969da", 0.1: "#bc4c00"},
    "dark": {"text": "#e6edf3", "soft": "#9198a1", 1.0: "#4493f8", 0.1: "#db6d28"},
}


class Row:
    """One row: keys of the whole filter, and rates in percent."""

    def __init__(self, cells):
        factor, power = re.fullmatch(r"(?:([\d.]+) × )?10\^(\d+)", cells[0]).groups()
        self.keys = float(factor or 1) * 10.0 ** int(power)
        self.goal, self.hash, self.source = float(cells[1].split()[0]), cells[2], cells[3]
        self.expected, self.rate, self.reach, self.bits = (float(cell.strip("±% ")) for cell in cells[6:10])

    def off(self, rate):
        return 100 * (rate / self.expected - 1)


def rows_below(heading):
    text = (ROOT / "bench" / "RESULTS.md").read_text(encoding="utf-8").partition(f"\n### {heading}\n")[2]
    lines = re.split(r"\n##+ ", text)[0].splitlines()
    return [Row([cell.strip() for cell in line.strip("|").split("|")]) for line in lines if re.match(r"\| [\d.× ]*10\^", line)]


class Picture:
    def __init__(self, theme):
        self.colors, self.out = THEMES[theme], []

    def text(self, x, y, words, size=12, color="text", anchor="start", weight="normal"):
        self.out.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{self.colors[color]}" '
                        f'text-anchor="{anchor}" font-weight="{weight}">{words}</text>')

    def line(self, points, color, width=1.0, dashes=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"{dash}/>')

    def dot(self, x, y, color):
        self.out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>')

    def square(self, x, y, color):
        self.out.append(f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="none" stroke="{color}" stroke-width="1.3"/>')

    def grid(self, panel, y, label):
        self.line([(panel[0], y), (panel[1], y)], self.colors["soft"], 0.4, "2 3")
        self.text(panel[0] - 6, y + 4, label, 11, "soft", "end")


def draw_filling(picture, rows):
    """Rates while a filter of 10^12 keys fills: a line for theory, points for what was measured."""
    lowest, highest = -7.0, 1.0  # powers of ten, of percent
    picture.text(LEFT_PANEL[0], 78, "while a filter for 10¹² keys fills", 13, weight="600")
    x_of = lambda keys: LEFT_PANEL[0] + (LEFT_PANEL[1] - LEFT_PANEL[0]) * keys / 1.5e12
    y_of = lambda rate: BOTTOM - (BOTTOM - TOP) * (math.log10(rate) - lowest) / (highest - lowest)
    for power, label in ((1, "10 %"), (-1, "0.1 %"), (-3, "0.001 %"), (-5, "1e-7"), (-7, "1e-9")):
        picture.grid(LEFT_PANEL, y_of(10.0 ** power), label)
    for share in (0, 0.5, 1, 1.5):
        picture.text(x_of(share * 1e12), BOTTOM + 18, f"{100 * share:.0f} %", 11, "soft", "middle")
    picture.text(sum(LEFT_PANEL) / 2, BOTTOM + 36, "keys inserted, of those it was made for", 11, "soft", "middle")
    for goal in GOALS:
        own = [row for row in rows if row.goal == goal]
        color = picture.colors[goal]
        picture.line([(x_of(row.keys), y_of(row.expected)) for row in own], color, 1.5)
        for row in own:
            if row.rate / 100 > 20 / 1e7:  # of 10 million queries; fewer hits say little
                picture.dot(x_of(row.keys), y_of(row.rate), color)
            picture.square(x_of(row.keys), y_of(row.bits), color)


def draw_sizes(picture, rows):
    """How far the measured rate is off, for filters of all sizes."""
    highest = 1.0  # percent of the rate
    picture.text(RIGHT_PANEL[0], 78, "full filters: measured beside theory", 13, weight="600")
    y_of = lambda off: (TOP + BOTTOM) / 2 - (BOTTOM - TOP) / 2 * max(-1.0, min(1.0, off / highest))
    for off in (-1.0, -0.5, 0.0, 0.5, 1.0):
        picture.grid(RIGHT_PANEL, y_of(off), f"{off:+.1f} %" if off else "0")
    powers = range(9, 14)
    step = (RIGHT_PANEL[1] - RIGHT_PANEL[0]) / len(powers)
    for power in powers:
        middle = RIGHT_PANEL[0] + step * (power - 8.5)
        picture.text(middle, BOTTOM + 18, "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power)), 11, "soft", "middle")
        own = sorted((row for row in rows if row.keys == 10.0 ** power and row.source == "inverse"), key=lambda row: (-row.goal, row.hash))
        for number, row in enumerate(own):
            x = middle + (number - (len(own) - 1) / 2) * 13
            color = picture.colors[row.goal]
            reach = 100 * row.reach / row.expected
            picture.line([(x, y_of(row.off(row.rate) - reach)), (x, y_of(row.off(row.rate) + reach))], color, 1.2)
            picture.dot(x, y_of(row.off(row.rate)), color)
            picture.square(x, y_of(row.off(row.bits)), color)
    picture.text(sum(RIGHT_PANEL) / 2, BOTTOM + 36, "keys of the whole filter", 11, "soft", "middle")


def draw(theme, sizes, filling):
    picture = Picture(theme)
    title = "False-positive rate: theory and simulated parts"
    picture.text(20, 26, title, 15, weight="600")
    x = 20
    for goal in GOALS:
        picture.line([(x, 46), (x + 22, 46)], picture.colors[goal], 1.5)
        picture.text(x + 28, 50, f"theory, made for {goal:g} %", 12, "soft")
        x += 190
    picture.dot(x + 6, 46, picture.colors["soft"])
    picture.text(x + 16, 50, "measured with absent keys, 95 %", 12, "soft")
    picture.square(x + 236, 46, picture.colors["soft"])
    picture.text(x + 246, 50, "computed from all its bits", 12, "soft")
    draw_filling(picture, filling)
    draw_sizes(picture, sizes)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            f'font-family="system-ui, sans-serif" role="img" aria-label="{title}">\n<title>{title}</title>\n' +
            "\n".join(picture.out) + "\n</svg>\n")


def main():
    sizes, filling = rows_below("Parts of filters of 10^9 to 10^13 keys"), rows_below("A filter for 10^12 keys while it fills")
    assert len(sizes) >= 16 and len(filling) >= 20, f"{len(sizes)} and {len(filling)} rows in bench/RESULTS.md"
    for theme in THEMES:
        file, picture = ROOT / "docs" / "images" / f"scale-{theme}.svg", draw(theme, sizes, filling)
        if "--check" not in sys.argv:
            file.write_text(picture, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != picture:
            sys.exit(f"{file.relative_to(ROOT)} is not what bench/scale_plot.py draws; run it")


if __name__ == "__main__":
    main()
