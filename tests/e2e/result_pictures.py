"""Every picture of measurements is what its table of bench/RESULTS.md says, and the check notices where one is not.

usage: result_pictures.py
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import pictures  # noqa: E402

TEXT = (ROOT / "bench" / "RESULTS.md").read_text(encoding="utf-8")


def check(root):
    done = subprocess.run([sys.executable, root / "bench" / "pictures.py", "--check"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Altered(pictures.Results):
    """Notes which tables a picture reads, and gives other numbers for one of them."""

    def __init__(self, altered=None):
        super().__init__(TEXT)
        self.read, self.altered = set(), altered

    def table(self, heading, number=0, keys=1):
        self.read.add((heading, number))
        table = super().table(heading, number, keys)
        if (heading, number) == self.altered:
            for row, cells in table.rows.items():
                table.rows[row] = [re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), cell) for cell in cells]
        return table


def every_table_counts():
    """A picture changes with each table that it reads."""
    counted = 0
    for name, picture in pictures.PICTURES.items():
        results = Altered()
        before = picture(results)
        assert results.read, name
        for table in results.read:
            assert picture(Altered(table)) != before, f"{name} does not change with table {table}"
            counted += 1
    return counted


def fails(folder, sentence, page, change):
    """The check of a copy in which a page or a picture was changed."""
    root = folder / "copy"
    shutil.rmtree(root, ignore_errors=True)
    for part in ("bench", "docs/images"):
        shutil.copytree(ROOT / part, root / part)
    shutil.copy(ROOT / "README.md", root)
    assert check(root)[0] == 0, check(root)
    file = root / page
    before = file.read_text(encoding="utf-8")
    file.write_text(change(before), encoding="utf-8")
    assert file.read_text(encoding="utf-8") != before, page
    code, said = check(root)
    assert code == 1 and sentence in said, (page, code, said)


def main():
    code, said = check(ROOT)
    assert code == 0, said
    counted = every_table_counts()
    strings = re.search(r"(\| 23 bytes, 1 million, native \| )(\S+)", TEXT)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fails(folder, "filter-23-light.svg is not what bench/RESULTS.md says", "bench/RESULTS.md",
              lambda text: text.replace(strings[0], f"{strings[1]}{float(strings[2]) + 0.4:.2f}"))
        fails(folder, "redis-dark.svg is not what", "docs/images/results/redis-dark.svg", lambda text: text.replace("</text>", "0</text>", 1))
        fails(folder, "csv-light.svg is shown by no page", "bench/RESULTS.md",
              lambda text: text.replace("images/results/csv-light", "images/session-light"))
        fails(folder, "new-dark.svg is shown by a page, and no table", "README.md", lambda text: text + "docs/images/new-dark.svg")
    print(f"{len(pictures.PICTURES)} pictures follow {counted} tables, and four kinds of difference are noticed")


main()
