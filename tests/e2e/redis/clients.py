"""Clients that know RedisBloom: python3-redis' bf() and cf(), and redis-cli in both protocols."""
import os
import shutil
import subprocess
import sys

from harness import CLI, Server, check, main

SYSTEM_PYTHON = "/usr/bin/python3"


def python_client(server):
    try:
        import redis
    except ImportError:
        if sys.executable != SYSTEM_PYTHON and os.path.exists(SYSTEM_PYTHON):  # Debian's package is only there
            run = subprocess.run([SYSTEM_PYTHON, *sys.argv], timeout=300)
            check(run.returncode, 0, f"the same under {SYSTEM_PYTHON}")
        else:
            print("note: python3-redis is not installed")
        return
    connection = redis.Redis(host="127.0.0.1", port=server.port)
    bloom = connection.bf()
    check(bool(bloom.create("py", 0.01, 1000)), True)
    check(bool(bloom.create("py-e", 0.01, 1000, expansion=1)), True)
    check(bool(bloom.create("py-n", 0.01, 1000, noScale=True)), True)
    check(bloom.add("py", "foo"), 1)
    check(bloom.add("py", "foo"), 0)
    check(bloom.madd("py", "foo", "bar", "quux"), [0, 1, 1])
    check(bloom.insert("py-i", ["foo", "bar"], capacity=10, error=0.1, expansion=2, noScale=None, noCreate=None), [1, 1])
    check(bloom.exists("py", "foo"), 1)
    check(bloom.exists("py", "none"), 0)
    check(bloom.mexists("py", "foo", "none"), [1, 0])
    info = bloom.info("py")
    check([info.capacity, info.filterNum, info.insertedNum, info.expansionRate, info.size],
          [1000, 1, 3, 2, 96 + 1384])
    check(bloom.info("py-n").expansionRate, None)
    copies_by_chunks(connection, bloom, "py")
    try:
        bloom.create("py", 0.01, 10)
        check("an error", "none")
    except redis.exceptions.ResponseError as error:
        check(str(error), "item exists")
    python_cuckoo(connection)


def copies_by_chunks(connection, commands, key):
    pieces, iterator = [], 0
    while True:
        iterator, data = commands.scandump(key, iterator)
        if iterator == 0:
            break
        pieces.append((iterator, data))
    for position, data in pieces:
        check(bool(commands.loadchunk(f"{key}-copy", position, data)), True)
    check(connection.dump(f"{key}-copy"), connection.dump(key))


def python_cuckoo(connection):
    cuckoo = connection.cf()
    check(bool(cuckoo.create("cpy", 1000)), True)
    check(bool(cuckoo.create("cpy-e", 1000, expansion=1)), True)
    check(bool(cuckoo.create("cpy-b", 1000, bucket_size=4)), True)
    check(bool(cuckoo.create("cpy-i", 1000, max_iterations=10)), True)
    check(cuckoo.add("cpy", "foo"), 1)
    check(cuckoo.addnx("cpy", "foo"), 0)
    check(cuckoo.addnx("cpy", "bar"), 1)
    check(cuckoo.insert("cpy-new", ["foo"], capacity=1000), [1])
    check(cuckoo.insertnx("cpy-new", ["foo", "bar"], capacity=1000), [0, 1])
    check(cuckoo.exists("cpy", "foo"), 1)
    check(cuckoo.exists("cpy", "none"), 0)
    check(cuckoo.count("cpy", "foo"), 1)
    check(cuckoo.delete("cpy", "foo"), 1)
    check(cuckoo.delete("cpy", "foo"), 0)
    info = cuckoo.info("cpy")
    check([info.size, info.bucketNum, info.filterNum, info.insertedNum, info.deletedNum, info.bucketSize,
           info.expansionRate, info.maxIteration], [1080, 512, 1, 1, 1, 2, 1, 20])
    copies_by_chunks(connection, cuckoo, "cpy")


def command_line(server):
    if shutil.which(CLI) is None:
        print("note: redis-cli is not installed")
        return

    def cli(*words):
        run = subprocess.run([CLI, "--no-raw", "-p", str(server.port), *words], capture_output=True, text=True,
                             check=True, timeout=60)
        return run.stdout.rstrip("\n")
    check(cli("BF.RESERVE", "cli", "0.01", "10"), "OK")
    check(cli("BF.ADD", "cli", "foo"), "(integer) 1")
    check(cli("-3", "BF.ADD", "cli", "bar"), "(true)")
    check(cli("-3", "BF.MEXISTS", "cli", "foo", "none"), "1) (true)\n2) (false)")
    check(cli("-3", "BF.INFO", "cli"), "1# Capacity => (integer) 10\n2# Size => (integer) 112\n"
          "3# Number of filters => (integer) 1\n4# Number of items inserted => (integer) 2\n"
          "5# Expansion rate => (integer) 2")
    check(cli("-3", "BF.INFO", "cli", "ITEMS"), "1# Number of items inserted => (integer) 2")
    check(cli("BF.INFO", "cli", "ITEMS"), "1) (integer) 2")
    check(cli("BF.INFO", "none"), "(error) ERR not found")


def test(module):
    with Server(module) as server:
        python_client(server)
        command_line(server)


main(test)
