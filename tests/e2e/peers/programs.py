"""The two sides of the live tests: the bloomery command, and programs around the peers' libraries."""

import json
import os
import pathlib
import shutil
import subprocess

SOURCES = pathlib.Path(__file__).resolve().parent / "programs"
JARS = ["/usr/share/java/guava.jar", "/usr/share/java/jsr305.jar"]
GO_PATH = "/usr/share/gocode"


class Failure(Exception):
    """Two answers or two files differ; the text says which."""


class Missing(Exception):
    """Something a peer needs is not installed; the text says what, and which package has it."""


def lines_of(records):
    return b"".join(record + b"\n" for record in records)


def run(command, records=(), expected=(0,), environment=None):
    command = [str(word) for word in command]
    done = subprocess.run(command, input=lines_of(records), capture_output=True, check=False,
                          env=environment)
    if done.returncode not in expected:
        message = done.stderr.decode(errors="replace").strip()
        raise Failure(f"`{' '.join(command)}` ended with {done.returncode}: {message}")
    return done.stdout


class Bloomery:
    """The bloomery command. Records pass through a file, as they would for a user."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def _saved(self, records):
        path = self.folder / "records"
        path.write_bytes(lines_of(records))
        return path

    def build(self, out, records, *options):
        run([self.command, "build", "-o", out, *options, self._saved(records)])

    def add(self, path, records, *options):
        run([self.command, "add", path, *options, self._saved(records)])

    def merge(self, out, *paths):
        run([self.command, "merge", "-o", out, *paths])

    def inspect(self, path, *options):
        return json.loads(run([self.command, "inspect", "--json", *options, path]))

    def ask(self, path, records, *options):
        """One answer for each record: True where it may be contained."""
        command = [self.command, "query", "--label", *options, path, self._saved(records)]
        lines = run(command, expected=(0, 1)).split(b"\n")[:-1]
        labels = [line.split(b"\t", 1) for line in lines]
        wanted = [[b"maybe" if label[0] == b"maybe" else b"no", record]
                  for label, record in zip(labels, records)]
        if labels != wanted or len(labels) != len(records):
            raise Failure(f"`query --label {path}` did not repeat its {len(records)} records in order")
        return [label == b"maybe" for label, _ in labels]


class Program:
    """A program under programs/ that makes and asks filters with the peer's own library."""

    def __init__(self, command):
        self.command = command

    def make(self, out, records, *arguments):
        run([*self.command, "make", out, *arguments], records)

    def ask(self, paths, records, *arguments):
        """For each path one list of answers: True where the record may be contained."""
        lines = run([*self.command, "ask", *arguments, *paths], records).split()
        if len(lines) != len(records):
            raise Failure(f"the peer gave {len(lines)} answers for {len(records)} keys")
        return [[line[i : i + 1] == b"1" for line in lines] for i in range(len(paths))]

    def run(self, *arguments, records=()):
        return run([*self.command, *arguments], records)


def need(path, package):
    found = shutil.which(path) if "/" not in path else os.path.exists(path)
    if not found:
        raise Missing(f"{path} is missing (Debian package {package})")


def _is_built(target, sources):
    return target.exists() and all(target.stat().st_mtime >= s.stat().st_mtime for s in sources)


def guava(build):
    need("javac", "default-jdk-headless")
    need(JARS[0], "libguava-java")
    source, target = SOURCES / "GuavaPeer.java", build / "programs"
    if not _is_built(target / "GuavaPeer.class", [source]):
        run(["javac", "-nowarn", "-cp", ":".join(JARS), "-d", target, source])
    return Program(["java", "-XX:+UseSerialGC", "-cp", ":".join([str(target), *JARS]), "GuavaPeer"])


def leveldb(build):
    need("c++", "g++")
    need("/usr/include/leveldb/db.h", "libleveldb-dev")
    source, target = SOURCES / "leveldb_peer.cc", build / "programs" / "leveldb_peer"
    if not _is_built(target, [source]):
        run(["c++", "-std=c++17", "-O2", source, "-o", target, "-lleveldb"])
    return Program([target])


def _go(build, name, library, package):
    need("go", "golang-go")
    need(f"{GO_PATH}/src/github.com/{library}", package)
    sources = [SOURCES / f"{name}.go", SOURCES / "peer.go"]
    target = build / "programs" / f"{name}_peer"
    if not _is_built(target, sources):
        offline = {"GO111MODULE": "off", "GOPATH": GO_PATH, "GOPROXY": "off", "GOFLAGS": "",
                   "GOCACHE": str(build.resolve() / "go-cache")}
        run(["go", "build", "-o", target, *sources], environment={**os.environ, **offline})
    return Program([target])


def bits_and_blooms(build):
    return _go(build, "bits_and_blooms", "bits-and-blooms/bloom", "golang-github-willf-bloom-dev")


def goleveldb(build):
    return _go(build, "goleveldb", "syndtr/goleveldb", "golang-github-syndtr-goleveldb-dev")


def dcso(build):
    need("bloom", "golang-github-dcso-bloom-cli")
    return _go(build, "dcso", "DCSO/bloom", "golang-github-dcso-bloom-dev")
