#!/usr/bin/env python3
"""Filters in parts at web addresses: the same answers as from one file, and parts that are lost, changed or damaged.

usage: sets.py BLOOMERY
"""
import subprocess
import sys

import harness
import server


def publish(bench, name, parts, folder):
    """Cuts a filter of the bench into parts, and serves them in a folder."""
    path = bench.folder / folder
    subprocess.run([bench.bloomery, "split", "-q", "--parts", str(parts), "--filter", bench.folder / name, "-o", path],
                   check=True)
    manifests = list(path.glob("*.bloomset"))
    assert len(manifests) == 1, list(path.iterdir())
    for file in path.iterdir():
        bench.files[f"{folder}/{file.name}"] = file.read_bytes()
    return f"{folder}/{manifests[0].name}"


def same_answers(bench, store):
    bench.build("full.bloom", "-p", "1%", size=("-n", "100k"))
    bench.build("lines.bloom", "-p", "1e-6")
    bench.build("seeded.bloom", "--seeded", "-p", "1%")
    for name in ("full.bloom", "lines.bloom", "seeded.bloom"):
        for parts in (2, 7, 64):
            address = store.address("ok/" + publish(bench, name, parts, f"{name}.{parts}"))
            for keys in (bench.few, bench.keys, bench.absent):
                bench.clear()
                got = bench.run("query", address, keys, code=(0, 1))
                assert got == bench.local(name, keys), f"{name} in {parts} parts: other answers than from the file"
                assert keys == bench.absent or got == keys.read_text(), f"{name} in {parts} parts: a false negative"
    got = bench.run("query", "-j", "4", store.address("ok/full.bloom.7/full.bloomset"), bench.absent)
    assert got == bench.local("full.bloom", bench.absent)
    print(f"  false-positive rate: {len(got.splitlines()) / 1000:.2f} % (built for 1 %)")


def few_parts(bench, store):
    """Five keys open five parts of 64 at most, and each is asked for once."""
    bench.clear()
    store.take_log()
    address = store.address("ok/full.bloom.64/full.bloomset")
    bench.run("query", address, bench.few)
    log = store.take_log()
    assert len(log) <= 1 + 5 + 5, len(log)
    bench.run("query", address, bench.few)
    assert len(store.take_log()) <= 1 + 5
    print(f"  5 keys of 64 parts: {sum(request.sent for request in log):,} bytes in {len(log)} requests")


def other_commands(bench, store):
    address = store.address("ok/full.bloom.7/full.bloomset")
    local = bench.folder / "full.bloom.7" / "full.bloomset"
    assert bench.run("inspect", "--json", address) == bench.run("inspect", "--json", local)
    assert bench.run("verify", address) == f"{address}: ok (bloomery-set, checksums of the manifest and of 7 parts)\n"
    mixed = bench.write("mixed.txt", (f"{'key' if i % 2 else 'new'}-{i}" for i in range(2000)))
    got = bench.run("dedup", "-q", "--against", address, mixed)
    assert got == bench.run("dedup", "-q", "--against", local, mixed) and 900 < len(got.splitlines()) <= 1000
    assert "equal" in bench.run("compare", address, bench.folder / "full.bloom")


def credentials(bench, store):
    """A header and a query go to the parts too."""
    manifest = "full.bloom.7/full.bloomset"
    expected = bench.local("full.bloom", bench.few)
    header = ("--header", "Authorization: Bearer open sesame")
    assert bench.run("query", *header, store.address("locked/" + manifest), bench.few) == expected
    bench.run("query", store.address("locked/" + manifest), bench.few, code=2, says="refuses access")
    signed = store.address("signed/" + manifest) + "?signature=topsecret"
    assert bench.run("query", signed, bench.few) == expected
    assert bench.run("query", store.address("flaky/" + manifest), bench.few) == expected


def a_part_is_wrong(bench, store):
    names = sorted(name for name in bench.files if name.startswith("full.bloom.7/") and not name.endswith(".bloomset"))
    assert len(names) == 7
    address = store.address("ok/full.bloom.7/full.bloomset")
    victim, other = names[3], names[4]
    good = bench.files[victim]
    file = victim.rpartition("/")[2]

    def check(content, code, says, command="query"):
        bench.clear()
        bench.files[victim] = content
        arguments = (address, bench.keys) if command == "query" else (address,)
        bench.run(command, *arguments, code=code, says=says)
        bench.run(command, *arguments, code=code, says=file)
        bench.files[victim] = good

    check(None, 2, "HTTP 404")
    check(b"", 3, "part 3 of 7")
    check(good[:-1], 3, "part 3 of 7")
    check(bench.files[other], 3, "part 3 of 7")
    check(bytes(len(good)), 3, "part 3 of 7")
    check(good[:-100] + b"x" + good[-99:], 3, "checksum", "verify")
    check(good[:-9000] + bytes(4000) + good[-5000:], 3, "checksum")
    large_part_is_wrong(bench, store)
    stranger = publish(bench, "lines.bloom", 7, "stranger").rpartition("/")[0]
    check(bench.files[f"{stranger}/{file.replace('full', 'lines')}"], 3, "part 3 of 7")
    bench.run("query", store.address("ok/" + victim), bench.few, code=3, says="part 3 of 7")
    text = bench.files["full.bloom.7/full.bloomset"]
    bench.files["full.bloom.7/bad.bloomset"] = text.replace(b"7", b"8", 1)
    bench.run("query", store.address("ok/full.bloom.7/bad.bloomset"), bench.few, code=(2, 3))
    bench.files["full.bloom.7/none.bloomset"] = b"<html>no manifest</html>"
    bench.run("query", store.address("ok/full.bloom.7/none.bloomset"), bench.few, code=(2, 3))
    bench.run("query", store.address("ok/full.bloom.7/absent.bloomset"), bench.few, code=2, says="HTTP 404")
    bench.files["full.bloom.7/any-name"] = text
    assert bench.run("query", store.address("ok/full.bloom.7/any-name"), bench.few) == bench.few.read_text()


def large_part_is_wrong(bench, store):
    """Of many pages: the checksum is compared once the last one is there, with little memory and no cache too."""
    bench.build("wide.bloom", "--layout", "block", size=("--bits", "16M"))
    manifest = publish(bench, "wide.bloom", 2, "wide")
    victim = next(name for name in bench.files if name.startswith("wide/") and "-of-" in name)
    good = bench.files[victim]
    assert len(good) > 8 * 65536
    address = store.address("ok/" + manifest)
    expected = bench.local("wide.bloom", bench.keys)
    for options in (), ("--no-cache",), ("--no-cache", "-m", "300k"):
        bench.clear()
        bench.files[victim] = good
        assert bench.run("query", *options, address, bench.keys) == expected
        bench.clear()
        bench.files[victim] = good[:-300000] + bytes(1000) + good[-299000:]
        bench.run("query", *options, address, bench.keys, code=3, says="checksum")
        bench.run("query", *options, address.replace("/ok/", "/whole/"), bench.few, code=(3, 4))
    bench.run("query", address.replace("/ok/", "/huge_range/"), bench.keys, code=(2, 3))
    bench.files[victim] = good
    bench.clear()
    whole = store.address("whole/" + manifest)
    assert bench.run("query", "--no-cache", whole, bench.keys) == expected
    for limit in ("300k", "1500k"):  # less than a part, and less than both
        bench.run("query", "--no-cache", "-m", limit, whole, bench.keys, code=4, says="does not support range requests")


def main():
    with harness.bench(sys.argv[1]) as bench, server.serve(bench.files) as store:
        harness.run_all((same_answers, few_parts, other_commands, credentials, a_part_is_wrong), bench, store)


main()
