"""The tests of the PostgreSQL extension on a real server: run.py bloomery.so bloomery [part or test ...]"""
import importlib
import pathlib
import sys
import time
import traceback

import server

PARTS = ["types", "lookups", "aggregates", "formats", "hostile", "limits", "storage", "module", "page"]


def main():
    module, command, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not server.has_server():
        print("skipped: PostgreSQL's server is not installed")
        return 77
    failures = count = 0
    with server.Cluster(module) as cluster:
        with cluster.connect() as connection, connection.cursor() as cursor:
            cursor.execute("create extension bloomery")
        connection.close()
        for part in PARTS:
            tests = importlib.import_module("parts." + part)
            for name in [name for name in dir(tests) if name.startswith("test_")]:
                if wanted and part not in wanted and name not in wanted:
                    continue
                begin = time.monotonic()
                count += 1
                connection = cluster.connect()
                try:
                    with connection.cursor() as cursor:
                        getattr(tests, name)(tests.Context(cluster, cursor, pathlib.Path(command).resolve()))
                    print(f"{part}.{name}: ok ({time.monotonic() - begin:.2f} s)")
                except Exception:
                    failures += 1
                    print(f"{part}.{name}: FAILED")
                    traceback.print_exc(file=sys.stdout)
                finally:
                    connection.close()
        if failures:
            print("the server's log ends with:\n" + "\n".join(cluster.log().splitlines()[-15:]))
    print(f"{count - failures} of {count} tests passed")
    return 1 if failures or count == 0 else 0


sys.exit(main())
