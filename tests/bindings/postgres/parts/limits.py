"""Limits: 1 GB, memory of the machine."""
import os
import pathlib

import psycopg2

from parts.context import Context


def test_more_than_a_gigabyte_is_refused(t):
    for sql in ["select bloom_agg(1, 2000000000, 0.001)", "select bloom_create(2000000000, 0.001)",
                "select bloom_create(2000000000, 0.001, format => 'guava')"]:
        text = t.refused("54000", "ends at 1 GB", sql)
        assert "fewer keys" in text
    t.refused("22023", "would need more than", "select bloom_agg(1, 9223372036854775807, 1e-9)")


def test_a_full_filter_is_not_beyond_a_gigabyte(t):
    """Its own sentence, without advice about sizes: fewer keys would not help this one."""
    keys = b"first\nsecond\n"
    for name, *options in [("rediscuckoo", "--expansion", "0"), ("bloomery", "--layout", "scalable", "--max-layers", "1")]:
        data = t.build(keys, "-n", "8", "--format", name, *options)
        t.do("drop table if exists small; create table small as select bloom_from_bytea(%s, %s) f", psycopg2.Binary(data), name)
        for i in range(1000):
            try:
                t.do("update small set f = bloom_add(f, %s)", f"more {i}")
            except psycopg2.Error as error:
                assert error.pgcode == "54000", error.pgcode
                assert "full" in error.diag.message_primary, error.diag.message_primary
                assert error.diag.message_detail is None, error.diag.message_detail
                assert error.diag.message_hint is None, error.diag.message_hint
                break
        else:
            raise AssertionError(f"{name}: never full")
    t.do("drop table small")


def test_out_of_memory_is_an_error_of_the_query(t):
    """A backend with little address space left: the query fails, and the session goes on."""
    pid = t.one("select pg_backend_pid()")
    t.one("select bloom_agg(i, 1000) @> 5 from generate_series(1, 10) i")  # loads the module
    with open(f"/proc/{pid}/status") as status:
        used = next(int(line.split()[1]) for line in status if line.startswith("VmSize")) * 1024
    t.server.run("prlimit", f"--as={used + (64 << 20)}", f"--pid={pid}", program_folder=pathlib.Path("/usr/bin"))
    t.refused("53200", "", "select bloom_agg(i, 400000000, 0.01) @> 1 from generate_series(1, 10) i")
    t.refused("53200", "", "select bloom_create(200000000, 0.01) @> 'a'")
    assert t.one("select bloom_agg(i, 1000) @> 5 from generate_series(1, 10) i")


def test_large_values(t):
    """A value of 25 MB in a table: made, toasted and read. BLOOMERY_FULL=1 makes it 815 MB, whose text is too long."""
    is_full = "BLOOMERY_FULL" in os.environ
    keys = 640000000 if is_full else 20000000
    t.do(f"create table large as select bloom_agg(i, {keys}, 0.01) f from generate_series(1, 1000) i")
    assert t.one("select octet_length(bloomery_send(f)) > %s from large", keys)
    assert t.one("select f @> 1000 and not f @> 1001 from large")
    if is_full:
        t.refused("54000", "text ends at 1 GB", "select f::text from large")
    else:
        assert t.one("select f::text::bloomery = f from large")
    t.do("drop table large")
