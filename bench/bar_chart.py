"""Bar charts as SVG, light and dark, for the pictures of measurements: no dependencies, the same bytes for the same numbers."""
import pathlib

THEMES = {
    "light": {"text": "#1f2328", "soft": "#59636e", "bars": ["#afb8c1", "#8c959f", "#54aeff", "#0969da"]},
    "dark": {"text": "#e6edf3", "soft": "#9198a1", "bars": ["#484f58", "#6e7681", "#1f6feb", "#4493f8"]},
}
WIDTH, LEFT, PANEL, BAR = 900, 20, 440, 13


def bar_colors(series, colors):
    """Grey for others, blue for ours: a series is (label, is ours)."""
    grey, blue = list(colors["bars"][:2]), list(colors["bars"][2:])
    greys, blues = [mine for _, mine in series].count(False), [mine for _, mine in series].count(True)
    grey, blue = grey[2 - min(greys, 2):], blue[2 - min(blues, 2):]
    return [(blue if mine else grey).pop(0) for _, mine in series]


def draw(theme, title, series, panels, footer):
    """series: [(label, is ours)], at most two of each. panels: [(title, [(group, [a value per series])])], two in a row; values in
    nanoseconds, None where there is none."""
    colors = THEMES[theme]
    bars = bar_colors(series, colors)
    out = []

    def text(x, y, words, size=12, color="text", anchor="start", weight="normal"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colors[color]}" text-anchor="{anchor}" '
                   f'font-weight="{weight}">{words}</text>')

    text(LEFT, 26, title, 15, weight="600")
    for row, (label, _) in enumerate(series):
        x, y = LEFT + PANEL * (row % 2), 50 + 20 * (row // 2)
        out.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" rx="2" fill="{bars[row]}"/>')
        text(x + 18, y, label, 12, "soft")
    top = 68 + 20 * ((len(series) + 1) // 2)
    bottom = top
    for number, (name, groups) in enumerate(panels):
        if number % 2 == 0:
            top = bottom if number == 0 else bottom + 22
        x0 = LEFT + number % 2 * PANEL
        text(x0, top, name, 13, weight="600")
        scale = (PANEL - 180) / max(value for _, values in groups for value in values if value is not None)
        y = top + 14
        for group, values in groups:
            text(x0, y + len(series) * BAR / 2 + 4, group, 12, "soft")
            for row, value in enumerate(values):
                if value is not None:
                    length = max(1.0, value * scale)
                    out.append(f'<rect x="{x0 + 118}" y="{y}" width="{length:.1f}" height="{BAR - 2}" rx="2" fill="{bars[row]}"/>')
                    text(x0 + 123 + length, y + BAR - 3, f"{value:.1f}", 11)
                y += BAR
            y += 12
        bottom = max(bottom, y)
    text(LEFT, bottom + 8, footer, 11, "soft")
    height = bottom + 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'font-family="system-ui, sans-serif" role="img" aria-label="{title}">\n<title>{title}</title>\n' +
            "\n".join(out) + "\n</svg>\n")


def write(prefix, *what):
    """PREFIX-light.svg and PREFIX-dark.svg."""
    for theme in THEMES:
        pathlib.Path(f"{prefix}-{theme}.svg").write_text(draw(theme, *what), encoding="utf-8")
