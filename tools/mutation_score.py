"""Measures the tests: changes one operator or constant of the library at a time and counts how many changes the tests catch.

  python3 tools/mutation_score.py                 300 mutants of bloomery/, resumed where an earlier run stopped
  python3 tools/mutation_score.py --count 1000 --seed 2 --only bloomery/filter

The library and its tests are built once, from a copy of the committed tree. For each mutant only the changed file and, for a header,
the sources and tests that include it are compiled again. They are linked before the rest, so that the changed code wins.
A mutant counts as caught when a test fails, crashes or does not end. Survivors are printed with their line;
tools/mutation_explained.txt holds those that change nothing a caller can see, each with its reason.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutation"
SOURCE = WORK / "source"
OUT = WORK / "out"
EXPLAINED = ROOT / "tools" / "mutation_explained.txt"
# Test programs that also stand on a folder, besides its own: tried when the folder's own tests let a mutant live.
WIDER = ["tests/filter", "tests/formats", "tests/simd", "tests"]

SLOW_SECONDS = 1  # tests that take longer are left out until --again: a mutant is to cost seconds
MOST_SOURCES = 4  # that are compiled again for a header, and as many tests

OPERATORS = {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], ">": [">=", "<="], "<=": ["<"], ">=": [">"], "&&": ["||"],
             "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"],
             "&": ["|"], "|": ["&"], "^": ["|"], "+=": ["-="], "-=": ["+="], "|=": ["&="], "&=": ["|="], "^=": ["|="]}
# The formatter puts spaces around binary operators and none around template brackets or references.
OPERATOR = re.compile(r"(?<= )(" + "|".join(re.escape(o) for o in sorted(OPERATORS, key=len, reverse=True)) + r")(?= )")
NUMBER = re.compile(r"(?<![\w.'])(0x[0-9a-fA-F']+|\d[\d']*)(u|U|l|L|ul|UL|ull|ULL)?(?![\w.'])")
BOOLEAN = re.compile(r"\breturn (true|false);")
NEGATION = re.compile(r"(?<=[( ])!(?=[\w(])")
PASSED_OVER = re.compile(r"^\s*(#|static_assert|assert\(|using |template|//|namespace|\[\[)|operator[<>=!+\-*&|^]|= default|= delete|= 0;")


Mutant = collections.namedtuple("Mutant", "path line column old new key")


def without_comments_and_strings(text):
    """The text with comments and literals blanked out, every character at its place."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(match):
        token = match.group(0)
        if token.startswith("'") and match.start() and match.string[match.start() - 1].isalnum():
            return token  # a digit separator
        return re.sub(r"[^\n]", " ", token)
    return pattern.sub(blank, text)


def replacements(code):
    """(column, old, new) for each change of one line."""
    for match in OPERATOR.finditer(code):
        for new in OPERATORS[match.group(1)]:
            yield match.start(), match.group(1), new
    for match in NUMBER.finditer(code):
        digits = match.group(1).replace("'", "")
        value = int(digits, 8 if len(digits) > 1 and digits.isdigit() and digits[0] == "0" else 0)
        yield match.start(1), match.group(1), str(value + 1)
        if value > 1:
            yield match.start(1), match.group(1), str(value - 1)
    for match in BOOLEAN.finditer(code):
        yield match.start(1), match.group(1), "false" if match.group(1) == "true" else "true"
    for match in NEGATION.finditer(code):
        yield match.start(), "!", ""


def all_mutants(only):
    for path in sorted(SOURCE.glob("bloomery/**/*")):
        name = str(path.relative_to(SOURCE))
        if path.suffix not in (".h", ".cc") or not name.startswith(only):
            continue
        text = path.read_text()
        lines = text.split("\n")
        for number, code in enumerate(without_comments_and_strings(text).split("\n"), 1):
            if PASSED_OVER.search(code):
                continue
            for column, old, new in replacements(code):
                line = lines[number - 1].strip()
                digest = hashlib.sha256(f"{name}|{line}|{column}|{new}".encode()).hexdigest()[:12]
                yield Mutant(name, number, column, old, new, digest)


def refresh(head):
    """Makes the copy what is committed. Files that did not change keep their time, so that they are not compiled again."""
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        archive = subprocess.Popen(["git", "archive", head], cwd=ROOT, stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-m", "-C", folder], stdin=archive.stdout, check=True)
        committed = {path.relative_to(folder) for path in pathlib.Path(folder).rglob("*") if path.is_file()}
        for path in committed:
            new, old = pathlib.Path(folder) / path, SOURCE / path
            if not old.is_file() or new.read_bytes() != old.read_bytes():
                old.parent.mkdir(parents=True, exist_ok=True)
                os.replace(new, old)
        for old in [path for path in SOURCE.rglob("*") if path.is_file()]:
            if old.relative_to(SOURCE) not in committed:
                old.unlink()


def prepare():
    """Copies the committed tree, builds it once, and returns the compile and link commands."""
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    stamp = WORK / "head"
    if not stamp.exists() or stamp.read_text() != head:
        refresh(head)
        stamp.write_text(head)
        (WORK / "baselines.json").unlink(missing_ok=True)
    subprocess.run(["cmake", "-S", SOURCE, "-B", OUT, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DBLOOMERY_UNITY=OFF", "-DBLOOMERY_BUILD_APPS=OFF", "-DBLOOMERY_BUILD_BENCH=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    programs = [name for name in subprocess.check_output(["ninja", "-C", OUT, "-t", "targets", "all"], text=True).split()
                if re.fullmatch(r"tests/(base|hash|funnel|layout|simd|filter|formats)/\w+_tests:|tests/typed_filter_tests:", name)]
    programs = [name.rstrip(":") for name in programs if "other_char" not in name]
    subprocess.run(["ninja", "-C", OUT, "-j", str(os.cpu_count()), *programs], check=True, stdout=subprocess.DEVNULL)
    links = {}
    for program in programs:
        command = subprocess.check_output(["ninja", "-C", OUT, "-t", "commands", program], text=True).strip().split("\n")[-1]
        links[program] = command.removeprefix(": && ").removesuffix(" && :")
    compiles = {entry["file"]: entry["command"] for entry in json.loads((OUT / "compile_commands.json").read_text())}
    return {os.path.relpath(file, SOURCE): command for file, command in compiles.items()}, links


def includers(header, pattern):
    """The files that include a header themselves, those of its own name first."""
    stem = pathlib.Path(header).stem
    found = [str(path.relative_to(SOURCE)) for path in SOURCE.glob(pattern)
             if f'"{header}"' in path.read_text() and not any(part in str(path) for part in ("/apps/", "/concurrency/", "/property/", "/broken/"))]
    return sorted(found, key=lambda name: (stem not in name, name))


def public_header(header):
    """The header itself, or the one that includes it where no source or test does: such a file is a part of the other."""
    sources = [name for pattern in ("bloomery/**/*.cc", "tests/**/*_test.cc") for name in includers(header, pattern)]
    owners = includers(header, "bloomery/**/*.h")
    return header if sources or not owners else public_header(owners[0])


class Trial:
    """One mutant: compiled, linked before the rest, and run."""

    def __init__(self, mutant, compiles, links, baseline):
        self.mutant, self.compiles, self.links, self.baseline = mutant, compiles, links, baseline
        self.folder = tempfile.TemporaryDirectory(prefix="mutant-", dir=WORK)
        self.overlay = pathlib.Path(self.folder.name)

    def write(self):
        mutant = self.mutant
        lines = (SOURCE / mutant.path).read_text().split("\n")
        line = lines[mutant.line - 1]
        lines[mutant.line - 1] = line[:mutant.column] + mutant.new + line[mutant.column + len(mutant.old):]
        target = self.overlay / mutant.path
        target.parent.mkdir(parents=True)
        target.write_text("\n".join(lines))

    def compile(self, source):
        """The object of a source with the mutant in its include path; None where it does not compile."""
        command = shlex.split(self.compiles[source])
        if "ccache" in command[0]:
            command = command[1:]
        result = self.overlay / (source.replace("/", "_") + ".o")
        self.refused_by_assertion = False
        command[command.index("-o") + 1] = str(result)
        changed = self.overlay / source
        command[command.index("-c") + 1] = str(changed if changed.exists() else SOURCE / source)
        command = [command[0], f"-I{self.overlay}", "-w", *[word for word in command[1:] if word != "-Werror"]]
        done = subprocess.run(command, cwd=OUT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
        self.refused_by_assertion = b"static assertion failed" in done.stderr
        return result if done.returncode == 0 else None

    def survives(self, program, objects, suites):
        """Whether the program's tests pass with these objects in front."""
        command = shlex.split(self.links[program])
        binary = self.overlay / "mutant"
        command[command.index("-o") + 1] = str(binary)
        replaced = {name for name in objects}
        first = next(i for i, word in enumerate(command) if word.endswith(".o"))
        rest = [word for word in command[first:] if not any(word.endswith(name + ".o") and "/CMakeFiles/" in word and
                                                             pathlib.Path(name).name == pathlib.Path(word).name[:-2] for name in replaced)]
        command = command[:first] + [str(path) for path in objects.values()] + rest
        subprocess.run(command, cwd=OUT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds, slow, _ = self.baseline[program]
        chosen = ":".join(pattern for s in suites for pattern in (f"{s}.*", f"{s}/*", f"*/{s}.*")) or "*"
        run = [str(binary), "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={chosen}" + ("-" + ":".join(slow) if slow else "")]
        limit = int(5 * seconds + 10)  # of processor time: the machine may be busy with other work
        try:
            done = subprocess.run(run, cwd=self.overlay, timeout=20 * limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
            return done.returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def verdict(self):
        self.write()
        path = self.mutant.path
        header = public_header(path) if path.endswith(".h") else path[:-3] + ".h"
        tests = includers(header, "tests/**/*_test.cc")
        sources = [path]
        if path.endswith(".h"):
            sources = [name for name in includers(header, "bloomery/**/*.cc") if name in self.compiles][:MOST_SOURCES] + tests[:MOST_SOURCES]
        objects = {}
        for source in sources:
            built = self.compile(source)
            if built is None:
                return "caught by a static_assert" if self.refused_by_assertion else "did not compile"
            objects[source] = built
        if not objects:
            return "no test includes it"
        folder = "/".join(path.split("/")[1:-1]) or "."
        own = [name for name in self.links if os.path.dirname(name) == f"tests/{folder}"] or ["tests/typed_filter_tests"]
        suites = sorted({suite for test in tests for suite in re.findall(r"TYPED_TEST_P?\((\w+)|TEST(?:_F|_P)?\((\w+)", (SOURCE / test).read_text())
                         for suite in suite if suite})
        wider = [name for name in self.links if os.path.dirname(name) in WIDER and name not in own]
        for program, only in [(name, suites) for name in own if suites] + [(name, []) for name in own] + [(name, []) for name in wider]:
            mine = {name: made for name, made in objects.items()
                    if name.startswith("bloomery/") or f"/{os.path.basename(program)}.dir/{os.path.basename(name)}.o" in self.links[program]}
            if not mine and path.endswith(".h"):
                mine = {name: made for name, made in objects.items() if name.startswith("bloomery/")}
            if mine and not self.survives(program, mine, only):
                return f"caught by {program}"
        return "survived"


def baselines(links):
    """For each program: its seconds without a mutant, and the tests too slow to be run for every mutant."""
    stored = WORK / "baselines.json"
    if stored.exists():
        return json.loads(stored.read_text())
    found = {}
    for program in links:
        listing = WORK / "listing.json"
        if subprocess.run([str(OUT / program), f"--gtest_output=json:{listing}"], cwd=WORK, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode:
            sys.exit(f"{program} fails without any mutant: mend it first")
        times = {f"{suite['name']}.{test['name']}": float(test["time"].rstrip("s"))
                 for suite in json.loads(listing.read_text())["testsuites"] for test in suite["testsuite"]}
        slow = sorted(name for name, seconds in times.items() if seconds > SLOW_SECONDS)
        found[program] = [sum(seconds for name, seconds in times.items() if name not in slow), slow, sum(times.values())]
        print(f"{program}: {found[program][0]:.1f} s without {len(slow)} slow tests of {sum(times.values()):.0f} s", flush=True)
    stored.write_text(json.dumps(found))
    return found


def explained():
    if not EXPLAINED.exists():
        return {}
    rows = (line.split(maxsplit=1) for line in EXPLAINED.read_text().splitlines() if line and not line.startswith("#"))
    return {row[0]: row[1] for row in rows}


def report(results):
    reasons = explained()
    verdicts = collections.Counter()
    for row in results:
        kind = row["verdict"].split(" by ")[0]
        if kind in ("survived", "no test includes it") and row["key"] in reasons:
            kind = "explained"
        verdicts[kind] += 1
        if kind in ("survived", "no test includes it"):
            print(f"{kind}: {row['key']} {row['path']}:{row['line']}: `{row['old']}` became `{row['new']}`: {row['text']}")
    alive = verdicts["survived"] + verdicts["no test includes it"]
    judged = verdicts["caught"] + verdicts["explained"] + alive
    seconds = sum(row["seconds"] for row in results) / max(1, len(results))
    print(f"{judged} mutants: {verdicts['caught']} caught, {verdicts['explained']} explained, {alive} survived; "
          f"{verdicts['did not compile']} did not compile; {seconds:.1f} s each")
    print(f"score {100 * (verdicts['caught'] + verdicts['explained']) / max(1, judged):.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="bloomery/", help="mutate files whose path begins so")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="judge the unexplained survivors of earlier runs again, with the slow tests too")
    parser.add_argument("--report", action="store_true", help="print what earlier runs found, and end")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    log = WORK / "results.jsonl"
    results = {row["key"]: row for row in map(json.loads, log.read_text().splitlines())} if log.exists() else {}
    if options.report:
        return report(results.values())
    compiles, links = prepare()
    mutants = list(all_mutants(options.only))
    random.Random(options.seed).shuffle(mutants)
    baseline = baselines(links)
    if options.again:
        baseline = {program: [row[2], [], row[2]] for program, row in baseline.items()}
    print(f"{len(mutants)} possible mutants; {len(results)} judged before", flush=True)
    if options.again:
        alive = {key for key, row in results.items() if row["verdict"] in ("survived", "no test includes it")} - explained().keys()
        chosen = [mutant for mutant in mutants if mutant.key in alive]
    else:
        chosen = [mutant for mutant in mutants[:options.count] if mutant.key not in results]

    def judge(mutant):
        start = time.monotonic()
        trial = Trial(mutant, compiles, links, baseline)
        with trial.folder:
            verdict = trial.verdict()
        text = (SOURCE / mutant.path).read_text().split("\n")[mutant.line - 1].strip()
        return dict(mutant._asdict(), verdict=verdict, text=text, seconds=round(time.monotonic() - start, 1))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(log, "a") as out:
        for row in pool.map(judge, chosen):
            results[row["key"]] = row
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(f"{row['verdict']}: {row['path']}:{row['line']}: `{row['old']}` became `{row['new']}` ({row['seconds']} s)", flush=True)
    chosen_keys = {mutant.key for mutant in mutants}
    report([row for key, row in results.items() if key in chosen_keys])


if __name__ == "__main__":
    main()
