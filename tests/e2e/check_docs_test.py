"""tools/check_docs.py passes true documents and fails on each kind of untrue name. Usage: check_docs_test.py"""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_docs.py"
PROGRAM = """#!/bin/sh
case "$1" in
  sift) echo "Options:"; echo "  -n,--keys N   Keys"; echo "  --silent      Nothing" ;;
  *) echo "Global options:"; echo "  -q,--quiet  Quiet"; echo; echo "Subcommands:"; echo "  sift   Sift records" ;;
esac
"""
TRUE_PAGE = """# A page

## What it does, and how

[down](#what-it-does-and-how), [twice](docs/other.md#same-1), [a file](tools/sift.py),
<img src="docs/picture.svg">. The code is in `tools/sift.py`, `sift.py`, `tools/sift.{py,sh}` and
`tools/NAME.py`. Configure with preset `fast`, built in `build/fast/sift`. `bloomery sift --keys 3`,
`sift -n 3`, `--silent`, and `BLOOMERY_FAST` exist. Colour `color`. `[no](link.md)` is code.

From [an example](docs/sift.cc):

```cpp
  int a = 1;
...
int c = 3;
```

| Folder | Files |
|---|---|
| `tools/` | `sift` sifts, with `--silent` |

```sh
cmake --preset fast --anything
bloomery -q sift --silent | sort --unknown
```
"""
UNTRUE = [
    ("[gone](docs/gone.md)", "docs/gone.md, which does not exist"),
    ("[gone](../outside.md)", "../outside.md, which does not exist"),
    ('<img src="docs/gone.svg">', "docs/gone.svg, which does not exist"),
    ("[gone](#nowhere)", "no heading for #nowhere"),
    ("[gone](docs/other.md#same-2)", "no heading for #same-2"),
    ("`tools/gone.py`", "the path tools/gone.py"),
    ("`tools/sift.{py,cc}`", "the path tools/sift.cc"),
    ("`tools/NAME.cc`", "the path tools/*.cc"),
    ("`gone.cc`", "the file gone.cc"),
    ("```cpp\n#include \"bloomery/gone.h\"\n```", "the path bloomery/gone.h"),
    ("| `tools/` | `gone` |", "names gone in tools/"),
    ("[code](docs/sift.cc):\n\n```cpp\nint a = 1;\nint c = 3;\n```", "code that is not in docs/sift.cc"),
    ("`cmake --preset slow`", "the preset slow"),
    ("presets `fast` and `slow`", "the preset slow"),
    ("`build/slow/sift`", "the preset slow"),
    ("`BLOOMERY_SLOW`", "BLOOMERY_SLOW, which no source"),
    ("an unusual behavior", "spells behavior the American way"),
    ("It recognizes them", "spells recognizes the American way"),
    ("word " * 21, "has 105 characters in a line"),
    ("`--gone`", "the option --gone"),
    ("`sift --quick`", "has no option --quick"),
    ("`bloomery sieve`", "`bloomery sieve` is not a subcommand"),
    ("```sh\nseq 3 | bloomery sift --gone\n```", "has no option --gone"),
    ("```console\n$ bloomery sift -x\n```", "has no option -x"),
]


def run(folder, text, *program):
    (folder / "README.md").write_text(text)
    done = subprocess.run([sys.executable, str(CHECK), *program, "--root", str(folder)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "repository"
        for path, text in {
            "docs/other.md": "# Other\n## Same\n## Same\n", "docs/picture.svg": "",
            "docs/sift.cc": "int a = 1;\n  int b = 2;\nint c = 3;\n", "tools/sift.py": "", "tools/sift.sh": "",
            "bloomery/bloomery.h": "", "CMakeLists.txt": "option(BLOOMERY_FAST)", "program": PROGRAM,
            "CMakePresets.json": '{"configurePresets": [{"name": "fast"}]}',
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        program = folder / "program"
        program.chmod(0o755)
        subprocess.run(["git", "init", "-q", str(folder)], check=True)

        code, printed = run(folder, TRUE_PAGE, str(program))
        if code != 0:
            failures.append(f"a true page is refused:\n{printed}")
        for text, expected in UNTRUE:
            code, printed = run(folder, TRUE_PAGE + "\n" + text + "\n", str(program))
            if code != 1 or expected not in printed:
                failures.append(f"{text!r}: exit {code}, and not {expected!r} in:\n{printed}")
        code, printed = run(folder, TRUE_PAGE + "\n`--gone`\n", str(folder / "not-built"))
        if code != 0 or "options were not checked" not in printed:
            failures.append(f"without the program: exit {code}\n{printed}")
    print("\n".join(failures) or f"1 true page passes, {len(UNTRUE)} untrue names are found")
    return 1 if failures else 0


sys.exit(main())
