"""The worked examples in examples/redis, against real servers: what they print is what they promise."""
import pathlib
import re
import subprocess
import sys

import postgres
from command import PROGRAM
from harness import SKIP, Server, check, main

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "redis"


def interpreter(*modules):
    """A Python that has the modules: Debian's packages are the system's only."""
    for python in [sys.executable, "/usr/bin/python3"]:
        probe = [python, "-c", "; ".join(f"import {m}" for m in modules)]
        try:
            if subprocess.run(probe, capture_output=True, timeout=60).returncode == 0:
                return python
        except OSError:
            pass
    return None


def run(python, example, *arguments):
    ran = subprocess.run([python, EXAMPLES / example, *map(str, arguments)], capture_output=True, text=True, timeout=240)
    check((ran.returncode, ran.stderr), (0, ""), example)
    print(ran.stdout, end="")
    return ran.stdout


def numbers(pattern, text):
    found = re.search(pattern, text)
    check(found is not None, True, f"{pattern!r} in {text!r}")
    return [float(n) for n in found.groups()] if found else [0.0] * re.compile(pattern).groups


def cache_guard(python, module):
    with Server(module) as server, postgres.Postgres() as database:
        for how in [[], ["--bloomery", PROGRAM]]:
            said = run(python, "cache_guard.py", "--redis", f"redis://127.0.0.1:{server.port}", "--postgres", database.dsn,
                       "--rows", 10_000, "--lookups", 8000, *how)
            lookups, absent = numbers(r"(\d+) lookups, (\d+) of them for users who do not exist", said)
            without, = numbers(r"without the filter: (\d+) queries", said)
            guarded, = numbers(r"with the filter: +(\d+) queries", said)
            spared, = numbers(r"the filter answered (\d+) of", said)
            # Every absent lookup reaches the table without the filter; with it, one in a thousand, 4 standard deviations.
            check(without > absent > 0.3 * lookups, True, said)
            check(absent - spared <= absent * 0.001 + 4 * (absent * 0.001) ** 0.5, True, said)
            check(without - guarded, spared, "PostgreSQL counts as many queries fewer as the filter answered")
            check("present users denied: 0\na new user is found at once: new@example.org\n" in said, True)


def crawler(python, module):
    with Server(module) as server:
        said = run(python, "crawler.py", "--redis", f"redis://127.0.0.1:{server.port}", "--workers", 4, "--pages", 1500)
        linked, fetched = numbers(r"(\d+) pages linked, (\d+) fetched", said)
        wrongly, foretold = numbers(r"wrongly skipped: (\d+) pages; foretold: ([\d.]+)", said)
        check(numbers(r"fetched more than once: (\d+)", said), [0.0])
        check(linked > 1400, True, said)
        check(linked - fetched, wrongly)
        check(wrongly <= foretold + 4 * foretold ** 0.5 + 1, True, said)
        check(numbers(r"links skipped as seen: (\d+)", said)[0] > 5 * linked, True, said)


def test(module):
    wanted = sys.argv[4]
    modules = ["redis", "psycopg2"] if wanted == "cache_guard" else ["redis"]
    python = interpreter(*modules)
    missing = f"no Python with {' and '.join(modules)}" if python is None else ""
    if wanted == "cache_guard" and postgres.programs() is None:
        missing = "PostgreSQL is not installed"
    if missing:
        print(f"skipped: {missing}")
        sys.exit(SKIP)
    {"cache_guard": cache_guard, "crawler": crawler}[wanted](python, module)


main(test)
