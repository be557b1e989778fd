"""bloom_contains and operators: cache, plans, merging, comparison."""
from parts.context import Context


def test_cache_follows_the_value_from_row_to_row(t):
    """Ten filters of equal size, small and large, plain, compressed and toasted, in an order that changes."""
    for keys in [10, 5000, 200000]:
        for storage in ["plain", "extended", "external"] if keys == 10 else ["extended", "external"]:
            t.do("drop table if exists many; create table many (id int, f bloomery)")
            t.do(f"alter table many alter f set storage {storage}")
            t.do(f"insert into many select g, bloom_agg(g * 1000 + i, {keys}, 0.000001) "
                 "from generate_series(1, 10) g, generate_series(1, 10) i group by g")
            wrong = t.one("""select count(*) from (select * from many, generate_series(1, 10) g, generate_series(1, 3) i
                order by md5((id * 100 + g * 10 + i)::text) offset 0) s where (f @> (g * 1000 + i)) <> (id = g)""")
            assert wrong == 0, (keys, storage)
            wrong = t.one("""select count(*) from many, generate_series(1, 10) g
                where (f @> (g * 1000 + 1)) <> (id = g) or ((f | f) @> (g * 1000 + 1)) <> (id = g)""")
            assert wrong == 0, (keys, storage)
    t.do("drop table many")


def test_cached_lookups_do_not_decode(t):
    """100,000 lookups in 1.2 MB: decoding each time would take minutes, and each row is still looked up."""
    t.do("create table one as select bloom_agg(i, 1000000, 0.01) f from generate_series(1, 1000) i")
    t.do("set statement_timeout = '20s'")
    count = t.one("select count(*) from one, generate_series(1, 100000) i where f @> i")
    assert 1000 <= count <= 1010, count
    count = t.one("select count(*) from generate_series(1, 100000) i where (select f | f from one) @> i")
    assert 1000 <= count <= 1010, count
    t.do("drop table one; reset statement_timeout")


def test_nulls(t):
    assert t.one("select bloom_contains(null::bloomery, 5)") is None
    assert t.one("select bloom_agg(5, 100) @> null::int") is None
    assert t.one("select bloom_agg(i, 100) from generate_series(1, 0) i") is None
    assert t.one("select bloom_agg(null::int, 100) @> 5") is False
    assert t.one("select (bloom_health(bloom_agg(k, 100))).keys_inserted from (values (1), (null), (2)) v(k)") == 2
    assert t.one("select bloom_union_agg(null::bloomery)") is None


def test_literals_without_a_type(t):
    assert t.one("select bloom_agg(k, 100) @> 'apple' from unnest(array['apple']) k")
    assert t.one("select bloom_contains(bloom_agg(k, 100), 'apple') from unnest(array['apple']) k")
    assert not t.one("select bloom_agg(k, 100) @> 'plum' from unnest(array['apple']) k")
    assert t.one("select bloom_agg(k, 100) @> any(array['plum', 'apple']) from unnest(array['apple']) k")


def test_operators(t):
    t.do("""create temp table ab as select
        (select bloom_agg(i, 1000, 0.0001) from generate_series(1, 500) i) a,
        (select bloom_agg(i, 1000, 0.0001) from generate_series(401, 900) i) b,
        (select bloom_agg(i, 1000, 0.0001) from generate_series(1, 900) i) both_of,
        (select bloom_agg(i, 5000, 0.0001) from generate_series(1, 900) i) larger""")
    assert t.one("select (a | b) = both_of and (b | a) = both_of and a = a and a <> b and not a = b from ab")
    assert t.one("select a <> larger and larger <> a from ab")
    inside = t.one("select count(*) from ab, generate_series(1, 900) i where a & b @> i")
    assert 100 <= inside <= 130, inside
    assert t.one("select bool_and(a & b @> i) from ab, generate_series(401, 500) i")
    t.refused("22023", "", "select a | larger from ab")
    t.refused("22023", "", "select a | bloom_create(1000, 0.0001) from ab")


def test_planner_knows_the_share_of_rows(t):
    t.do("create table facts as select i % 1000 as k from generate_series(1, 20000) i; analyze facts")
    text = t.one("select bloom_agg(i, 300, 0.01)::text from generate_series(0, 299) i")

    def rows(where, *arguments):
        plan = t.one("explain (format json) select * from facts where " + where, *arguments)
        return plan[0]["Plan"]["Plan Rows"]

    for where in ["%s::bloomery @> k", "bloom_contains(%s::bloomery, k)"]:
        assert 5500 < rows(where, text) < 6700, rows(where, text)
    assert rows("(select bloom_create(10, 0.1, 'i64')) @> k") == 2000
    assert rows("null::bloomery @> k") <= 1
    t.do("drop table facts")


def test_create_add(t):
    assert t.one("select bloom_add(bloom_add(bloom_create(100), 'a'), 'b') = bloom_agg(k, 100) from unnest(array['a','b']) k")
    assert t.one("select (bloom_info(bloom_create(100, 0.01, layout => 'counting'))).layout") == "counting"
    assert t.one("select (bloom_info(bloom_create(100, 0.01, format => 'guava'))).format") == "guava"
    t.refused("22023", "", "select bloom_create(100, 0.01, layout => 'square')")
    t.refused("22023", "", "select bloom_create(100, 0.01, format => 'square')")
    t.refused("22023", "no format", "select bloom_create(100, 0.01, format => repeat('x', 100))")


def test_semi_join_spares_rows(t):
    """The example of the documents: the filter drops most rows below the join, and the join's result is the same."""
    t.do("""create table orders (id int, customer int); create table customers (id int, region text);
        insert into customers select i, case when i % 100 = 0 then 'north' else 'south' end from generate_series(1, 20000) i;
        insert into orders select i, i % 20000 + 1 from generate_series(1, 100000) i; analyze orders; analyze customers""")
    join = "select count(*), sum(o.id) from orders o join customers c on c.id = o.customer where c.region = 'north'"
    spared = join + " and (select bloom_agg(id, 1000, 0.01) from customers where region = 'north') @> o.customer"
    assert t.one(join) == t.one(spared)
    plan = t.one("explain (analyze, format json, timing off) " + spared)
    removed = []

    def walk(node):
        if node.get("Relation Name") == "orders":
            removed.append((node["Rows Removed by Filter"] * node["Actual Loops"], node["Actual Rows"]))
        for child in node.get("Plans", []):
            walk(child)

    walk(plan[0]["Plan"])
    assert len(removed) == 1 and removed[0][0] > 96000, removed
    t.do("drop table orders; drop table customers")
