"""Bar charts as SVG, light and dark, for the pictures of measurements: no dependencies, the same bytes for the same numbers."""
THEMES = {
    "light": {"text": "#1f2328", "soft": "#59636e", "others": ["#d0d7de", "#afb8c1", "#8c959f"],
              "ours": ["#a8d4ff", "#54aeff", "#0969da"]},
    "dark": {"text": "#e6edf3", "soft": "#9198a1", "others": ["#343b43", "#484f58", "#6e7681"],
             "ours": ["#15407f", "#1f6feb", "#4493f8"]},
}
WIDTH, LEFT, PANEL, BAR = 900, 20, 440, 13
LABEL, VALUE = 118, 62  # of a panel: the least width of its labels, and the room behind its longest bar


def bar_colors(series, theme):
    """Grey for others, blue for ours, the strongest last: a series is (label, is ours)."""
    left = {mine: THEMES[theme]["ours" if mine else "others"][-max(1, [one for _, one in series].count(mine)):] for mine in (False, True)}
    return [left[mine].pop(0) for _, mine in series]


def shown(value):
    """Three digits, or what there is before the point."""
    if value >= 10 and value == round(value):
        return f"{value:,.0f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def escaped(words):
    return words.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def draw(theme, title, series, panels, footer):
    """series: [(label, is ours)], at most three of each. panels: [(title, [(group, [a value per series])])], two in a row; None where
    there is no value. The bars of a panel have a scale of their own, and a panel that is alone has the whole width."""
    out, width = [], PANEL if len(panels) > 1 else 2 * PANEL - LEFT

    def text(kind, x, y, words):
        out.append(f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{escaped(words)}</text>')

    text("h", LEFT, 26, title)
    for row, (label, _) in enumerate(series):
        x, y = LEFT + PANEL * (row % 2), 50 + 20 * (row // 2)
        out.append(f'<rect class="b{row}" x="{x}" y="{y - 10}" width="12" height="12"/>')
        text("s", x + 18, y, label)
    top = bottom = 68 + 20 * ((len(series) + 1) // 2)
    for number, (name, groups) in enumerate(panels):
        if number % 2 == 0:
            top = bottom if number == 0 else bottom + 22
        x0 = LEFT + number % 2 * PANEL
        text("p", x0, top, name)
        label = max([LABEL, *(20 + int(6.3 * len(group)) for group, _ in groups)])
        scale = (width - label - VALUE) / max(value for _, values in groups for value in values if value is not None)
        y = top + 14
        for group, values in groups:
            bars = [(row, value) for row, value in enumerate(values) if value is not None]
            text("s", x0, y + len(bars) * BAR / 2 + 4, group)
            for row, value in bars:
                length = max(1.0, value * scale)
                out.append(f'<rect class="b{row}" x="{x0 + label}" y="{y}" width="{length:.1f}" height="{BAR - 2}"/>')
                text("v", x0 + label + 5 + length, y + BAR - 3, shown(value))
                y += BAR
            y += 12
        bottom = max(bottom, y)
    text("f", LEFT, bottom + 8, footer)
    height = bottom + 20
    colors = THEMES[theme]
    style = [f"text{{font-size:12px;fill:{colors['text']}}}", "rect{rx:2px}", ".h,.p{font-weight:600}", ".h{font-size:15px}",
             ".p{font-size:13px}", ".v,.f{font-size:11px}", f".s,.f{{fill:{colors['soft']}}}"]
    style += [f".b{row}{{fill:{color}}}" for row, color in enumerate(bar_colors(series, theme))]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'font-family="system-ui, sans-serif" role="img" aria-label="{escaped(title)}">\n<title>{escaped(title)}</title>\n'
            f'<style>{"".join(style)}</style>\n' + "\n".join(out) + "\n</svg>\n")
