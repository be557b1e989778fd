"""The same table in C, Rust, Go and Java: each example writes files that equal the command's, and reads every other's.

usage: languages.py COMMAND LIBRARY SOURCE LANGUAGE...

LIBRARY is libbloomery_c.so. A language whose compiler is missing is skipped with a sentence; the exit code is 77 where
all are.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

COMMAND, LIBRARY, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
EXAMPLES = SOURCE / "examples"
HEADERS = SOURCE / "bindings/c"
FEWER_LINES_THAN = 60  # of an example, so that it is read at one glance
# layout, keys, rate, records that go in, records that are looked up
WORDS = [f"key-{i}" for i in range(1000)]
TABLE = [
    ("auto", 1000, "0.01", WORDS, WORDS[:5] + ["absent", "", "ключ"]),
    ("block", 500, "0.001", WORDS[:500] + ["", "ключ"], ["ключ", "", "absent"]),
    ("lines", 300, "1e-5", WORDS[:300], ["key-0", "key-299", "key-300"]),
    ("classic", 200, "0.02", WORDS[:200] + WORDS[:3], ["key-199", "nothing"]),
    ("counting", 100, "0.01", WORDS[:100], ["key-1", "nothing"]),
    ("scalable", 10, "0.01", WORDS[:100], ["key-99", "nothing"]),
    ("auto", 10, "0.01", WORDS[:200], ["key-7", "key-199"]),  # far beyond its design
]


def run(*command, text="", **options):
    done = subprocess.run([str(word) for word in command], input=text.encode(), capture_output=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{command} ended with {done.returncode}: {done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout.decode()


def build_c(work):
    run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{HEADERS}", EXAMPLES / "c/seen.c", "-o", work / "c",
        f"-L{LIBRARY.parent}", "-lbloomery_c")
    return [work / "c"]


def build_rust(work):
    run("rustc", "-O", EXAMPLES / "rust/seen.rs", "-o", work / "rust", "-L", LIBRARY.parent, cwd=work)
    return [work / "rust"]


def build_go(work):
    environment = {**os.environ, "CGO_CFLAGS": f"-I{HEADERS} -O2", "CGO_LDFLAGS": f"-L{LIBRARY.parent}", "CGO_ENABLED": "1",
                   "GO111MODULE": "off", "GOFLAGS": "", "GOCACHE": os.environ.get("GOCACHE", str(work / "go-cache"))}
    run("go", "build", "-o", work / "go", EXAMPLES / "go/seen.go", env=environment)
    return [work / "go"]


def build_java(work):
    home = pathlib.Path(shutil.which("javac")).resolve().parent.parent
    run("javac", "-d", work, EXAMPLES / "java/Seen.java")
    run("cc", "-shared", "-fPIC", "-Wall", f"-I{HEADERS}", f"-I{home}/include", f"-I{home}/include/linux",
        EXAMPLES / "java/seen_jni.c", "-o", work / "libseen_jni.so", f"-L{LIBRARY.parent}", "-lbloomery_c")
    return [shutil.which("java"), "-Xshare:auto", "-XX:TieredStopAtLevel=1", f"-Djava.library.path={work}", "-cp", work, "Seen"]


LANGUAGES = {"c": ("cc", build_c), "rust": ("rustc", build_rust), "go": ("go", build_go), "java": ("javac", build_java)}


def built(names, work):
    programs = {}
    for name in names:
        compiler, build = LANGUAGES[name]
        if shutil.which(compiler) is None:
            print(f"skipped: {name}, because {compiler} is not installed")
            continue
        programs[name] = build(work)
    return programs


def lines(records):
    return "".join(record + "\n" for record in records)


def check_lengths(names):
    """Of every source, whether or not its compiler is installed."""
    sources = [path for name in names for path in sorted((EXAMPLES / name).iterdir())]
    assert len(sources) >= len(names), f"a language without an example: {sources}"
    for path in sources:
        count = len(path.read_text().splitlines())
        if count >= FEWER_LINES_THAN:
            sys.exit(f"{path} has {count} lines; an example has fewer than {FEWER_LINES_THAN}")


def main():
    check_lengths(sys.argv[4:])
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        os.environ["LD_LIBRARY_PATH"] = f"{LIBRARY.parent}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        programs = built(sys.argv[4:], work)
        if not programs:
            sys.exit(77)
        files = 0
        for row, (layout, keys, rate, records, asked) in enumerate(TABLE):
            expected = work / f"{row}.bloom"
            run(COMMAND, "--quiet", "build", "-o", expected, "--layout", layout, "-n", keys, "-p", rate, text=lines(records))
            written = []
            for name, program in programs.items():
                path = work / f"{row}.{name}"
                run(*program, "write", path, keys, rate, layout, text=lines(records))
                assert path.read_bytes() == expected.read_bytes(), f"{name} wrote another file than the command: {layout}"
                written.append(path)
            answers = set()
            for program in programs.values():
                for path in [expected, *written]:
                    answers.add(run(*program, "read", path, text=lines(asked)))
                    files += 1
            assert len(answers) == 1, f"the languages answer differently: {answers}"
            of_command = run(COMMAND, "query", expected, text=lines(asked)).splitlines()
            of_languages = [record for record, answer in zip(asked, answers.pop().splitlines()) if answer == "1"]
            assert of_command == of_languages, f"{layout}: the command finds {of_command}, others {of_languages}"
            for path in written:
                assert run(COMMAND, "query", path, text=lines(asked)).splitlines() == of_command
        for name, program in programs.items():  # errors arrive as sentences
            done = subprocess.run([str(word) for word in [*program, "read", work / "none"]], input=b"", capture_output=True)
            assert done.returncode == 2 and b"none" in done.stderr, (name, done)
        print(f"{', '.join(programs)}: {len(TABLE)} filters equal the command's, {files} files read")


main()
