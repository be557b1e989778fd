"""Keys for the live tests: the same on every run, no key twice, none both present and absent."""

import random

COUNT = 10_000
PRESENT, ABSENT = "present", "absent"
KINDS = 4


def _mixed_key(chance, salt, i):
    """Decimal strings, URLs, bytes above 0x7f in all short lengths, and long keys."""
    kind, i = i % KINDS, i // KINDS
    if kind == 0:
        return b"%d" % (i if salt == PRESENT else i + 1_000_000)
    if kind == 1:
        return f"https://www.example.org/{salt}/{i}?session={chance.getrandbits(40):x}".encode()
    if kind == 2:
        return bytes(chance.randrange(0x80, 0x100) for _ in range(3 + i % 60))
    return chance.randbytes(chance.randrange(16, 1001))


def _distinct(make, first):
    """Present and absent keys; `first` are present."""
    chance = random.Random(2025)
    seen, present, absent = set(first), list(first), []
    for salt, keys in ((PRESENT, present), (ABSENT, absent)):
        while len(keys) < COUNT:
            key = make(chance, salt, len(keys))
            if key not in seen:
                seen.add(key)
                keys.append(key)
    return present, absent


def hex_records():
    """Any bytes, written as hexadecimal digits."""
    present, absent = _distinct(_mixed_key, first=[b""])
    return [key.hex().encode() for key in present], [key.hex().encode() for key in absent]


def line_records():
    """Any bytes that fit on a line: a Go scanner takes \\r\\n for the end of one, too."""

    def make(chance, salt, i):
        return _mixed_key(chance, salt, i).replace(b"\n", b"\x0b").replace(b"\r", b"\x0c")

    return _distinct(make, first=[b""])


def integer_records(bits):
    """Decimal text of signed numbers, both ends of the range among them."""
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    present, absent = _distinct(lambda chance, salt, i: chance.randint(least, most),
                                first=[0, -1, least, most])
    return [b"%d" % key for key in present], [b"%d" % key for key in absent]


def text_records():
    """UTF-8 of one to four bytes a character, so that UTF-16 has surrogate pairs."""
    ranges = [(0x20, 0x7E), (0xA1, 0x7FF), (0x800, 0xD7FF), (0x10000, 0x1F9FF)]

    def make(chance, salt, i):
        width = ranges[i % len(ranges)]
        return salt + "".join(chr(chance.randint(*width)) for _ in range(1 + i % 40)) + str(i)

    present, absent = _distinct(make, first=[""])
    return [key.encode() for key in present], [key.encode() for key in absent]
