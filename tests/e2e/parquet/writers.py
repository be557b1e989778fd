"""Columns of files that three writers of npm made, in every encoding and codec they offer: each value is what was written."""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from npm_packages import install  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parent / "node"
SKIP = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def run(arguments, **more):
    return subprocess.run(arguments, capture_output=True, timeout=120, **more)


def check_any_bytes(bloomery, folder, case, values):
    """A filter of the column has every value, given in hexadecimal, and printing is refused."""
    here = ["--column", case["column"], case["file"]]
    printed = run([bloomery, "dedup", "-q", *here], cwd=folder)
    run([bloomery, "build", "-q", "--force", "-p", "1e-9", "-o", "bytes.bloom", *here], cwd=folder)
    found = run([bloomery, "query", "-q", "-c", "--hex", "bytes.bloom"], cwd=folder,
                input="".join(value.hex() + "\n" for value in values).encode())
    other = run([bloomery, "query", "-q", "-c", "--hex", "bytes.bloom"], cwd=folder,
                input="".join((value + b"x").hex() + "\n" for value in values).encode())
    if (printed.returncode, found.stdout, other.stdout) == (2, f"{len(values)}\n".encode(), b"0\n"):
        return None
    return f"{case['how']}: {case['file']} {case['column']}: {printed}, {found}, {other}"


def check_column(bloomery, folder, case):
    """Every value of the column is printed, in order; nulls are counted."""
    values = [base64.b64decode(value) for value in case["values"]]
    # A value that holds the delimiter is refused, because it would be printed as two.
    used = set().union(*map(set, values))
    if len(used) == 256:  # no byte is left to end them: they are looked up instead
        return check_any_bytes(bloomery, folder, case, values)
    end = next(byte for byte in range(256) if byte not in used)
    wanted = b"".join(value + bytes([end]) for value in values)
    # No value is in the empty filter, so -v prints them all.
    got = run([bloomery, "query", "-v", "-D", f"\\x{end:02x}", "--column", case["column"], "none.bloom", case["file"]], cwd=folder)
    if got.returncode != 0 or got.stdout != wanted:
        place = next((i for i, (a, b) in enumerate(zip(got.stdout, wanted)) if a != b), min(len(got.stdout), len(wanted)))
        return (f"{case['how']}: {case['file']} {case['column']}: exit {got.returncode}, {len(got.stdout)} bytes instead of "
                f"{len(wanted)}, different from byte {place}: {got.stdout[place:place + 60]!r} instead of "
                f"{wanted[place:place + 60]!r}; {got.stderr.decode()}")
    return None


def check_round_trip(bloomery, folder, case):
    """build from the column and query it as lines of text, and the other way round."""
    values = [base64.b64decode(value) for value in case["values"]]
    lines = b"".join(value + b"\n" for value in values)
    run([bloomery, "build", "-q", "-F", "-o", "c.bloom", "--column", case["column"], case["file"]], cwd=folder, check=True)
    by_lines = run([bloomery, "query", "-c", "c.bloom"], cwd=folder, input=lines).stdout
    run([bloomery, "build", "-q", "-F", "-o", "l.bloom"], cwd=folder, input=lines, check=True)
    by_column = run([bloomery, "query", "-c", "-j", "2", "--column", case["column"], "l.bloom", case["file"]], cwd=folder).stdout
    unique = b"".join(value + b"\n" for value in dict.fromkeys(values))
    once = run([bloomery, "dedup", "-q", "--exact", "--column", case["column"], case["file"]], cwd=folder).stdout
    count = str(len(values)).encode() + b"\n"
    if (by_lines, by_column) != (count, count):
        return f"{case['how']}: {by_lines} lines and {by_column} values of {count} are found"
    return None if once == unique else f"{case['how']}: dedup --exact prints other values than the first of each"


def main():
    bloomery = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="bloomery-parquet-") as folder:
        install(PACKAGE, folder, skip)
        made = run(["node", "client.mjs", folder], cwd=folder)
        if made.returncode != 0:
            sys.exit(f"the writers failed:\n{made.stdout.decode()}{made.stderr.decode()}")
        print(made.stdout.decode(), end="")
        cases = json.loads((pathlib.Path(folder) / "expected.json").read_text())
        run([bloomery, "build", "-q", "-o", "none.bloom", "-n", "10", "/dev/null"], cwd=folder, check=True)
        wrong = [check_column(bloomery, folder, case) for case in cases]
        plain = [case for case in cases if case["column"] in ("id", "url", "stock.count") and "SNAPPY" in case["how"]]
        wrong += [check_round_trip(bloomery, folder, case) for case in plain]
    wrong = [sentence for sentence in wrong if sentence]
    print("\n".join(wrong) or f"{len(cases)} columns read as they were written; {len(plain)} agree with lines of text")
    sys.exit(1 if wrong else 0)


main()
