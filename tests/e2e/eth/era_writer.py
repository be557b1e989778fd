"""Writes era1 and ere files, and a chain to put into them, from the written description of the formats alone: RLP, Keccak,
tries, Snappy frames and SSZ of our own, none of it shared with the program."""
import hashlib
import random
import struct

from rlp import decode, encode, head, keccak, trie_root

VERSION, HEADER, BODY, RECEIPTS, DIFFICULTY, ACCUMULATOR = 0x3265, 3, 4, 5, 6, 7
SLIM_RECEIPTS, PROOF, BLOCK_INDEX, DYNAMIC_INDEX = 0x0a, 0x0b, 0x3266, 0x3267
BLOCKS_PER_ERA = 8192
NO_UNCLES = keccak(encode([]))


def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc32c_table()


def crc32c(data):
    value = 0xffffffff
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 0xff]
    return value ^ 0xffffffff


def snappy_block(data):
    """Literals only, which is Snappy as well."""
    length, out = len(data), bytearray()
    while length >= 0x80:
        out.append(length & 0x7f | 0x80)
        length >>= 7
    out.append(length)
    for at in range(0, len(data), 60):
        piece = data[at:at + 60]
        out.append((len(piece) - 1) << 2)
        out += piece
    return bytes(out)


def framed(data):
    """Every second chunk compressed, the others as they are."""
    out = b"\xff\x06\x00\x00sNaPpY"
    for i, at in enumerate(range(0, max(1, len(data)), 40000)):
        piece = data[at:at + 40000]
        crc = crc32c(piece)
        masked = ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff
        kind, content = (0, snappy_block(piece)) if i % 2 == 0 else (1, piece)
        out += struct.pack("<I", (len(content) + 4) << 8 | kind) + struct.pack("<I", masked) + content
    return out


def entry(kind, value):
    return struct.pack("<HIH", kind, len(value), 0) + value


def bloom_of(logs):
    bloom = 0
    for log in logs:
        for key in [log["address"], *log["topics"]]:
            digest = keccak(key)
            for i in (0, 2, 4):
                bloom |= 1 << ((digest[i] << 8 | digest[i + 1]) & 2047)
    return bloom.to_bytes(256, "big")


class Block:
    """Header, body and receipts, and the total difficulty up to it (None after the merge)."""

    def __init__(self, number, parent, total_difficulty, choice):
        kinds = [choice.randrange(5) for _ in range(choice.randrange(4))]
        self.number, self.total_difficulty = number, total_difficulty
        self.logs = [[self.log(choice) for _ in range(choice.randrange(4))] for _ in kinds]
        self.receipts = [(kind, b"" if i % 3 == 2 else b"\x01", 21000 * (i + 1), logs)
                         for i, (kind, logs) in enumerate(zip(kinds, self.logs))]
        # What is in a transaction makes no difference to the archive.
        self.transactions = [(bytes([kind]) if kind else b"") + encode([number, i, choice.randbytes(90)])
                             for i, kind in enumerate(kinds)]
        merged = total_difficulty is None
        withdrawals = [[number, i, choice.randbytes(20), 10 ** 9] for i in range(3)] if merged else None
        listed = [raw if raw[0] >= 0xc0 else encode(raw) for raw in self.transactions]
        self.body = raw_list(raw_list(*listed), encode([]), *([encode(withdrawals)] if merged else []))
        bloom = bloom_of([log for logs in self.logs for log in logs])
        fields = [parent, NO_UNCLES, choice.randbytes(20), choice.randbytes(32), trie_root(self.transactions),
                  trie_root([self.consensus(receipt) for receipt in self.receipts]), bloom, 0 if merged else 131072, number,
                  30_000_000, 21000 * len(kinds), 1_600_000_000 + number, b"made", bytes(32), bytes(8)]
        if merged:
            fields += [7, trie_root([encode(one) for one in withdrawals]), 0, 0, choice.randbytes(32), choice.randbytes(32)]
        self.header = encode(fields)
        self.hash = keccak(self.header)

    @staticmethod
    def log(choice):
        return {"address": choice.randbytes(20), "topics": [choice.randbytes(32) for _ in range(choice.randrange(5))],
                "data": choice.randbytes(choice.randrange(70))}

    @staticmethod
    def log_items(logs):
        return [[log["address"], log["topics"], log["data"]] for log in logs]

    def consensus(self, receipt):
        kind, status, gas, logs = receipt
        return (bytes([kind]) if kind else b"") + encode([status, gas, bloom_of(logs), self.log_items(logs)])

    def receipt_list(self):
        return raw_list(*[raw if raw[0] >= 0xc0 else encode(raw) for raw in map(self.consensus, self.receipts)])

    def slim_list(self):
        return encode([[kind, status, gas, self.log_items(logs)] for kind, status, gas, logs in self.receipts])

    def shown_logs(self):
        """As eth_getLogs has them, without what the chain gives every log."""
        index = 0
        for i, logs in enumerate(self.logs):
            for log in logs:
                yield {"address": hexed(log["address"]), "topics": [hexed(topic) for topic in log["topics"]],
                       "data": hexed(log["data"]), "blockNumber": hex(self.number),
                       "transactionHash": hexed(keccak(self.transactions[i])), "transactionIndex": hex(i),
                       "blockHash": hexed(self.hash), "logIndex": hex(index)}
                index += 1


def hexed(raw):
    return "0x" + raw.hex()


def raw_list(*items):
    """A list of items that are encoded already."""
    payload = b"".join(items)
    return head(len(payload), 0xc0) + payload


def chain(first, count, merged, seed=1):
    choice, parent, blocks = random.Random(seed), bytes([3]) * 32 if first else bytes(32), []
    for number in range(first, first + count):
        blocks.append(Block(number, parent, None if merged else 131072 * (number + 1), choice))
        parent = blocks[-1].hash
    return blocks


def pair(left, right):
    return hashlib.sha256(left + right).digest()


def accumulator(blocks):
    """SSZ root of a list of (hash, total difficulty) with room for 8192."""
    level = [pair(block.hash, block.total_difficulty.to_bytes(32, "little")) for block in blocks]
    level += [bytes(32)] * (BLOCKS_PER_ERA - len(level))
    while len(level) > 1:
        level = [pair(level[i], level[i + 1]) for i in range(0, len(level), 2)]
    return pair(level[0], len(blocks).to_bytes(32, "little"))


def era1(blocks):
    out, positions = entry(VERSION, b""), []
    for block in blocks:
        positions.append(len(out))
        out += entry(HEADER, framed(block.header)) + entry(BODY, framed(block.body))
        out += entry(RECEIPTS, framed(block.receipt_list())) + entry(DIFFICULTY, block.total_difficulty.to_bytes(32, "little"))
    out += entry(ACCUMULATOR, accumulator(blocks))
    index = struct.pack("<Q", blocks[0].number) + b"".join(struct.pack("<q", at - len(out)) for at in positions)
    return out + entry(BLOCK_INDEX, index + struct.pack("<Q", len(blocks)))


def ere(blocks, proofs=False, receipts=True):
    merged = blocks[0].total_difficulty is None
    out, positions = entry(VERSION, b""), [[] for _ in blocks]
    kinds = [(HEADER, lambda block: framed(block.header)), (BODY, lambda block: framed(block.body))]
    if receipts:
        kinds.append((SLIM_RECEIPTS, lambda block: framed(block.slim_list())))
    if proofs:
        kinds.append((PROOF, lambda block: framed(b"proof of " + block.hash)))
    if not merged:
        kinds.append((DIFFICULTY, lambda block: block.total_difficulty.to_bytes(32, "little")))
    for kind, value_of in kinds:
        for i, block in enumerate(blocks):
            positions[i].append(len(out))
            out += entry(kind, value_of(block))
    if not merged:
        out += entry(ACCUMULATOR, accumulator(blocks))
    index = struct.pack("<Q", blocks[0].number)
    index += b"".join(struct.pack("<q", at - len(out)) for of_block in positions for at in of_block)
    return out + entry(DYNAMIC_INDEX, index + struct.pack("<QQ", len(kinds), len(blocks)))


def beacon_era():
    """The beginning of an era file of the consensus layer."""
    return entry(VERSION, b"") + entry(1, framed(b"a signed beacon block")) + entry(2, framed(b"a state")) + \
        entry(0x3269, struct.pack("<QqQ", 0, -100, 1))


def entries(data):
    """Where every entry begins."""
    at, found = 0, []
    while at < len(data):
        found.append(at)
        at += 8 + struct.unpack_from("<I", data, at + 2)[0]
    return found


assert decode(encode([b"a", [b"", 5]])) == [b"a", [b"", b"\x05"]]
