"""Other systems' bytes: read with the peers' answers, and written as they were."""
import psycopg2

from parts.context import GOLDEN, Context, golden, unhex


CREATE = {"eventhorizon": "bloom_create(format => %s, bits => 1000, probes => 5)"}


def load(t, data, format_name, **options):
    """A filter in the temporary table `loaded`."""
    t.do("create temp table if not exists loaded (f bloomery); truncate loaded")
    named = "".join(f", {name} => %s" for name in options)
    t.do(f"insert into loaded select bloom_from_bytea(%s, %s{named})", psycopg2.Binary(data), format_name, *options.values())


def answers(t, keys, sql_type="bytea"):
    if sql_type == "bytea":
        keys = [psycopg2.Binary(key) for key in keys]
    return t.one(f"select array_agg(f @> k order by n) from loaded, unnest(%s::{sql_type}[]) with ordinality u(k, n)", keys)


def check(t, case, data, format_name, **options):
    load(t, data, format_name, **options)
    got = answers(t, [unhex(key) for key, _ in case["answers"]])
    assert got == [bool(answer) for _, answer in case["answers"]], (format_name, case["id"])
    assert t.one("select bloom_to_bytea(f, %s) from loaded", format_name) == data, (format_name, case["id"])
    assert t.one("select bloom_to_bytea(f::text::bloomery) from loaded") == data, (format_name, case["id"])
    assert t.one("select (bloom_info(f)).format from loaded") == format_name


def test_guava(t):
    read = {"int": ("i32", "bigint", int), "long": ("i64", "bigint", int), "utf8": ("bytes", "bytea", unhex),
            "bytes": ("bytes", "bytea", unhex), "chars": ("utf16", "text", lambda key: unhex(key).decode("utf-16-be"))}
    checked = set()
    for case in golden("formats/guava.json")["filters"]:
        funnel = case["params"]["funnel"]
        if funnel not in read or not case.get("bytes_hex"):
            continue
        name = "guava" if case["params"]["strategy"] == "64" else "guava:mitz32"
        funnel_name, sql_type, decode = read[funnel]
        pairs = []
        for key, answer in case["answers"]:
            try:
                pairs.append((decode(key), bool(answer)))
            except UnicodeDecodeError:  # halves of surrogates are no text of PostgreSQL
                continue
        pairs = [(key, answer) for key, answer in pairs if sql_type != "text" or "\0" not in key]
        data = unhex(case["bytes_hex"])
        load(t, data, name, funnel=funnel_name)
        assert answers(t, [key for key, _ in pairs], sql_type) == [answer for _, answer in pairs], case["id"]
        assert t.one("select bloom_to_bytea(f) from loaded") == data
        checked.add((name, funnel))
    assert len(checked) >= 6, checked


def test_bits_and_blooms(t):
    for file, name in [("willf.json", "bits-and-blooms"), ("willf-legacy-v2.0.0.json", "bits-and-blooms:v2.0.0")]:
        for case in golden("formats/" + file)["filters"]:
            check(t, case, unhex(case["bytes_hex"]), name)
    for case in golden("formats/willf.json")["filters"]:
        text = case["peer_reports"]["json"].encode()
        load(t, text, "bits-and-blooms:json")
        assert answers(t, [unhex(key) for key, _ in case["answers"]]) == [bool(answer) for _, answer in case["answers"]]
        assert t.one("select bloom_to_bytea(f, 'bits-and-blooms') from loaded") == unhex(case["bytes_hex"])


def test_formats_without_a_header(t):
    for case in golden("formats/gobloom.json")["filters"]:
        data = unhex(case["bytes_hex"])
        check(t, case, data, "go-bloom", keys=int(case["params"]["n"]), rate=float(case["params"]["p"]))
    for case in golden("formats/csharp.json")["filters"]:
        for member, name in [("x86_128", "eventhorizon"), ("x64_128", "eventhorizon:x64")]:
            if case["params"]["hashFunctions"] == "0":
                continue
            part = {"id": case["id"], "answers": case[member]["answers"]}
            check(t, part, unhex(case[member]["bytes_hex"]), name, bits=int(case["params"]["buckets"]),
                  probes=int(case["params"]["hashFunctions"]))
    t.refused("22023", "", "select bloom_from_bytea('\\x0102', 'go-bloom')")


def test_dcso_and_leveldb_and_parquet(t):
    for case in golden("formats/dcso.json")["filters"]:
        check(t, case, unhex(case["bytes_hex"]), "dcso")
    for case in golden("formats/leveldb.json")["filters"]:
        check(t, case, unhex(case["bytes_hex"]), "leveldb")
    for case in golden("formats/parquet.json")["filters"]:
        if case["params"].get("kind") == "bytes":
            check(t, case, unhex(case["thrift_header_hex"]) + unhex(case["bytes_hex"]), "parquet")


def test_minio_and_ethereum(t):
    data = (GOLDEN / "formats/minio/paths-a.tracker.bin").read_bytes()
    load(t, data, "auto")
    assert t.one("select (bloom_info(f)).format from loaded") == "minio-tracker"
    assert t.one("select bloom_to_bytea(f) from loaded") == data
    bloom = t.one("select bloom_to_bytea(bloom_add(bloom_from_bytea(decode(repeat('00', 256), 'hex'), 'ethereum'), "
                  "'\\xd8da6bf26964af9d7eed9e03e53415d37aa96045'::bytea))")
    assert len(bloom) == 256 and sum(byte.bit_count() for byte in bloom) == 3
    load(t, bloom, "ethereum")
    assert answers(t, [bytes.fromhex("d8da6bf26964af9d7eed9e03e53415d37aa96045"), b"other"]) == [True, False]


def test_every_format_is_made_filled_and_moved(t):
    """What SQL writes is what the command builds, and each reads the other's."""
    formats = t.rows("select name, recognized, created from bloom_formats()")
    assert len(formats) >= 19
    for name, recognized, created in formats:
        if not created or name == "ethereum" or name.startswith("leveldb"):
            continue  # of fixed size, or of all keys at once
        t.do("create temp table if not exists made (f bloomery); truncate made")
        t.do("insert into made select " + CREATE.get(name.split(":")[0], "bloom_create(100, format => %s)"), name)
        for key in ["apple", "pear", "quince"]:
            t.do("update made set f = bloom_add(f, %s)", key)
        data = t.one("select bloom_to_bytea(f, %s) from made", name)
        assert t.one("select f @> 'pear' and (f @> 'apple'::bytea) and not f @> 'plum' from made"), name
        sized = ["--bits", str(t.one("select (bloom_info(f)).bits from made")),
                 "--probes", str(t.one("select (bloom_info(f)).probes from made"))]
        options = sized if name.startswith("eventhorizon") or name == "go-bloom" else []
        found = t.query(data, b"apple\npear\nplum\nquince\n", "--format", name, *options)
        assert found == [b"apple", b"pear", b"quince"], (name, found)
        if recognized:
            assert t.one("select (bloom_info(bloom_from_bytea(%s))).format", psycopg2.Binary(data)) == name


def test_layouts(t):
    for layout in ["auto", "block", "lines", "classic", "counting", "scalable"]:
        got = t.one("select (bloom_info(bloom_create(10, 0.01, layout => %s))).layout", layout)
        assert got == ("block" if layout == "auto" else layout), (layout, got)
    # A value is made by one session: once, another layout was stored in silence.
    text = t.refused("22023", 'cannot have the layout "concurrent"', "select bloom_create(10, 0.01, layout => 'concurrent')")
    assert "block or lines" in text, text
    for format_name in ["guava", "redisbloom", "auto", "BLOOMERY"]:
        t.refused("22023", "", "select bloom_create(10, 0.01, 'bytes', %s, 'nonsense')", format_name)
    t.refused("22023", "layout has no effect on a filter of format guava", "select bloom_create(10, 0.01, 'bytes', 'guava', 'block')")
    t.refused("22023", "'nonsense' is not a layout", "select bloom_create(10, 0.01, 'bytes', 'bloomery', 'nonsense')")
    assert t.one("select (bloom_info(bloom_create(10, 0.01, 'bytes', 'guava', 'auto'))).format") == "guava"


def test_pairs_that_convert(t):
    for name, other in [("redisbloom", "redisbloom:payload"), ("rediscuckoo", "rediscuckoo:payload"),
                        ("guava", "eventhorizon:x64"), ("bits-and-blooms", "bits-and-blooms:json")]:
        assert len(t.one("select bloom_to_bytea(bloom_add(bloom_create(100, format => %s), 'k'), %s)", name, other))
    t.refused("0A000", "finds the bits of a key in another way", "select bloom_to_bytea(bloom_create(100), 'guava')")
    t.refused("22023", "", "select bloom_to_bytea(bloom_create(100), 'square')")


def test_foreign_filters_merge(t):
    t.do("create temp table two as select bloom_add(bloom_create(100, 0.01, format => 'guava'), 'a') a, "
         "bloom_add(bloom_create(100, 0.01, format => 'guava'), 'b') b")
    assert t.one("select (a | b) @> 'a' and (a | b) @> 'b' and not a @> 'b' and (a | b) = bloom_add(a, 'b') from two")
    t.refused("22023", "", "select a | bloom_create(100) from two")


def test_health_and_description(t):
    row = t.one("select bloom_health(f) from (select bloom_agg(i, 1000, 0.01) f from generate_series(1, 1000) i) x")
    assert row.startswith("(ok,"), row
    verdict, keys, goal, rate, goal_rate = t.one("""select (h).verdict, (h).estimated_keys, (h).goal_keys, (h).rate, (h).goal_rate
        from (select bloom_health(bloom_agg(i, 1000, 0.01)) h from generate_series(1, 3000) i) x""")
    assert verdict == "over-design" and 2700 < keys < 3300 and goal == 1000 and rate > 0.05 and goal_rate == 0.01
    assert t.one("select (bloom_health(bloom_agg(i, 100, 0.01))).verdict from generate_series(1, 9000) i") == "saturated"
    assert t.one("select (bloom_health(bloom_create(100, 0.01, format => 'guava'))).goal_keys") is None
    description = t.one("select bloom_describe(bloom_agg(i, 1000, 0.01)) from generate_series(1, 500) i")
    assert description["format"] == "bloomery" and description["layout"] == "block", description
    layout, size, probes, rate = t.one("select layout, bytes, probes, planned_rate from bloom_size(1000000, 0.01)")
    assert layout == "block" and 1200000 < size < 1500000 and probes > 0 and 0.005 < rate <= 0.0105
    assert t.one("select bytes from bloom_size(1000000, 0.01)") + 128 == t.one(
        "select octet_length(bloom_to_bytea(bloom_create(1000000, 0.01)))")
    assert t.one("select bytes > 1e12 from bloom_size(1000000000000, 0.01)")
    assert t.one("select bloom_version()") == "0.2.0"
