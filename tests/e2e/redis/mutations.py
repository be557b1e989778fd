"""Bytes that were tampered with: for payloads and chunks that no server would send."""
import struct

NUMBERS = [0, 1, 2, 7, 8, 63, 64, 127, 128, 255, 2**14, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1]
DOUBLES = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 5e-324, 1e308, float("inf"), float("-inf"), float("nan"), 11.027755275521184]


def mutated(random_source, data, keep):
    """A byte, a number or a double changed, bytes cut out or put in; the first `keep` bytes stay."""
    data = bytearray(data)
    for _ in range(random_source.choice([1, 1, 1, 2, 4])):
        at = random_source.randrange(keep, len(data))
        kind = random_source.randrange(7)
        if kind == 0:
            data[at] = random_source.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << random_source.randrange(8)
        elif kind == 2:
            data[at:at + 8] = struct.pack("<Q", random_source.choice(NUMBERS))
        elif kind == 3:
            data[at:at + 8] = struct.pack("<d", random_source.choice(DOUBLES))
        elif kind == 4:
            data[at:at + 1] = b"\x81" + struct.pack(">Q", random_source.choice(NUMBERS))  # a long length
        elif kind == 5:
            del data[at:at + random_source.choice([1, 2, 8, 40])]
        else:
            data[at:at] = random_source.randbytes(random_source.choice([1, 2, 8]))
        if len(data) <= keep:
            data += bytes(keep + 1 - len(data))
    return bytes(data)
