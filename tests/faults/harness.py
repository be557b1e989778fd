"""Runs the command with one fault, beside a model of what may come of it. Shared by the sweeps of this folder."""
import concurrent.futures
import contextlib
import errno
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

FULL = bool(os.environ.get("BLOOMERY_FULL"))
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
STDOUT = "standard-output"  # in the folder of a run, so that its writes fail as well
SECONDS = 60  # no command takes longer, with whatever fault
WORKERS = min(4, os.cpu_count() or 2)
SKIP = 77


class Outcome:
    """What a command did: its exit code (negative: a signal), its output and its messages."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}, stdout {self.out[:200]!r}, stderr {self.err[-400:]!r}"


class Tools:
    """The program under test and the library that fails its calls."""

    def __init__(self, program, preload):
        self.program, self.preload = program, preload

    def environment(self, folder, **settings):
        """For a run in the folder; nothing of the machine's own temporary folder is touched."""
        values = dict(os.environ, TMPDIR=str(folder), LC_ALL="C", ASAN_OPTIONS="detect_leaks=0")
        for name in [name for name in values if name.startswith("FAULT_")]:
            del values[name]
        if settings:
            values["LD_PRELOAD"] = str(self.preload)
            values.update({f"FAULT_{name}": str(value) for name, value in settings.items()})
        return values

    def run(self, folder, arguments, stdin=b"", **settings):
        """One command in a folder. Settings are those of preload.h, without FAULT_."""
        with open(folder / STDOUT, "wb") as out:
            process = subprocess.run([str(self.program), *map(str, arguments)], cwd=folder, input=stdin, stdout=out,
                                     stderr=subprocess.PIPE, timeout=SECONDS, env=self.environment(folder, **settings))
        said = (folder / STDOUT).read_bytes()
        (folder / STDOUT).unlink()
        return Outcome(process.returncode, said, process.stderr.decode(errors="replace"))

    def must(self, folder, *arguments, stdin=b""):
        """A command that is part of a test's preparation."""
        done = self.run(folder, arguments, stdin)
        if "built without" in done.err:
            skip(done.err.strip())
        if done.code != 0:
            raise AssertionError(f"{arguments}: {done}")
        return done.out


class Sweep:
    """Counts what was tried and what was found."""

    def __init__(self, title, quiet=False):
        self.quiet = quiet
        self.title, self.tried, self.findings, self.notes = title, 0, [], {}
        self.start = time.monotonic()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bloomery-faults-")).resolve()

    def note(self, what, count=1):
        self.notes[what] = self.notes.get(what, 0) + count

    def finding(self, where, what):
        self.findings.append(f"{where}{what}")
        if not self.quiet:
            print(f"FOUND {where}{what}", flush=True)

    def each(self, work, items):
        """Calls work(item, folder) for every item, a few at a time; an exception is a finding."""
        def one(item):
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
            try:
                work(item, folder)
            except subprocess.TimeoutExpired as hung:
                self.finding(f"{item}: ", f"did not end in {hung.timeout} s")
            except AssertionError as wrong:
                self.finding("", str(wrong))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(one, items))
        self.tried += len(items)

    def close(self, unit="faults"):
        shutil.rmtree(self.folder, ignore_errors=True)
        noted = "".join(f", {count} {what}" for what, count in sorted(self.notes.items()))
        print(f"{self.title}: {self.tried} {unit}{noted}; {len(self.findings)} findings; "
              f"{time.monotonic() - self.start:.1f} s", flush=True)
        return 1 if self.findings else 0


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def copy_folder(source, target):
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def fill(command, tools, template, folder):
    """What the command is run on: a copy of the template, unless the command makes its own for each run."""
    own = getattr(command, "fill", None)
    return own(tools, folder) if own else copy_folder(template, folder)


@contextlib.contextmanager
def filled(tools, command, template, folder):
    """A new folder for one run, removed after it."""
    folder.mkdir()
    fill(command, tools, template, folder)
    yield folder
    shutil.rmtree(folder)


def learnt_template(tools, command, sweep):
    """The template of a command's folder, after the command has learnt what a clean run leaves."""
    template = sweep.folder / command.name.replace(" ", "_")
    template.mkdir()
    command.prepare(tools, template)
    with filled(tools, command, template, sweep.folder / "learnt") as folder:
        command.learn(tools, folder)
    return template


def with_words(things, words):
    """Those whose name has one of the words; all of them where no word is given."""
    return [thing for thing in things if not words or any(word in thing.name for word in words)]


def snapshot(folder):
    """Every file below the folder, with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def sample(items, most, seed=1):
    """All of them in a full run; otherwise some, the same ones every time, the first and the last among them."""
    items = list(items)
    if FULL or len(items) <= most:
        return items
    inner = random.Random(seed).sample(range(1, len(items) - 1), most - 2)
    return [items[i] for i in sorted({0, len(items) - 1, *inner})]


def calm(outcome, where, reports=False):
    """Holds for every run: no signal, and a sentence beside a code that is not 0. A command that reports does so on stdout."""
    assert outcome.code >= 0, f"{where}: ended by signal {-outcome.code}: {outcome.err[-600:]}"
    assert "terminate called" not in outcome.err and "Sanitizer" not in outcome.err, f"{where}: {outcome.err[-600:]}"
    if outcome.code > 1:
        assert outcome.err.strip() or (reports and outcome.out.strip()), f"{where}: exit {outcome.code} without a sentence"


# What a call of each kind may answer. Those of the second table stay for all later calls.
ERRORS = {
    "write": [errno.EIO, errno.ENOSPC, errno.EINTR, "short"],
    "read": [errno.EIO, errno.EINTR, "short"],
    "sync": [errno.EIO, errno.ENOSPC],
    "rename": [errno.EIO, errno.ENOSPC],
    "link": [errno.EIO],
    "create": [errno.EIO, errno.ENOSPC, errno.EINTR, errno.EMFILE],
    "open": [errno.EIO, errno.EMFILE, errno.EINTR],
    "mmap": [errno.ENOMEM],
    "msync": [errno.EIO],
    "truncate": [errno.EIO, errno.ENOSPC],
    "close": [errno.EIO, errno.EINTR],
    "mkdir": [errno.EIO, errno.ENOSPC],
    "flock": [errno.EINTR, errno.ENOLCK],
    "lock": [errno.ENOLCK, errno.EINTR],
    "unlink": [errno.EIO],
    "readdir": [errno.EIO],
}
STICKY = {"write": [errno.ENOSPC, errno.EIO], "create": [errno.ENOSPC], "sync": [errno.EIO], "mkdir": [errno.ENOSPC],
          "rename": [errno.EIO]}


def faults_of(log):
    """Every fault that a clean run's calls admit: (number, kind, error, sticky)."""
    for line in log.read_text().splitlines():
        number, kind, _ = line.split(" ", 2)
        for error in ERRORS[kind]:
            yield int(number), kind, error, False
        for error in STICKY.get(kind, []):
            yield int(number), kind, error, True


def error_name(error):
    return errno.errorcode.get(error, error)
