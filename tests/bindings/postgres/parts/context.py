"""What a test is given: a server, a cursor of a session of its own, and the command."""
import json
import pathlib
import subprocess
import tempfile

import psycopg2

GOLDEN = pathlib.Path(__file__).resolve().parents[3] / "golden"


def golden(name):
    return json.loads((GOLDEN / name).read_text())


def unhex(text):
    return b"" if text == "-" else bytes.fromhex(text)


class Context:
    def __init__(self, server, cursor, command):
        self.server, self.cursor, self.command = server, cursor, command

    def rows(self, sql, *arguments):
        self.cursor.execute(sql, arguments or None)
        return self.cursor.fetchall()

    def one(self, sql, *arguments):
        rows = self.rows(sql, *arguments)
        assert len(rows) == 1, rows
        value = rows[0][0] if len(rows[0]) == 1 else rows[0]
        return bytes(value) if isinstance(value, memoryview) else value

    def do(self, sql, *arguments):
        self.cursor.execute(sql, arguments or None)

    def refused(self, sqlstate, words, sql, *arguments):
        """The statement fails with this SQLSTATE and these words, and the session goes on."""
        try:
            self.cursor.execute(sql, arguments or None)
        except psycopg2.Error as error:
            text = f"{error.pgcode} {error}"
            assert error.pgcode == sqlstate, f"wanted {sqlstate}: {text}"
            assert words in text, f"wanted {words!r}: {text}"
        else:
            raise AssertionError(f"not refused: {sql[:200]}")
        assert self.one("select 1") == 1
        return text

    def build(self, keys, *options):
        """What the command makes of keys, one per line."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "keys.bloom")
            done = subprocess.run([self.command, "build", "-q", *options, "-o", path], input=keys, capture_output=True,
                                  timeout=60)
            assert done.returncode == 0, done.stderr
            return path.read_bytes()

    def query(self, file, keys, *options):
        """The keys that the command finds in a filter's bytes."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "keys.bloom")
            path.write_bytes(file)
            done = subprocess.run([self.command, "query", "-q", *options, path], input=keys, capture_output=True, timeout=60)
            assert done.returncode in (0, 1), done.stderr
            return done.stdout.split(b"\n")[:-1]
