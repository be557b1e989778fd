"""The type: text, bytes, key types and the funnels they use."""
import base64
import io

from parts.context import GOLDEN, Context, golden

FILTER = "(select bloom_agg(k, 1000, 0.01) from unnest(array['apple', 'pear']) k)"


def test_text_is_base64_of_the_file(t):
    file = t.build(b"apple\npear\n", "-n", "1000", "-p", "0.01")
    text = t.one(f"select {FILTER}::text")
    assert base64.b64decode(text) == file
    assert t.one("select (%s::bloomery)::text", text) == text
    lines = base64.encodebytes(file).decode()
    assert "\n" in lines.strip()
    assert t.one("select (%s::bloomery)::text", lines) == text
    assert t.one("select (%s::bloomery)::text", "\\x" + file.hex()) == text
    assert t.one("select (%s::bloomery)::text", "\\x" + file.hex().upper()) == text


def test_binary_is_the_file(t):
    file = t.build(b"apple\npear\n", "-n", "1000", "-p", "0.01")
    assert t.one(f"select bloomery_send({FILTER})") == file
    t.do("create temp table sent as select 1 as id, %s as f" % FILTER)
    out = io.BytesIO()
    t.cursor.copy_expert("copy sent to stdout (format binary)", out)
    assert file in out.getvalue()
    out.seek(0)
    t.do("create temp table received (id int, f bloomery)")
    t.cursor.copy_expert("copy received from stdin (format binary)", out)
    assert t.one("select r.f = s.f and r.f @> 'pear'::text from received r, sent s")


def test_native_files_of_every_layout(t):
    for case in golden("native/native.json")["files"]:
        file = (GOLDEN / "native" / (case["id"] + ".bloom")).read_bytes()
        if case["profile"] == "siphash":
            t.refused("22023", "secret", "select %s::bloomery", base64.b64encode(file).decode())
            continue
        text = t.one("select (%s::bloomery)::text", base64.b64encode(file).decode())
        assert base64.b64decode(text) == file, case["id"]
        if case["funnel"] == "json":
            t.refused("42804", "funnel json", "select %s::bloomery @> '1'::text", text)
            continue
        is_number = case["funnel"] == "u64"
        for key, answer in case["answers"]:
            number = int.from_bytes(bytes.fromhex(key), "little")
            if is_number and number >= 2**63:
                continue
            value = f"{number}::bigint" if is_number else f"'\\x{key}'::bytea"
            got = t.one(f"select %s::bloomery @> {value}", text)
            assert got == bool(answer), (case["id"], key)


KEY_TYPES = [  # SQL type, values in SQL, the command's keys, its options
    ("text", ["'apple'", "''", "'\u00e4\u20ac\U0001f600'"], ["apple", "", "\u00e4\u20ac\U0001f600"], []),
    ("varchar", ["'apple'", "'b '"], ["apple", "b "], []),
    ("char(8)", ["'apple'", "'pear'"], ["apple", "pear"], []),
    ("bytea", ["'\\x00ff'", "'\\x0a'"], ["00ff", "0a"], ["--hex"]),
    ("uuid", ["'6ba7b810-9dad-11d1-80b4-00c04fd430c8'"], ["6ba7b8109dad11d180b400c04fd430c8"], ["--hex"]),
    ("numeric", ["1.50", "100", "-0.001", "1e30"], ["1.5", "100", "-0.001", "1" + "0" * 30], []),
    ("smallint", ["-1", "0", "32767"], ["-1", "0", "32767"], ["--funnel", "i64"]),
    ("integer", ["-2147483648", "7"], ["-2147483648", "7"], ["--funnel", "i64"]),
    ("bigint", ["-9223372036854775808", "9223372036854775807"], ["-9223372036854775808", "9223372036854775807"],
     ["--funnel", "i64"]),
]


def test_key_types_set_the_bits_of_the_command(t):
    for sql_type, values, keys, options in KEY_TYPES:
        list_of = ", ".join(f"(({value})::{sql_type})" for value in values)
        file = t.build("".join(key + "\n" for key in keys).encode(), "-n", "100", "-p", "0.001", *options)
        made = t.one(f"select bloom_to_bytea(bloom_agg(k, 100, 0.001)) from (values {list_of}) v(k)")
        assert made == file, sql_type
        assert t.one(f"select bool_and(%s::bloomery @> k) from (values {list_of}) v(k)", base64.b64encode(file).decode())


def test_widths_of_integers_agree(t):
    assert t.one("""select bool_and(f @> k and f @> k::int and f @> k::bigint)
        from (select bloom_agg(i, 100, 0.0001) f from generate_series(-50, 49) i) a,
             (select i::smallint k from generate_series(-50, 49) i) b""")


def test_equal_numerics_are_one_key(t):
    assert t.one("select bloom_agg(1.0::numeric, 100) @> 1.000 and bloom_agg(100::numeric, 100) @> 1e2::numeric")


def test_domains_are_their_base_type(t):
    t.do("create domain fruit as text; create domain number as int check (value > 0)")
    assert t.one("select bloom_agg('fig'::fruit, 9) @> 'fig'::fruit and bloom_agg(5::number, 9) @> 5")
    t.do("drop domain fruit; drop domain number")


def test_wrong_key_type_says_what_to_do(t):
    t.refused("42804", "Cast the key to text or bytea", f"select {FILTER} @> 5")
    t.refused("42804", "Cast the key to bigint", "select bloom_agg(5, 100) @> 'five'::text")
    t.refused("42804", "keys of type boolean are not supported", "select bloom_agg(true, 100)")
    t.refused("42804", "keys of type date are not supported", f"select {FILTER} @> current_date")


def test_numbers_out_of_a_funnels_range_are_absent(t):
    f = "bloom_add(bloom_create(100, 0.001, funnel => '%s'), 7)"
    for funnel in ["u64", "i32", "i16", "i8"]:
        f_sql = f % funnel
        assert t.one(f"select {f_sql} @> 7")
        assert not t.one(f"select {f_sql} @> (-9223372036854775807)::bigint")
    t.refused("22023", "out of its range", "select bloom_add(bloom_create(100, 0.001, funnel => 'u64'), -1)")


def test_databases_of_other_encodings_make_the_same_filter(t):
    t.do("drop database if exists latin")
    t.do("create database latin template template0 encoding 'LATIN1' locale 'C'")
    other = t.server.connect("latin")
    other.set_client_encoding("UTF8")
    try:
        with other.cursor() as cursor:
            cursor.execute("create extension bloomery")
            cursor.execute("select bloom_agg(k, 100, 0.001)::text from unnest(array['caf\u00e9', 'na\u00efve']) k")
            made = cursor.fetchone()[0]
    finally:
        other.close()
    assert made == t.one("select bloom_agg(k, 100, 0.001)::text from unnest(array['caf\u00e9', 'na\u00efve']) k")
    t.do("drop database latin")
