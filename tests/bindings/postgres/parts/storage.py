"""What a DBA does to a server: dump, restore, replicate, crash, upgrade."""
import os
import shutil
import subprocess
import time

import psycopg2

from parts.context import Context

MAKE = """create table kept (id int primary key, f bloomery);
    insert into kept select 1, bloom_agg(i, 100000, 0.01) from generate_series(1, 50000) i;
    insert into kept select 2, bloom_agg('k' || i, 10, 0.01) from generate_series(1, 10) i;
    insert into kept select 3, bloom_add(bloom_create(100, 0.01, format => 'guava'), 'java')"""
SUM = "select string_agg(id || md5(bloomery_send(f)), ',' order by id) from kept"


def make(t):
    t.do("drop table if exists kept")
    t.do(MAKE)
    return t.one(SUM)


def check(cursor, expected):
    cursor.execute(SUM)
    assert cursor.fetchone()[0] == expected
    cursor.execute("""select (select bool_and(f @> i) from kept, generate_series(1, 50000, 100) i where id = 1)
        and (select bool_and(f @> ('k' || i)) from kept, generate_series(1, 10) i where id = 2)
        and (select f @> 'java' and not f @> 'rust' from kept where id = 3)""")
    assert cursor.fetchone()[0]


def test_dump_and_restore(t):
    expected = make(t)
    for form in ["plain", "custom"]:
        t.do("drop database if exists restored")
        t.do("create database restored")
        dump = t.server.run("pg_dump", "-F", form, "postgres").stdout
        if form == "plain":
            t.server.run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "restored", input=dump)
        else:
            t.server.run("pg_restore", "--exit-on-error", "-d", "restored", input=dump)
        other = t.server.connect("restored")
        with other.cursor() as cursor:
            check(cursor, expected)
            cursor.execute("select extversion from pg_extension where extname = 'bloomery'")
            assert cursor.fetchone()[0] == "0.2"
        other.close()
    t.do("drop database restored")


def test_replica(t):
    expected = make(t)
    replica = t.server.cluster.add("replica")
    t.server.run("pg_basebackup", "-D", replica.data, "-R", "-c", "fast", "--no-sync", "-X", "stream")
    replica.start()
    try:
        t.do("update kept set f = bloom_add(f, 50001) where id = 1")
        expected = t.one(SUM)
        position = t.one("select pg_current_wal_lsn()")
        connection = replica.connect()
        with connection.cursor() as cursor:
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                cursor.execute("select pg_last_wal_replay_lsn() >= %s::pg_lsn", (position,))
                if cursor.fetchone()[0]:
                    break
                time.sleep(0.05)
            check(cursor, expected)
            cursor.execute("select f @> 50001 and pg_is_in_recovery() from kept where id = 1")
            assert cursor.fetchone()[0]
        connection.close()
    finally:
        replica.stop()


def test_crash_of_a_backend(t):
    """kill -9 in the middle of an aggregate: the server recovers, and committed values are whole."""
    expected = make(t)
    victim = t.server.connect()
    with victim.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        pid = cursor.fetchone()[0]
        killer = subprocess.Popen(["sh", "-c", f"sleep 0.4; kill -9 {pid}"])
        try:
            cursor.execute("insert into kept select 9, bloom_agg(i, 10000000) from generate_series(1, 1000000000) i")
            raise AssertionError("the backend was not killed")
        except psycopg2.OperationalError:
            pass
        killer.wait()
    deadline = time.monotonic() + 60
    while True:  # the server may still take a session before it restarts
        try:
            again = t.server.connect()
            with again.cursor() as cursor:
                cursor.execute("select pg_sleep(0.2)")
                check(cursor, expected)
            break
        except psycopg2.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
    again.close()


def test_upgrade(t):
    """0.1, used, then 0.2: the values stay, and what is new works."""
    t.do("drop database if exists upgraded")
    t.do("create database upgraded")
    other = t.server.connect("upgraded")
    with other.cursor() as cursor:
        cursor.execute("create extension bloomery version '0.1'")
        cursor.execute("create table old as select bloom_agg(i, 1000, 0.01) f from generate_series(1, 1000) i")
        cursor.execute("create view seen as select f @> 5 as five from old")
        cursor.execute("select (bloom_health(f)).verdict, bloom_to_bytea(f | f) is not null from old")
        assert cursor.fetchone() == ("ok", True)
        try:
            cursor.execute("select bloom_size(10)")
            raise AssertionError("0.1 has bloom_size")
        except psycopg2.errors.UndefinedFunction:
            pass
        cursor.execute("alter extension bloomery update")
        cursor.execute("select extversion from pg_extension where extname = 'bloomery'")
        assert cursor.fetchone()[0] == "0.2"
        cursor.execute("select f = f & f and f @> 5, (bloom_info(f)).funnel, (select five from seen), "
                       "(select bytes from bloom_size(10)) > 0 from old")
        assert cursor.fetchone() == (True, "i64", True, True)
        # The same objects as of an extension that began with 0.2.
        listed = """select array_agg(x order by x) from (select pg_describe_object(classid, objid, 0) x from pg_depend
            where refclassid = 'pg_extension'::regclass and deptype = 'e' and refobjid =
            (select oid from pg_extension where extname = 'bloomery')) s"""
        cursor.execute(listed)
        objects = cursor.fetchone()[0]
        cursor.execute("drop extension bloomery cascade")
    other.close()
    assert objects == t.one(listed)
    t.do("drop database upgraded")


def test_extension_in_a_schema_of_its_own(t):
    t.do("drop database if exists apart")
    t.do("create database apart")
    other = t.server.connect("apart")
    with other.cursor() as cursor:
        cursor.execute("create schema tools; create extension bloomery schema tools")
        cursor.execute("select tools.bloom_agg(i, 10) operator(tools.@>) 3 from generate_series(1, 5) i")
        assert cursor.fetchone()[0]
        cursor.execute("create schema moved; alter extension bloomery set schema moved")
        cursor.execute("select moved.bloom_contains(moved.bloom_agg(i, 10), 3) from generate_series(1, 5) i")
        assert cursor.fetchone()[0]
    other.close()
    t.do("drop database apart")


def test_owner_of_a_database_creates_the_extension(t):
    t.do("drop database if exists owned")
    t.do("drop role if exists clerk")
    t.do("create role clerk login")
    t.do("create database owned owner clerk")
    other = psycopg2.connect(t.server.dsn.replace("dbname=postgres", "dbname=owned").replace("user=bloomery", "user=clerk"))
    with other.cursor() as cursor:
        cursor.execute("select usesuper from pg_user where usename = current_user")
        assert cursor.fetchone()[0] is False
        cursor.execute("create extension bloomery")
        cursor.execute("select bloom_agg(i, 10) @> 3 from generate_series(1, 5) i")
        assert cursor.fetchone()[0]
    other.close()
    t.do("drop database owned")
    t.do("drop role clerk")


def test_pg_upgrade(t):
    """Of a whole cluster, to another one of the same version: takes half a minute, so only in full runs."""
    if "BLOOMERY_FULL" not in os.environ:
        return
    programs = t.server.installation.bin
    for name in ["pg_ctl", "pg_upgrade", "pg_dump", "pg_dumpall", "pg_restore", "psql", "vacuumdb", "pg_controldata",
                 "pg_resetwal"]:
        if not (programs / name).exists():
            shutil.copy(t.server.installation.installed_bin / name, programs / name)
    old, new = (t.server.cluster.add(name).make() for name in ["old", "new"])
    old.start()
    connection = old.connect()
    with connection.cursor() as cursor:
        cursor.execute("create extension bloomery")
        cursor.execute(MAKE)
        cursor.execute(SUM)
        expected = cursor.fetchone()[0]
    connection.close()
    old.stop()
    new.run("pg_upgrade", "-b", programs, "-B", programs, "-d", old.data, "-D", new.data, "-U", "bloomery", "-s", new.folder,
            program_folder=programs)
    new.start()
    connection = new.connect()
    with connection.cursor() as cursor:
        check(cursor, expected)
    connection.close()
    new.stop()
