#!/usr/bin/python3
"""Cache penetration, and the filter that stops it.

Users are rows of a PostgreSQL table, with Redis as a cache before it. A lookup of a user who does not exist finds nothing
in the cache, ever: every such lookup reaches the database, and a client that asks for random names can overload
it. A Bloom filter of all names, in the same Redis, answers those lookups: what is not in the filter is certainly not in the
table.

    cache_guard.py --redis redis://localhost --postgres "dbname=test" [--bloomery PATH]

Makes a table and a filter, sends the same lookups with the filter and without it, and says how many reached PostgreSQL, by
PostgreSQL's own count. Needs python3-redis, python3-psycopg2, and bloomery.so (or RedisBloom) in the server. With
--bloomery the filter is built outside the server by the bloomery command, and loaded into it.
"""
import argparse
import random
import subprocess
import sys
import time
import urllib.parse

import psycopg2
import psycopg2.extras
import redis

FILTER = "users:known"
RATE = 0.001


class Users:
    """Cache, filter, table: asked in this order."""

    def __init__(self, cache, database, guarded):
        self.cache, self.database, self.guarded = cache, database, guarded
        self.spared = 0  # lookups that the filter answered

    def find(self, name):
        cached = self.cache.get("user:" + name)
        if cached is not None:
            return cached.decode()
        if self.guarded and not self.cache.bf().exists(FILTER, name):
            self.spared += 1
            return None
        with self.database.cursor() as cursor:
            cursor.execute("SELECT mail FROM users WHERE name = %s", [name])
            row = cursor.fetchone()
        if row is None:
            return None
        self.cache.set("user:" + name, row[0], ex=3600)
        return row[0]

    def add(self, name, mail):
        # The filter first: a name that is in it and not yet in the table costs one query, the other way round a user who
        # exists is denied.
        self.cache.bf().add(FILTER, name)
        with self.database.cursor() as cursor:
            cursor.execute("INSERT INTO users VALUES (%s, %s)", [name, mail])


def make_table(database, rows):
    with database.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS users")
        cursor.execute("CREATE TABLE users (name text PRIMARY KEY, mail text NOT NULL)")
        psycopg2.extras.execute_values(cursor, "INSERT INTO users VALUES %s",
                                       ((f"user{i}", f"user{i}@example.org") for i in range(rows)), page_size=5000)
        cursor.execute("ANALYZE users")


def fill_in_place(cache, database, rows):
    cache.bf().create(FILTER, RATE, rows)
    with database.cursor() as cursor:
        cursor.execute("SELECT name FROM users")
        while names := cursor.fetchmany(1000):
            cache.bf().madd(FILTER, *(name for name, in names))


def fill_from_outside(arguments, database, rows):
    """The names go to the bloomery command, which builds the filter and loads it into the server in one step."""
    server = arguments.redis.rstrip("/") + "/" + urllib.parse.quote(FILTER)
    build = [arguments.bloomery, "build", "--quiet", "--force", "--format", "redisbloom", "-n", str(rows), "-p", str(RATE), "-o",
             server]
    with subprocess.Popen(build, stdin=subprocess.PIPE) as command:
        with database.cursor() as cursor:
            cursor.copy_expert("COPY (SELECT name FROM users) TO STDOUT", command.stdin)
        command.stdin.close()
        if command.wait() != 0:
            sys.exit("the filter could not be built")


def lookups(count, rows, seed):
    """Three in five for users who exist, some far more often than others; the rest for names that no user has."""
    chance = random.Random(seed)
    for _ in range(count):
        if chance.random() < 0.6:
            yield f"user{min(int(chance.paretovariate(0.6)), rows) - 1}", True
        else:
            yield f"user{chance.randrange(rows, 1 << 40)}", False


def queries_so_far(database):
    """PostgreSQL's own count of reads of the table."""
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'users'")
        return cursor.fetchone()[0]


def trial(arguments, cache, database, guarded):
    """Sends the lookups. Gives the queries that reached the table, the lookups that the filter answered, users who exist and
    were denied, and seconds."""
    for key in cache.scan_iter("user:*", count=1000):
        cache.delete(key)
    users = Users(cache, database, guarded)
    before, start, denied = queries_so_far(database), time.monotonic(), 0
    for name, exists in lookups(arguments.lookups, arguments.rows, arguments.seed):
        denied += exists and users.find(name) != f"{name}@example.org"
        if not exists and users.find(name) is not None:
            sys.exit(f"{name} does not exist, and was found")
    seconds = time.monotonic() - start
    return queries_so_far(database) - before, users.spared, denied, seconds


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--redis", default="redis://localhost:6379")
    options.add_argument("--postgres", default="")
    options.add_argument("--bloomery", help="the bloomery command, to build the filter outside the server")
    options.add_argument("--rows", type=int, default=20_000)
    options.add_argument("--lookups", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    cache = redis.Redis.from_url(arguments.redis)
    database = psycopg2.connect(arguments.postgres)
    database.autocommit = True
    make_table(database, arguments.rows)
    cache.delete(FILTER)
    if arguments.bloomery:
        fill_from_outside(arguments, database, arguments.rows)
    else:
        fill_in_place(cache, database, arguments.rows)
    absent = sum(1 for _, exists in lookups(arguments.lookups, arguments.rows, arguments.seed) if not exists)
    without, _, _, slow = trial(arguments, cache, database, guarded=False)
    guarded, spared, denied, fast = trial(arguments, cache, database, guarded=True)
    print(f"{arguments.lookups} lookups, {absent} of them for users who do not exist; {arguments.rows} rows")
    print(f"without the filter: {without} queries reached PostgreSQL, {slow:.2f} s")
    print(f"with the filter:    {guarded} queries reached PostgreSQL, {fast:.2f} s")
    print(f"spared: {(without - guarded) / without:.1%} of all queries; the filter answered {spared} of {absent} lookups of "
          f"absent users ({spared / absent:.2%}), in {cache.bf().info(FILTER).size} bytes")
    print(f"present users denied: {denied}")
    users = Users(cache, database, guarded=True)
    users.add("new user", "new@example.org")
    print(f"a new user is found at once: {users.find('new user')}")


main()
