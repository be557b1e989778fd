"""A PostgreSQL server with the extension under test, in a temporary folder, on a socket in it.

The server looks for extensions beside its own program. So the program is copied into a tree of links to the installed one,
and the extension lies in that tree: the installed server is left as it is, and no root is needed."""
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import psycopg2
except ImportError:  # Debian's module belongs to Debian's Python, which may not be the first in PATH
    if os.path.exists("/usr/bin/python3") and os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: python3-psycopg2 is not installed")
    sys.exit(77)

SOURCE = pathlib.Path(__file__).resolve().parents[3]
SQL = SOURCE / "bindings" / "postgres"
# The folder of another extension's control file and SQL, such as that of an unpacked package.
PACKAGED = os.environ.get("BLOOMERY_EXTENSION_DIR")


def extension_files():
    if PACKAGED is not None:
        return list(pathlib.Path(PACKAGED).glob("bloomery*"))
    return [SQL / "bloomery.control", *SQL.glob("sql/*.sql")]


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


PG_CONFIG = os.environ.get("PG_CONFIG", "pg_config")


def pg_config(name):
    return pathlib.Path(subprocess.run([PG_CONFIG, f"--{name}"], check=True, capture_output=True, text=True).stdout.strip())


def link_all(source, target):
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        if not (target / path.name).exists():
            (target / path.name).symlink_to(path)


class Installation:
    """The tree of links, with the extension in it."""

    def __init__(self, folder, module):
        self.folder = folder
        programs, share, libraries = pg_config("bindir"), pg_config("sharedir"), pg_config("pkglibdir")
        self.bin = folder / programs.relative_to("/")
        self.installed_bin = programs
        self.bin.mkdir(parents=True)
        for name in ["postgres", "initdb"]:
            shutil.copy(programs / name, self.bin / name)
        extensions = folder / share.relative_to("/") / "extension"
        link_all(share / "extension", extensions)
        link_all(share, folder / share.relative_to("/"))
        link_all(libraries, folder / libraries.relative_to("/"))
        for path in extension_files():
            (extensions / path.name).unlink(missing_ok=True)
            shutil.copy(path, extensions / path.name)
        module_path = folder / libraries.relative_to("/") / "bloomery.so"
        module_path.unlink(missing_ok=True)
        shutil.copy(module, module_path)


class Server:
    """One cluster of an installation. Its dsn is for psycopg2.connect()."""

    def __init__(self, installation, name, settings=()):
        self.installation = installation
        self.settings = list(settings)
        self.folder = installation.folder / name
        self.data = self.folder / "data"
        self.process = None
        self.who = unprivileged()
        self.folder.mkdir()
        if self.who:
            os.chown(self.folder, self.who["user"], self.who["group"])
        self.environment = {**os.environ, "PGHOST": str(self.folder), "PGUSER": "bloomery", "PGDATABASE": "postgres",
                            "PGPORT": "5432", "LC_ALL": "C"}
        self.dsn = f"host={self.folder} port=5432 user=bloomery dbname=postgres"

    def run(self, *command, program_folder=None, **options):
        """A program of PostgreSQL, as the user who owns the cluster."""
        path = (program_folder or self.installation.installed_bin) / command[0]
        return subprocess.run([path, *command[1:]], cwd=self.folder, env=self.environment, timeout=120,
                              **{**self.who, "check": True, "capture_output": True, **options})

    def make(self):
        self.run("initdb", "-D", self.data, "-U", "bloomery", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
                 program_folder=self.installation.bin)
        return self

    def start(self):
        log = open(self.folder / "log", "ab")
        with log:
            options = ["listen_addresses=", "fsync=off", "shared_buffers=32MB", "max_wal_size=256MB", "jit=off",
                       *self.settings]
            self.process = subprocess.Popen(
                [self.installation.bin / "postgres", "-D", self.data, "-k", self.folder,
                 *[word for option in options for word in ("-c", option)]],
                cwd=self.folder, env=self.environment, stdout=log, stderr=log, **self.who)
        self.wait()
        return self

    def wait(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                psycopg2.connect(self.dsn).close()
                return
            except psycopg2.OperationalError:
                time.sleep(0.02)
        raise RuntimeError("PostgreSQL does not answer:\n" + self.log())

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def connect(self, database="postgres", **options):
        connection = psycopg2.connect(self.dsn.replace("dbname=postgres", f"dbname={database}"), **options)
        connection.autocommit = True
        return connection

    def psql(self, *arguments, **options):
        return self.run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", *arguments, **{"text": True, **options}).stdout

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            for stop in [signal.SIGINT, signal.SIGQUIT, signal.SIGKILL]:  # a fast shutdown, which a recovery may not heed
                self.process.send_signal(stop)
                try:
                    self.process.wait(timeout=15)
                    return
                except subprocess.TimeoutExpired:
                    pass


class Cluster:
    """with Cluster(module) as server: the extension is there to be created."""

    def __init__(self, module):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bloomery-pg-"))
        self.module = module
        self.servers = []

    def __enter__(self):
        self.folder.chmod(0o755)
        self.installation = Installation(self.folder, self.module)
        server = Server(self.installation, "primary", ["wal_level=replica", "max_wal_senders=4",
                                                       "max_parallel_workers=4", "max_worker_processes=8"])
        server.cluster = self
        self.servers.append(server)
        return server.make().start()

    def add(self, name, settings=()):
        server = Server(self.installation, name, settings)
        self.servers.append(server)
        return server

    def __exit__(self, *_):
        for server in reversed(self.servers):
            server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def has_server():
    return shutil.which(PG_CONFIG) is not None and bool(glob.glob(str(pg_config("bindir") / "postgres")))
