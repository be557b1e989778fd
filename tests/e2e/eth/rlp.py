"""Keccak-256 and RLP from their definitions: a second reading that shares no code with the program under test."""

MASK = (1 << 64) - 1
RATE = 136


def round_constants():
    constants, state = [], 1
    for _ in range(24):
        value = 0
        for j in range(7):
            if state & 1:
                value |= 1 << ((1 << j) - 1)
            state = (state << 1) ^ ((state >> 7) * 0x171)
        constants.append(value)
    return constants


CONSTANTS = round_constants()


def rotated(lane, count):
    count %= 64
    return ((lane << count) | (lane >> (64 - count))) & MASK if count else lane


def permuted(lanes):
    for constant in CONSTANTS:
        columns = [lanes[x][0] ^ lanes[x][1] ^ lanes[x][2] ^ lanes[x][3] ^ lanes[x][4] for x in range(5)]
        mixed = [columns[(x - 1) % 5] ^ rotated(columns[(x + 1) % 5], 1) for x in range(5)]
        lanes = [[lanes[x][y] ^ mixed[x] for y in range(5)] for x in range(5)]
        x, y = 1, 0
        moving = lanes[x][y]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            moving, lanes[x][y] = lanes[x][y], rotated(moving, (t + 1) * (t + 2) // 2)
        for y in range(5):
            row = [lanes[x][y] for x in range(5)]
            for x in range(5):
                lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5] & MASK)
        lanes[0][0] ^= constant
    return lanes


def keccak(data):
    padded = bytearray(data) + b"\x01"
    padded += bytes(-len(padded) % RATE)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for at in range(0, len(padded), RATE):
        for j in range(RATE // 8):
            lanes[j % 5][j // 5] ^= int.from_bytes(padded[at + 8 * j:at + 8 * j + 8], "little")
        lanes = permuted(lanes)
    return b"".join(lanes[j % 5][j // 5].to_bytes(8, "little") for j in range(4))


def head(length, base):
    if length < 56:
        return bytes([base + length])
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([base + 55 + len(digits)]) + digits


def encode(value):
    """Lists, bytes and numbers."""
    if isinstance(value, int):
        value = value.to_bytes((value.bit_length() + 7) // 8, "big")
    if isinstance(value, (bytes, bytearray)):
        short = len(value) == 1 and value[0] < 0x80
        return bytes(value) if short else head(len(value), 0x80) + bytes(value)
    payload = b"".join(map(encode, value))
    return head(len(payload), 0xc0) + payload


def decode(data):
    value, rest = item(data)
    assert not rest
    return value


def item(data):
    first = data[0]
    if first < 0x80:
        return data[:1], data[1:]
    base = 0xc0 if first >= 0xc0 else 0x80
    size, start = first - base, 1
    if size > 55:
        start = 1 + size - 55
        size = int.from_bytes(data[1:start], "big")
    payload, rest = data[start:start + size], data[start + size:]
    if base == 0x80:
        return payload, rest
    items = []
    while payload:
        one, payload = item(payload)
        items.append(one)
    return items, rest


def trie_root(values):
    """Root of the Merkle-Patricia trie of the values under the RLP of their numbers."""
    pairs = [(nibbles(encode(i)), value) for i, value in enumerate(values)]
    return keccak(encode(node(pairs))) if pairs else keccak(b"\x80")


def nibbles(key):
    return [half for byte in key for half in (byte >> 4, byte & 15)]


def compact(path, is_leaf):
    flag = 2 if is_leaf else 0
    whole = [flag + 1] + path if len(path) % 2 else [flag, 0] + path
    return bytes(16 * whole[i] + whole[i + 1] for i in range(0, len(whole), 2))


def reference(below):
    encoded = encode(below)
    return below if len(encoded) < 32 else keccak(encoded)


def node(pairs):
    if len(pairs) == 1:
        return [compact(pairs[0][0], True), pairs[0][1]]
    common = 0
    while len({tuple(path[:common + 1]) for path, _ in pairs}) == 1 and all(len(path) > common for path, _ in pairs):
        common += 1
    if common:
        return [compact(pairs[0][0][:common], False), reference(node([(path[common:], value) for path, value in pairs]))]
    branch = []
    for digit in range(16):
        below = [(path[1:], value) for path, value in pairs if path[:1] == [digit]]
        branch.append(reference(node(below)) if below else b"")
    return branch + [next((value for path, value in pairs if not path), b"")]
