"""Values that are no filters: refused by every way in, and the backend lives on."""
import base64
import io
import random
import struct

import psycopg2

from parts.context import GOLDEN, Context, golden, unhex

REFUSALS = {"22P02", "22P03", "22023", "0A000", "54000", "XX001", "53200"}


def try_all_ways(t, data):
    """How many ways take the bytes; the others refuse them with a SQLSTATE of ours."""
    copied = b"PGCOPY\n\xff\r\n\0" + struct.pack(">iihi", 0, 0, 1, len(data)) + data + struct.pack(">h", -1)
    ways = [lambda: t.do("select %s::bloomery", base64.b64encode(data).decode()),
            lambda: t.do("select %s::bloomery", "\\x" + data.hex()),
            lambda: t.cursor.copy_expert("copy target from stdin (format binary)", io.BytesIO(copied)),
            lambda: t.do("select bloom_from_bytea(%s, 'bloomery')", psycopg2.Binary(data))]
    taken = 0
    for way in ways:
        try:
            way()
            taken += 1
        except psycopg2.Error as error:
            assert error.pgcode in REFUSALS, (error.pgcode, str(error), data[:64])
    return taken


def prepare(t):
    t.do("drop table if exists target; create table target (f bloomery)")
    return t.one("select pg_backend_pid()")


def done(t, pid):
    assert t.one("select pg_backend_pid()") == pid
    assert t.one("select count(*) from target where bloom_describe(f) is null") == 0
    t.do("drop table target")


def test_truncated_and_longer(t):
    pid = prepare(t)
    for name in ["block", "classic", "scalable", "counting-4", "lines"]:
        file = (GOLDEN / "native" / (name + ".bloom")).read_bytes()
        assert try_all_ways(t, file) == 4
        for cut in [0, 1, 7, 8, 64, 127, 128, 129, len(file) - 1]:
            if cut < len(file):
                assert try_all_ways(t, file[:cut]) == 0, (name, cut)
        assert try_all_ways(t, file + b"\0") == 0
    done(t, pid)


def test_flipped_bits(t):
    pid = prepare(t)
    generator = random.Random(7)
    for name in ["block", "scalable"]:
        file = (GOLDEN / "native" / (name + ".bloom")).read_bytes()
        for at in [*range(0, 128, 3), *(generator.randrange(128, len(file)) for _ in range(10))]:
            data = bytearray(file)
            data[at] ^= 1 << generator.randrange(8)
            assert try_all_ways(t, bytes(data)) == 0, (name, at)
    done(t, pid)


def test_envelopes(t):
    """Values of other systems' filters, changed: their envelope has a checksum."""
    pid = prepare(t)
    for name in ["guava", "redisbloom", "dcso", "parquet", "rediscuckoo:payload"]:
        value = t.one("select bloomery_send(bloom_add(bloom_create(20, format => %s), 'k'))", name)
        assert value.startswith(b"BLOOMPG1")
        assert t.one("select %s::bloomery @> 'k'", base64.b64encode(value).decode())
        for at in [9, 17, 49, 65, 73, 81, 89, 93, 96, 100, len(value) - 1]:
            data = bytearray(value)
            data[at] ^= 0x41
            assert try_all_ways(t, bytes(data)) == 0, (name, at)
        for cut in [8, 12, 95, 96, len(value) - 1]:
            assert try_all_ways(t, value[:cut]) == 0, (name, cut)
    done(t, pid)


def test_text_that_is_neither_base64_nor_hexadecimal(t):
    for text in ["", " ", "apple", "QkxP", "====", "QQ==QQ==", "\\x", "\\x4", "\\xzz", "\\y00", "\u00e4\u00e4\u00e4\u00e4",
                 "A" * 100001, "\\x" + "00" * 5000, "BLOOMERY"]:
        t.refused("22P02", "", "select %s::bloomery", text)


def test_damaged_bytes_of_every_format(t):
    """Each format's decoder, through bloom_from_bytea: an error or a filter that can be described."""
    pid = t.one("select pg_backend_pid()")
    generator = random.Random(11)
    for (name,) in t.rows("select name from bloom_formats() where created order by 1"):
        sized = "bits => 1000, probes => 5" if name.startswith("eventhorizon") else "keys => 50"
        data = bytes(256) if name == "ethereum" else t.one(
            f"select bloom_to_bytea(bloom_create({sized}, format => %s))", name)
        for _ in range(60):
            damaged = bytearray(data)
            for _ in range(generator.randrange(1, 4)):
                if damaged:
                    damaged[generator.randrange(min(len(damaged), 64))] = generator.choice([0, 1, 0x7F, 0x80, 0xFF])
            damaged = damaged[:generator.randrange(len(damaged) + 1)] if generator.random() < 0.3 else damaged
            try:
                t.do("select bloom_describe(bloom_from_bytea(%s, %s))", psycopg2.Binary(bytes(damaged)), name)
            except psycopg2.Error as error:
                assert error.pgcode in REFUSALS, (name, error.pgcode, str(error))
    for case in golden("formats/guava.json")["error_cases"]:
        if not isinstance(case[1], str) or set(case[1]) - set("0123456789abcdef-"):
            continue
        try:
            t.do("select bloom_from_bytea(%s, 'guava')", psycopg2.Binary(unhex(case[1])))
        except psycopg2.Error as error:
            assert error.pgcode in REFUSALS
    assert t.one("select pg_backend_pid()") == pid


def test_lengths_that_lie(t):
    """A header that promises terabytes is refused before memory is taken."""
    file = bytearray((GOLDEN / "native" / "block.bloom").read_bytes())
    for offset in [24, 80]:
        data = bytearray(file)
        data[offset:offset + 8] = (2**42).to_bytes(8, "little")
        text = base64.b64encode(data).decode()
        try:
            t.do("select %s::bloomery", text)
        except psycopg2.Error as error:
            assert error.pgcode in REFUSALS
        else:
            raise AssertionError("taken")


def server_hash(data):
    """hash_bytes_extended() of PostgreSQL with the seed 0, after its description by Bob Jenkins: lookup3."""
    mask = 0xFFFFFFFF

    def turn(value, by):
        return (value << by | value >> (32 - by)) & mask

    a = b = c = (0x9E3779B9 + len(data) + 3923095) & mask
    at = 0
    while len(data) - at >= 12:
        x, y, z = struct.unpack_from("<III", data, at)
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        for by in (4, 6, 8, 16, 19, 4):
            a = (a - c & mask) ^ turn(c, by)
            c = c + b & mask
            a, b, c = b, c, a
        at += 12
    # The last word of the rest leaves its lowest byte free: the length is there.
    tail = data[at:]
    a += int.from_bytes(tail[:4], "little")
    b += int.from_bytes(tail[4:8], "little")
    c += int.from_bytes(tail[8:], "little") << 8
    a, b, c = a & mask, b & mask, c & mask
    for by in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - turn(b, by)) & mask
        a, b, c = b, c, a
    return a << 32 | b


def envelope(payload, format_name=b"guava", funnel=b"bytes", keys=0, rate=0.0, bits=0, probes=0, reserved=0):
    fields = struct.pack("<32s16sQdQII", format_name, funnel, keys, rate, bits, probes, reserved)
    return b"BLOOMPG1" + struct.pack("<Q", server_hash(fields + payload)) + fields + payload


def test_envelopes_with_a_right_checksum(t):
    """What a checksum cannot stop: an attacker computes it too."""
    pid = prepare(t)
    value = t.one("select bloomery_send(bloom_add(bloom_create(20, format => 'guava'), 'k'))")
    payload = value[96:]
    assert envelope(payload) == value
    assert try_all_ways(t, value) == 3  # it is no file of the command, which bloom_from_bytea is told
    for data in [envelope(payload, b"x" * 32), envelope(payload, b""), envelope(payload, b"bloomery"), envelope(payload, b"auto"),
                 envelope(payload, b"redisbloom"), envelope(payload, funnel=b"y" * 16), envelope(payload, funnel=b""),
                 envelope(payload, funnel=b"square"), envelope(payload, reserved=1), envelope(b""), envelope(payload[:-1]),
                 envelope(payload + b"\0"), envelope(payload, b"go-bloom", bits=2**63, probes=2**32 - 1),
                 envelope(payload, b"go-bloom", keys=2**64 - 1, rate=float("nan")), envelope(value), envelope(payload, b"%s%n"),
                 envelope(payload, b"eventhorizon", bits=2**40, probes=3), envelope(payload, b"eventhorizon", bits=8)]:
        assert try_all_ways(t, data) == 0, data[:120]
    done(t, pid)
