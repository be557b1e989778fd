#!/usr/bin/env python3
"""Measures the PostgreSQL extension beside what PostgreSQL has, and prints markdown tables.

usage: bench/postgres_bench.py MODULE [ROWS] [ROUNDS]

MODULE is bloomery.so of the extension. A server is started in a temporary folder, with 256 MB of shared buffers and 64 MB
of work_mem. ROWS (10 million) orders have a customer each, of ROWS / 10 customers, 1 % of whom are in the north. All
statements run one after the other, ROUNDS (3) times; each figure is the median of its rounds, so that a slow moment of the
machine hurts all alike. The load of the machine is printed with them.
"""
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "bindings" / "postgres"))
import server  # noqa: E402

WORKERS = 2


def prepare(cursor, rows):
    cursor.execute("create extension bloomery")
    cursor.execute("create unlogged table customers (id int, email text, region text)")
    cursor.execute(f"""insert into customers select i, 'user' || i || '@example.org',
        case when i % 100 = 0 then 'north' else 'south' end from generate_series(1, {rows // 10}) i""")
    cursor.execute("create unlogged table orders (id int, customer int, email text, amount int)")
    cursor.execute(f"""insert into orders select i, c, 'user' || c || '@example.org', i % 1000 from
        (select i, (hashint4(i)::bigint + 2147483648) % {rows // 10} + 1 as c from generate_series(1, {rows}) i) x""")
    cursor.execute("vacuum analyze orders")
    cursor.execute("vacuum analyze customers")
    cursor.execute(f"""create unlogged table filters as
        select bloom_agg(id, {rows // 10}, 0.01) as every, bloom_agg(id, {rows // 1000}, 0.01)
        filter (where region = 'north') as north from customers""")


def statements(rows):
    customers = rows // 10
    north = "(select id from customers where region = 'north')"
    filter_north = "(select north from filters)"
    totals = "select count(*), sum(total) from (select customer, sum(amount) total from orders {} group by customer) t"
    return [
        ("Aggregates of all orders", [
            ("`count(*)`: the scan alone", "select count(*) from orders"),
            ("`count(customer)`", "select count(customer) from orders"),
            ("`bloom_agg(customer, …)`", f"select bloom_agg(customer, {customers}, 0.01) is null from orders"),
            ("`count(distinct customer)`", "select count(distinct customer) from orders"),
            ("`count(*)` of `select distinct customer`", "select count(*) from (select distinct customer from orders) x"),
            ("`bloom_agg(email, …)`", f"select bloom_agg(email, {customers}, 0.01) is null from orders"),
            ("`count(*)` of `select distinct email`", "select count(*) from (select distinct email from orders) x"),
        ]),
        ("Orders of customers in the north, 1 %", [
            ("hash join", f"select count(*) from orders o join {north} n on n.id = o.customer"),
            ("filter, then hash join",
             f"select count(*) from orders o join {north} n on n.id = o.customer where {filter_north} @> o.customer"),
            ("filter alone", f"select count(*) from orders where {filter_north} @> customer"),
            ("filter of all customers: every lookup is a hit",
             "select count(*) from orders where (select every from filters) @> customer"),
        ]),
        ("Totals per customer, then those in the north", [
            ("group all orders, join", totals.format("") + f" join {north} n on n.id = t.customer"),
            ("filter, group, join",
             totals.format(f"where {filter_north} @> customer") + f" join {north} n on n.id = t.customer"),
        ]),
    ]


def rows_after_scan(cursor, sql):
    """Rows of orders that leave the scan: the others are spared."""
    cursor.execute("set max_parallel_workers_per_gather = 0")  # rows of a worker are rounded
    cursor.execute("explain (analyze, format json, timing off) " + sql)
    found = []

    def walk(node):
        if node.get("Relation Name") == "orders":
            found.append(node["Actual Rows"] * node["Actual Loops"])
        for child in node.get("Plans", []):
            walk(child)

    walk(cursor.fetchone()[0][0]["Plan"])
    return sum(found)


def measure(cursor, parts, rounds):
    times, answers = {}, {}
    for _ in range(rounds):
        for _, lines in parts:
            for name, sql in lines:
                for workers in (0, WORKERS):
                    cursor.execute(f"set max_parallel_workers_per_gather = {workers}")
                    begin = time.perf_counter()
                    cursor.execute(sql)
                    answers.setdefault(name, set()).add(str(cursor.fetchone()))
                    times.setdefault((name, workers), []).append(time.perf_counter() - begin)
    wrong = [name for name, found in answers.items() if len(found) != 1]
    if wrong:
        sys.exit(f"answers differ between runs: {wrong}")
    return times


def main():
    module = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with server.Cluster(module) as cluster:
        cluster.stop()
        cluster.settings += ["shared_buffers=256MB", "work_mem=64MB", "max_wal_size=2GB"]
        cluster.start()
        connection = cluster.connect()
        with connection.cursor() as cursor:
            prepare(cursor, rows)
            parts = statements(rows)
            before = os.getloadavg()[0]
            times = measure(cursor, parts, rounds)
            print(f"{rows:,} orders, {rows // 10:,} customers; load average {before:.0f} to {os.getloadavg()[0]:.0f}\n")
            for title, lines in parts:
                print(f"| {title} | seconds | with {WORKERS} workers | rows past the scan |\n|---|---|---|---|")
                for name, sql in lines:
                    serial, parallel = (statistics.median(times[name, workers]) for workers in (0, WORKERS))
                    print(f"| {name} | {serial:.2f} | {parallel:.2f} | {rows_after_scan(cursor, sql):,} |")
                print()
        connection.close()
    return 0


sys.exit(main())
