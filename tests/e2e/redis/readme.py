"""What README.md shows of Redis is what a server answers."""
import pathlib
import shutil
import subprocess

from harness import CLI, Server, check, main

README = pathlib.Path(__file__).resolve().parents[3] / "README.md"


def steps():
    """(words for redis-cli, what it prints)."""
    section = README.read_text().partition("## In Redis\n")[2].partition("\n## ")[0]
    for step in section.partition("```\n$ ")[2].partition("```")[0].split("$ "):
        command, _, printed = step.partition("\n")
        if command:
            yield command.split()[1:], printed


def test(module):
    if shutil.which(CLI) is None:
        print("note: redis-cli is not installed")
        return
    with Server(module) as server:
        shown = 0
        for words, printed in steps():
            run = subprocess.run([CLI, "--no-raw", "-p", str(server.port), *words], capture_output=True, text=True, timeout=60)
            check(run.stdout, printed, words)
            shown += 1
        check(shown >= 4, True, "README.md shows some commands")


main(test)
