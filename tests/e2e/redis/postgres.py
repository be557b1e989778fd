"""A PostgreSQL server in a temporary folder, on a socket in it, run by an unprivileged user."""
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time


def programs():
    """The folder of initdb and postgres; Debian keeps them out of PATH. None where they are not installed."""
    found = shutil.which("initdb")
    if found:
        return pathlib.Path(os.path.realpath(found)).parent
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda p: float(p.split("/")[4]))
    return pathlib.Path(folders[-1]).parent if folders else None


def unprivileged():
    """PostgreSQL refuses to be root."""
    if os.getuid() != 0:
        return {}
    for name in ["postgres", "nobody"]:
        try:
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        except KeyError:
            pass
    raise RuntimeError("there is no user to run PostgreSQL as")


class Postgres:
    """with Postgres() as server: psycopg2.connect(server.dsn)"""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="bloomery-pg-")
        self.process = None
        self.dsn = f"host={self.folder} user=bloomery dbname=postgres"

    def __enter__(self):
        who, bin_folder = unprivileged(), programs()
        if who:
            os.chown(self.folder, who["user"], who["group"])
        data = os.path.join(self.folder, "data")
        common = {"cwd": self.folder, **who}
        subprocess.run([bin_folder / "initdb", "-D", data, "-U", "bloomery", "-A", "trust", "-E", "UTF8", "--locale=C",
                        "--no-sync"], check=True, stdout=subprocess.DEVNULL, timeout=120, **common)
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [bin_folder / "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off",
                 "-c", "shared_buffers=32MB"], stdout=log, stderr=log, **common)
        self.wait_until_ready(bin_folder)
        return self

    def wait_until_ready(self, bin_folder):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            asked = subprocess.run([bin_folder / "pg_isready", "-q", "-h", self.folder], timeout=60)
            if asked.returncode == 0:
                return
            time.sleep(0.02)
        raise RuntimeError("PostgreSQL does not answer:\n" + pathlib.Path(self.folder, "log").read_text(errors="replace"))

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown: clients are cut off
            self.process.wait(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)
