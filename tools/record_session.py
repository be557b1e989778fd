#!/usr/bin/env python3
"""Records a terminal session as docs/images/session-{light,dark}.svg.

usage: record_session.py PATH-OF-BLOOMERY [--check]

Runs the commands of SESSION in an empty folder and draws what they print. The lines appear one after the other in a
viewer that animates SVG; others show the last picture. With --check nothing is written: exit code 1 where the recorded
text is not what the commands print now (times and rates of the machine are not compared, as in check_readme.py).
"""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

import check_readme

ROOT = pathlib.Path(__file__).resolve().parent.parent
SESSION = [
    "seq -f 'https://example.org/%.0f' 1 200000 > urls.txt; head -n 90000 urls.txt > again.txt",
    "bloomery dedup urls.txt again.txt > once.txt",
    "bloomery build -o seen.bloom once.txt",
    "printf 'https://example.org/7\\nhttps://example.org/login\\n' | bloomery query --label seen.bloom",
    "bloomery inspect seen.bloom | head -n 12",
    "bloomery build -q --format guava -o seen.guava once.txt && bloomery query -c seen.guava urls.txt",
]
COLUMNS = 100
THEMES = {
    "light": {"back": "#f6f8fa", "edge": "#d1d9e0", "text": "#1f2328", "command": "#0550ae", "prompt": "#59636e"},
    "dark": {"back": "#0d1117", "edge": "#3d444d", "text": "#e6edf3", "command": "#79c0ff", "prompt": "#9198a1"},
}


def recorded(program):
    """(is it a command, line) for every line of the session, wrapped as a terminal wraps it."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        tools, work = os.path.join(folder, "tools"), os.path.join(folder, "work")
        os.mkdir(tools)
        os.mkdir(work)
        os.symlink(os.path.abspath(program), os.path.join(tools, "bloomery"))
        environment = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], LC_ALL="C", TERM="dumb")
        for command in SESSION:
            done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, timeout=120, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}")
            lines.append((True, command))
            lines += [(False, line.expandtabs()) for line in done.stdout.splitlines()]
    return lines


def wrapped(lines):
    for command, line in lines:
        parts = textwrap.wrap(line, COLUMNS - 2, drop_whitespace=False, break_on_hyphens=False)
        for number, part in enumerate(parts or [""]):
            yield command and number == 0, command, part


def picture(lines, theme):
    colors, step, seconds = THEMES[theme], 17, 0.0
    out, y = [], 30
    for prompt, command, line in wrapped(lines):
        seconds += 1.2 if prompt else 0.08
        shown = html.escape(line, quote=False)
        if prompt:
            shown = f'<tspan fill="{colors["prompt"]}">$ </tspan>{shown}'
        elif command:
            shown = "  " + shown
        color = colors["command" if command else "text"]
        out.append(f'<text xml:space="preserve" x="16" y="{y}" fill="{color}" style="animation-delay:{seconds:.2f}s">'
                   f'{shown}</text>')
        y += step
    width, height = 16 * 2 + int(COLUMNS * 7.85), y
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'role="img" aria-label="A terminal session with bloomery">\n'
            "<title>A terminal session with bloomery</title>\n"
            "<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}"
            "@media (prefers-reduced-motion:no-preference){text{animation:show .01s backwards}}"
            "@keyframes show{from{opacity:0}to{opacity:1}}</style>\n"
            f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{colors["back"]}" '
            f'stroke="{colors["edge"]}"/>\n'
            + "\n".join(out) + "\n</svg>\n")


def words(drawn):
    """The text of a picture, line ends and what belongs to the machine left out."""
    lines = [html.unescape(re.sub(r"<[^>]*>", "", line)) for line in re.findall(r"<text[^>]*>.*?</text>", drawn)]
    return check_readme.normalised(" ".join(" ".join(lines).split()))


def main():
    lines = recorded(sys.argv[1])
    stale = 0
    for theme in THEMES:
        file = ROOT / "docs" / "images" / f"session-{theme}.svg"
        drawn = picture(lines, theme)
        if "--check" not in sys.argv:
            file.write_text(drawn, encoding="utf-8")
        elif not file.exists() or words(file.read_text(encoding="utf-8")) != words(drawn):
            print(f"{file.relative_to(ROOT)} is not what the commands print; run tools/record_session.py {sys.argv[1]}")
            stale += 1
    return 1 if stale else 0


sys.exit(main())
