#!/usr/bin/env python3
"""Filters at web addresses: the same answers as from the file, few bytes fetched, and a server that misbehaves.

usage: reading.py BLOOMERY
"""
import subprocess
import sys
import time

import harness
import server

PAGE = 64 << 10


def fetched(log):
    return sum(request.sent for request in log)


def same_answers(bench, store):
    """Block, lines, seeded, classic: the lines that may be in it, of present and absent keys, and the rate."""
    bench.build("lines.bloom", "-p", "1e-6")
    bench.build("seeded.bloom", "--seeded", "-p", "1%")
    bench.build("classic.bloom", "--layout", "classic", "-p", "1%")
    bench.build("full.bloom", "-p", "1%", size=("-n", "100k"))
    for name in ("seen.bloom", "lines.bloom", "seeded.bloom", "classic.bloom", "full.bloom"):
        for keys in (bench.few, bench.keys, bench.absent):
            bench.clear()
            got = bench.run("query", store.address(f"ok/{name}"), keys, code=(0, 1))
            assert got == bench.local(name, keys), f"{name}: other answers than from the file"
            assert keys == bench.absent or got == keys.read_text(), f"{name}: a false negative"
    wrong = len(bench.run("query", store.address("ok/full.bloom"), bench.absent).splitlines())
    assert 700 < wrong < 1100, f"{wrong} of 100,000 absent keys may be in a filter of 1 %"
    print(f"  false-positive rate over HTTP: {wrong / 1000:.2f} % (built for 1 %)")


def few_bytes(bench, store):
    """100 keys of a filter of 100 MB."""
    path = bench.build("large.bloom", "--layout", "block", size=("--bits", "800M"))
    size = path.stat().st_size
    assert size > 99e6
    keys = bench.write("hundred.txt", (f"key-{i}" for i in range(100)))
    store.take_log()
    assert bench.run("query", store.address("ok/large.bloom"), keys) == keys.read_text()
    log = store.take_log()
    assert fetched(log) < 101.5 * PAGE and len(log) <= 101, (fetched(log), len(log))
    print(f"  100 keys of a filter of {size:,} bytes: {fetched(log):,} bytes in {len(log)} requests")
    assert bench.run("query", store.address("ok/large.bloom"), keys) == keys.read_text()
    again = store.take_log()
    assert len(again) == 1 and fetched(again) <= PAGE, "the cache was not used"
    bench.clear()
    bench.run("query", "--no-cache", store.address("ok/large.bloom"), bench.keys)
    many = store.take_log()
    assert size <= fetched(many) <= size + PAGE and len(many) < 40, "many keys need the whole file, in large pieces"
    assert not bench.pages(), "--no-cache kept pages"
    del bench.files["large.bloom"]
    path.unlink()


def other_commands(bench, store):
    address = store.address("ok/seen.bloom")
    local = bench.folder / "seen.bloom"
    assert bench.run("inspect", "--json", address) == bench.run("inspect", "--json", local)
    assert address in bench.run("inspect", address)
    assert f"{address}: ok (bloomery, checksum and structure)" in bench.run("verify", address)
    assert "equal" in bench.run("compare", address, local)
    mixed = bench.write("mixed.txt", (f"{'key' if i % 2 else 'new'}-{i}" for i in range(2000)))
    got = bench.run("dedup", "-q", "--against", address, mixed)
    assert got == bench.run("dedup", "-q", "--against", local, mixed) and 950 < len(got.splitlines()) <= 1000
    got = bench.run("dedup", "-q", "-j", "4", "--against", address, mixed)
    assert len(got.splitlines()) <= 1000
    bench.files["damaged.bloom"] = bench.files["seen.bloom"][:-100] + b"x" + bench.files["seen.bloom"][-99:]
    bench.run("verify", store.address("ok/damaged.bloom"), code=3, says="checksum")
    bench.run("query", "-c", store.address("ok/damaged.bloom"), bench.keys, code=3, says="checksum")
    bench.run("query", "-c", store.address("whole/damaged.bloom"), bench.few, code=3, says="checksum")
    bench.files["cut.bloom"] = bench.files["seen.bloom"][:-1]
    bench.run("query", "-c", store.address("ok/cut.bloom"), bench.few, code=3)
    bench.files["page.html"] = b"<html>not a filter</html>"
    bench.run("query", "-c", store.address("ok/page.html"), bench.few, code=2, says="not recognised")
    bench.files["empty"] = b""
    bench.run("query", "-c", store.address("ok/empty"), bench.few, code=2)
    for write in (("build", "-o", address, bench.few), ("add", address, bench.few)):
        bench.run(*write, code=2, says="can only be read")
    bench.run("query", "-m", "100k", address, bench.few, code=4, says="limit")
    bench.run("query", "--header", "a: b", local, bench.few, code=2, says="no http:// or https:// address")


RECOVERS = ("busy", "flaky", "reset", "short_once", "chunks", "trailers", "whole", "moved", "dated", "untagged", "weak")
REFUSED = (
    ("wait", 2, "asks to wait 86400 s"), ("broken", 2, "given up after 2 attempts"),
    ("drip", 2, "too slow"), ("hang", 2, "too slow"),
    ("short", 2, "given up"), ("chunks_short", 2, "sent 65535 of 65536 bytes"),
    ("long", 2, "more bytes than it announced"),
    ("shifted", 3, "Content-Range"), ("shifted_later", 3, "Content-Range"), ("nonsense", 3, "Content-Range"),
    ("no_range", 3, "Content-Range"), ("no_total", 3, "unknown size"), ("two_ranges", 3, "Content-Range"),
    ("whole_later", 2, "whole file instead of a range"),
    ("huge", 4, "does not support range requests"), ("endless", 4, "does not support range requests"),
    ("huge_range", 3, ""),
    ("changed", 2, "changed on the server"), ("changed_rude", 2, "changed on the server"),
    ("changed_length", 2, "changed on the server"), ("changed_date", 2, "changed on the server"),
    ("vanished", 2, "no such file (HTTP 404)"), ("gone", 2, "no such file (HTTP 404)"),
    ("gzip", 3, "Content-Encoding: gzip"), ("gzip_whole", 3, "Content-Encoding: gzip"),
    ("loop", 2, "redirects more than 5 times"), ("nowhere", 2, "redirects to nowhere"), ("file", 2, "redirects"),
    ("forbidden", 2, "refuses access"), ("locked", 2, "refuses access"),
    ("garbage", 2, "does not speak HTTP"), ("fields", 2, ""),
)


def recovers(bench, store):
    expected = bench.local("seen.bloom", bench.few)
    for mode in RECOVERS:
        bench.clear()
        store.take_log()
        got = bench.run("query", store.address(f"{mode}/seen.bloom?signature=topsecret"), bench.few)
        assert got == expected, f"{mode}: other answers"
        assert bench.run("verify", "--no-cache", store.address(f"{mode}/seen.bloom")).endswith("structure)\n"), mode


def refuses(bench, store):
    for mode, code, sentence in REFUSED:
        address = store.address(f"{mode}/seen.bloom")
        for options, suffix, says in ((), "?signature=topsecret&x=a:b", sentence), (("-q",), "#topsecret", address + ": "):
            bench.clear()
            store.take_log()
            bench.run("query", "--timeout", "1", "--retries", "1", *options, address + suffix, bench.few, code=code,
                      says=says)
            assert len(store.take_log()) <= 14, f"{mode}: too many requests"


def credentials(bench, store):
    """Headers go to the server of the address only, and nothing secret is printed."""
    with server.serve(bench.files) as other:
        store.elsewhere = other.address("").rstrip("/").replace("127.0.0.1", "localhost")
        header = ("--header", "Authorization: Bearer open sesame", "--header", "X-Token: topsecret")
        expected = bench.local("seen.bloom", bench.few)
        bench.clear()
        assert bench.run("query", *header, store.address("locked/seen.bloom"), bench.few) == expected
        lines = bench.folder / "headers"
        lines.write_text("Authorization: Bearer open sesame\r\n\nX-Token: topsecret\n")
        bench.clear()
        assert bench.run("query", "--header", f"@{lines}", store.address("locked/seen.bloom"), bench.few) == expected
        bench.clear()
        store.take_log()
        for mode in ("away", "moved"):
            address = store.address(f"{mode}/seen.bloom").replace("//", "//ann:pw@") + "?signature=topsecret"
            assert bench.run("query", "--no-cache", *header, address, bench.few) == expected
        assert all("X-Token" in request.headers for request in store.take_log()), "a header was not sent"
        for request in other.take_log():
            assert "X-Token" not in request.headers and "Authorization" not in request.headers, request
            assert "topsecret" not in str(request), request
        user = store.address("user/seen.bloom").replace("//", "//ann:pw@")
        assert bench.run("query", user, bench.few) == expected
        assert bench.run("query", store.address("signed/seen.bloom?signature=topsecret"), bench.few) == expected
        bench.run("query", store.address("signed/seen.bloom?signature=topsecre"), bench.few, code=2, says="expired")
        shown = bench.run("inspect", store.address("signed/seen.bloom?signature=topsecret"))
        assert store.address("signed/seen.bloom") in shown
    for bad in ("no colon", "Range: bytes=0-1", "Host: other", "X: a\r\nY: topsecret", ": empty", "X:"):
        bench.run("query", "--header", bad, store.address("ok/seen.bloom"), bench.few, code=2, says="header")
    for bad in ("http://", "http://ann:topsecret/x@a/", "http://a b/?topsecret", "http://a:0/", "http://a@b@c/?topsecret", "https://[::1/",
                "http://a\\@b/?topsecret"):
        bench.run("query", bad, bench.few, code=2)
    hidden_in_process_list(bench, store)


def hidden_in_process_list(bench, store):
    address = store.address("hang/seen.bloom?signature=topsecret")
    command = [bench.bloomery, "query", "--header", "X-Token: topsecret", "--header=X-Other: topsecret", address]
    store.take_log()
    with subprocess.Popen([*command, str(bench.few)], env=bench.environment()) as process:
        while not any(key[0] == "/" and "hang" in key for key in list(store.seen)):
            assert process.poll() is None
            time.sleep(0.01)
        with open(f"/proc/{process.pid}/cmdline", "rb") as line:
            shown = line.read()
        process.kill()
    assert b"topsecret" not in shown and b"hang/seen.bloom" in shown, shown


def unreachable(bench, _):
    with server.serve({}) as gone:
        address = gone.address("ok/seen.bloom")
    bench.run("query", "--retries", "1", address, bench.few, code=2, says="given up after 2 attempts")
    bench.run("query", "http://no-such-host.invalid/x", bench.few, code=2, says="resolve", at_most=60)


def main():
    with harness.bench(sys.argv[1]) as bench, server.serve(bench.files) as store:
        harness.run_all((same_answers, few_bytes, other_commands, recovers, refuses, credentials, unreachable), bench, store)


main()
