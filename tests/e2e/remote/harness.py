"""What the tests of web addresses share: a filter, its keys, and the command with a cache of its own."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

SECRETS = ("topsecret", "open sesame", "secret-of-target", "ann:pw", "pw@")


class Bench:
    """A folder with a filter of 100,000 keys, present and absent keys, and a cache."""

    def __init__(self, bloomery, folder):
        self.bloomery = bloomery
        self.folder = pathlib.Path(folder)
        self.cache = self.folder / "cache"
        self.keys = self.write("keys.txt", (f"key-{i}" for i in range(100_000)))
        self.absent = self.write("absent.txt", (f"absent-{i}" for i in range(100_000)))
        self.few = self.write("few.txt", (f"key-{i}" for i in range(0, 100_000, 20_000)))
        self.files = {}
        self.build("seen.bloom")

    def write(self, name, lines):
        path = self.folder / name
        path.write_text("".join(line + "\n" for line in lines))
        return path

    def build(self, name, *options, keys=None, size=("-n", "2M")):
        path = self.folder / name
        subprocess.run([self.bloomery, "build", "-q", "-F", *size, "-o", path, *options, keys or self.keys], check=True)
        self.files[name] = path.read_bytes()
        return path

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and k != "SSL_CERT_FILE"}
        return {**clean, "XDG_CACHE_HOME": str(self.cache), **more}

    def run(self, *arguments, code=0, says=None, at_most=20.0, env=None):
        """Checks the exit code, the sentence, the time, and that no secret is printed."""
        start = time.monotonic()
        done = subprocess.run([self.bloomery, *map(str, arguments)], capture_output=True, timeout=120, check=False,
                              env=env or self.environment())
        seconds = time.monotonic() - start
        errors = done.stderr.decode()
        shown = f"{arguments} ended with {done.returncode}: {errors}"
        assert done.returncode in ((code,) if isinstance(code, int) else code), shown
        assert says is None or says in errors, f"{shown}: it does not say: {says}"
        assert seconds < at_most, f"{arguments} took {seconds:.1f} s"
        for secret in SECRETS:
            assert secret not in errors and secret not in done.stdout.decode(), f"{shown}: a secret is printed"
        if done.returncode >= 2:
            lines = [line for line in errors.splitlines() if not line.startswith("Try 'bloomery ")]
            assert len(lines) == 1, f"{shown}: more than one line"
        return done.stdout.decode()

    def local(self, name, keys, *options):
        return self.run("query", *options, self.folder / name, keys, code=(0, 1))

    def clear(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def pages(self):
        """Files of the cache."""
        return [path for path in self.cache.rglob("*") if path.is_file()]


@contextlib.contextmanager
def bench(bloomery):
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="bloomery-remote-", dir=shared) as folder:
        yield Bench(bloomery, folder)


def run_all(tests, *arguments):
    for test in tests:
        start = time.monotonic()
        test(*arguments)
        print(f"{test.__name__}: ok ({time.monotonic() - start:.1f} s)", flush=True)
