#!/usr/bin/env python3
"""The cache of web addresses: damaged, full, shared by processes, killed, of other users, of files with one tag.

usage: caching.py BLOOMERY
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import harness
import server


def ask(bench, store, keys=None, mode="ok", name="seen.bloom", options=()):
    """How many requests it took; the answers are those of the file."""
    store.take_log()
    keys = keys or bench.few
    got = bench.run("query", *options, store.address(f"{mode}/{name}"), keys, code=(0, 1))
    assert got == bench.local(name, keys), "other answers than from the file"
    return len(store.take_log())


def is_used(bench, store):
    assert ask(bench, store) > 1 and ask(bench, store) == 1
    other = store.address("ok/seen.bloom?X-Amz-Date=later&signature=topsecret")
    assert bench.run("query", other, bench.few) == bench.few.read_text()
    assert len(store.take_log()) == 1, "another signature is the same file"
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in bench.pages())
    assert all(path.stat().st_mode & 0o777 == 0o700 for path in bench.cache.rglob("*") if path.is_dir())
    bench.clear()
    own = bench.folder / "own"
    assert ask(bench, store, options=("--cache", own)) > 1 and ask(bench, store, options=("--cache", own)) == 1
    assert not bench.pages()
    for mode in ("dated", "weak"):
        assert ask(bench, store, mode=mode) > 1 and ask(bench, store, mode=mode) == 1, mode
    bench.clear()
    assert ask(bench, store, mode="untagged") == ask(bench, store, mode="untagged") and not bench.pages()


def is_not_mixed(bench, store):
    """A new file under the same address; and two files that a server gives one tag and one size."""
    bench.clear()
    first = bench.files["seen.bloom"]
    for mode in ("ok", "same_tag"):
        ask(bench, store, bench.keys, mode=mode)
        bench.build("seen.bloom", keys=bench.absent)
        assert len(bench.files["seen.bloom"]) == len(first)
        assert ask(bench, store, bench.keys, mode=mode) > 1, "the pages of the old file were taken"
        assert ask(bench, store, bench.few, mode=mode) == 1
        bench.build("seen.bloom")
        assert ask(bench, store, bench.keys, mode=mode) == 1


def is_damaged(bench, store):
    source = random.Random(18)
    for damage in range(12):
        bench.clear()
        ask(bench, store)
        pages = bench.pages()
        for page in pages:
            data = bytearray(page.read_bytes())
            if damage % 4 == 0:
                data[source.randrange(len(data))] ^= 1 << source.randrange(8)
            elif damage % 4 == 1:
                del data[source.randrange(len(data)):]
            elif damage % 4 == 2:
                data = bytearray(source.choice(pages).read_bytes()) if len(pages) > 1 else data[:10]
            else:
                data[48:] = bytes(len(data) - 48)
            page.write_bytes(data)
        ask(bench, store)
        assert ask(bench, store) == 1, "damaged pages are replaced"


def is_in_the_way(bench, store):
    """Folders and files where pages should be, a folder of others, a full disk, a folder without a way to write."""
    bench.clear()
    ask(bench, store)
    for page in bench.pages():
        page.unlink()
        page.mkdir()
    ask(bench, store)
    bench.clear()
    bench.cache.mkdir()
    (bench.cache / "bloomery").mkdir()
    os.chmod(bench.cache / "bloomery", 0o777)
    address = store.address("ok/seen.bloom")
    done = subprocess.run([bench.bloomery, "query", address, bench.few], env=bench.environment(), capture_output=True,
                          check=True)
    assert b"other users can write" in done.stderr and done.stdout == bench.few.read_bytes(), done
    os.chmod(bench.cache / "bloomery", 0o700)
    bench.clear()
    bench.cache.write_text("a file")
    done = subprocess.run([bench.bloomery, "query", address, bench.few], env=bench.environment(), capture_output=True,
                          check=True)
    assert b"cache" in done.stderr and done.stdout == bench.few.read_bytes(), done
    bench.cache.unlink()
    limited = ["sh", "-c", 'ulimit -f 16; exec "$@"', "sh"]  # as a full disk: files end after 16 blocks
    done = subprocess.run([*limited, bench.bloomery, "query", address, bench.few], env=bench.environment(),
                          capture_output=True, check=True)
    assert done.stdout == bench.few.read_bytes(), done
    assert not [path for path in bench.pages() if path.name.startswith(".")]


def is_limited(bench, store):
    bench.clear()
    for name in ("seen.bloom", "other.bloom", "third.bloom"):
        if name not in bench.files:
            bench.build(name, "--seed", str(len(bench.files)))
        ask(bench, store, bench.keys, name=name, options=("--cache-size", "1M"))
        sizes = sum(path.stat().st_size for path in bench.pages())
        assert sizes <= 1_000_000, sizes
    assert ask(bench, store, bench.keys, name="third.bloom", options=("--cache-size", "1M")) > 1
    bench.clear()
    ask(bench, store, options=("--cache-size", "0"))
    assert not bench.pages()


def is_shared(bench, store):
    """Eight processes at once, in an empty cache and in one that is too small."""
    for size in ("1Gi", "400k"):
        bench.clear()
        for _ in range(3):
            runs = [subprocess.Popen([bench.bloomery, "query", "--cache-size", size, store.address("ok/seen.bloom"),
                                      bench.keys], env=bench.environment(), stdout=subprocess.PIPE) for _ in range(8)]
            for run in runs:
                assert run.communicate()[0] == bench.keys.read_bytes() and run.returncode == 0
        if size == "1Gi":
            assert ask(bench, store, bench.keys) == 1


def is_killed(bench, store):
    source = random.Random(7)
    bench.clear()
    kills = 0
    for _ in range(40):
        process = subprocess.Popen([bench.bloomery, "query", "--cache-size", "2M", store.address("ok/seen.bloom"),
                                    bench.keys], env=bench.environment(), stdout=subprocess.DEVNULL)
        time.sleep(source.random() * 0.08)
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        if source.random() < 0.3:
            ask(bench, store, bench.keys, options=("--cache-size", "2M"))
    assert kills > 5, f"only {kills} of 40 were killed in time"
    left = [path for path in bench.pages() if path.name.startswith(".")]
    for path in left:
        os.utime(path, (time.time() - 3600,) * 2)
    bench.build("fresh.bloom", "--seed", "5")
    ask(bench, store, name="fresh.bloom")
    assert not [path for path in bench.pages() if path.name.startswith(".")], "what killed processes left is removed"


def main():
    with harness.bench(sys.argv[1]) as bench, server.serve(bench.files) as store:
        harness.run_all((is_used, is_not_mixed, is_damaged, is_in_the_way, is_limited, is_shared, is_killed), bench, store)


main()
