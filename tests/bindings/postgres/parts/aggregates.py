"""bloom_agg and bloom_union_agg: serial, parallel, grouped, and beside the command and exact sets."""
import threading
import time

from parts.context import Context

PARALLEL = """set max_parallel_workers_per_gather = 3; set parallel_setup_cost = 0; set parallel_tuple_cost = 0;
    set min_parallel_table_scan_size = 0; set enable_partitionwise_aggregate = on"""


def workers(t, sql):
    launched = []

    def walk(node):
        launched.append(node.get("Workers Launched", 0))
        for child in node.get("Plans", []):
            walk(child)

    walk(t.one("explain (analyze, format json) " + sql)[0]["Plan"])
    return max(launched)


def test_parallel_equals_serial_and_the_command(t):
    t.do("create table wide as select i, 'key-' || i as s from generate_series(1, 100000) i; analyze wide")
    for column, keys, options in [("i", "%d", ["--funnel", "i64"]), ("s", "key-%d", [])]:
        sql = f"select bloom_agg({column}, 100000, 0.001) from wide"
        t.do("set max_parallel_workers_per_gather = 0")
        serial = t.one(f"select bloom_to_bytea(({sql}))")
        t.do(PARALLEL)
        assert workers(t, sql) >= 1
        parallel = t.one(f"select bloom_to_bytea(f) from ({sql}) x(f)")
        file = t.build("".join(keys % i + "\n" for i in range(1, 100001)).encode(), "-n", "100000", "-p", "0.001", *options)
        assert serial == file, column
        assert parallel[128:] == file[128:], column
        assert t.query(parallel, (keys % 77 + "\n").encode(), *options) == [(keys % 77).encode()]
    t.do("drop table wide; reset all")


def test_partial_aggregates_are_combined(t):
    """An aggregate of each partition, serialized and combined: the same in every run, unlike the work of processes."""
    t.do("""set enable_partitionwise_aggregate = on; create table cut (part int, k int, s text) partition by list (part);
        create table cut1 partition of cut for values in (1); create table cut2 partition of cut for values in (2);
        create table cut3 partition of cut for values in (3);
        insert into cut select i % 3 + 1, i, 'k' || i from generate_series(1, 30000) i; analyze cut""")
    for column in ["k", "s"]:
        sql = f"select bloom_agg({column}, 30000, 0.001) f from cut group by part < 9"
        plan = "\n".join(line for (line,) in t.rows("explain " + sql))
        assert plan.count("Partial") == 3 and "Finalize" in plan, plan
        whole = f"select bloom_agg({column}, 30000, 0.001) from (select * from cut order by k) x"
        assert t.one(f"select f = ({whole}) from ({sql}) x"), column
        union = f"select bloom_union_agg(f) u from (select bloom_agg({column}, 30000, 0.001) f from cut group by part) x"
        assert t.one(f"select u = ({whole}) from ({union}) y"), column
    t.do("drop table cut; reset all")


def test_union_in_parallel(t):
    t.do("""create table parts as select g, bloom_agg(g * 100 + i, 20000, 0.001) f
        from generate_series(1, 100) g, generate_series(0, 99) i group by g; analyze parts""")
    t.do("set max_parallel_workers_per_gather = 0")
    serial = t.one("select bloom_to_bytea(bloom_union_agg(f)) from parts")
    t.do(PARALLEL)
    assert workers(t, "select bloom_union_agg(f) from parts") >= 1
    assert t.one("select bloom_to_bytea(bloom_union_agg(f)) from parts")[128:] == serial[128:]
    assert t.one("select bool_and(u @> i) from (select bloom_union_agg(f) u from parts) x, generate_series(100, 10099) i")
    t.do("drop table parts; reset all")


def test_groups_windows_and_partitions(t):
    t.do(PARALLEL)
    t.do("""create table logs (day int, k int) partition by list (day);
        create table logs1 partition of logs for values in (1); create table logs2 partition of logs for values in (2, 3);
        insert into logs select i % 3 + 1, i from generate_series(1, 3000) i; analyze logs""")
    wrong = t.one("""select count(*) from (select day, bloom_agg(k, 1000, 1e-6) f from logs group by day) x, logs l
        where (f @> k) <> (x.day = l.day)""")
    assert wrong == 0
    assert t.one("""select bool_and(f @> k and f @> 1) from
        (select k, bloom_agg(k, 300) over (order by k) f from generate_series(1, 100) k) x""")
    assert t.one("select bool_and(not f @> (k + 1)) from (select k, bloom_agg(k, 300, 1e-7) over (order by k) f "
                 "from generate_series(1, 100) k) x")
    t.do("drop table logs; reset all")


def test_no_false_negative_and_the_rate_promised(t):
    for kind, expression in [("int", "i * 7"), ("text", "md5(i::text)"), ("uuid", "md5(i::text)::uuid"),
                             ("numeric", "i / 8.0"), ("bytea", "decode(md5(i::text), 'hex')")]:
        for rate in [0.05, 0.01, 0.0001]:
            missing, found = t.one(f"""with f as materialized (select bloom_agg({expression}, 20000, {rate}) f
                    from generate_series(1, 20000) i)
                select count(*) filter (where i <= 20000 and not f @> ({expression})),
                       count(*) filter (where i > 20000 and f @> ({expression})) from f, generate_series(1, 60000) i""")
            assert missing == 0, (kind, rate)
            expected = 40000 * rate
            assert 0.5 * expected - 8 <= found <= 1.35 * expected + 12, (kind, rate, found)


def test_long_and_many_keys(t):
    """Keys beyond a batch: of 5 KB and 100 KB between short ones, toasted too."""
    assert t.one("""select bool_and(f @> repeat(i::text, (10 ^ (i % 5))::int)) from
        (select bloom_agg(repeat(i::text, (10 ^ (i % 5))::int), 1000, 0.0001) f from generate_series(1, 300) i) a,
        generate_series(1, 300) i""")


def test_arguments(t):
    t.refused("22023", "0 keys", "select bloom_agg(1, 0)")
    t.refused("22023", "must not be negative", "select bloom_agg(1, -5)")
    t.refused("22023", "must be between 0 and 1", "select bloom_agg(1, 10, 1)")
    t.refused("22023", "must be between 0 and 1", "select bloom_agg(1, 10, 0)")
    t.refused("22023", "must be between 0 and 1", "select bloom_agg(1, 10, 'nan')")
    t.refused("22004", "must not be NULL", "select bloom_agg(1, null)")
    t.refused("22023", "the same in every row", "select bloom_agg(i, i) from generate_series(1, 3) i")


def test_cancel_and_timeout_inside_an_aggregate(t):
    slow = "select bloom_agg(i, 50000000, 0.01) from generate_series(1, 1000000000) i"
    t.do("set statement_timeout = '300ms'")
    begin = time.monotonic()
    t.refused("57014", "statement timeout", slow)
    assert time.monotonic() - begin < 10
    t.do("reset statement_timeout")
    threading.Timer(0.3, t.cursor.connection.cancel).start()
    t.refused("57014", "user request", slow)
    assert t.one("select bloom_agg(i, 100) @> 3 from generate_series(1, 10) i")


def resident(t):
    with open(f"/proc/{t.one('select pg_backend_pid()')}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_memory_is_given_back(t):
    """Errors and cancelled queries free the library's memory: 30 filters of 12 MB would be seen."""
    t.one("select bloom_agg(i, 10000000, 0.01) @> 1 from generate_series(1, 1000) i")
    before = resident(t)
    for _ in range(30):
        t.refused("22012", "division by zero",
                  "select bloom_agg(1 / (100 - i), 10000000, 0.01) @> 1 from generate_series(1, 1000) i")
    for _ in range(30):
        t.one("select (bloom_agg(i, 10000000, 0.01) | bloom_agg(-i, 10000000, 0.01)) @> 1 from generate_series(1, 9) i")
    assert resident(t) < before + 60000, (before, resident(t))
