"""Random sequences of CF commands, against a model written from the description of the filter: replies and every byte."""
import os
import random
import struct

from harness import OK, Server, check, main, wrong

SEQUENCES = 5_000 if os.environ.get("BLOOMERY_FULL") == "1" else 250
SEED = int(os.environ.get("BLOOMERY_SEED", "20261115"))
SPREAD, WORD = 0x5BD1E995, 2**64 - 1


def murmur(data):
    """MurmurHash64A with seed 0."""
    m = 0xC6A4A7935BD1E995
    h = len(data) * m & WORD
    whole = len(data) // 8 * 8
    for (k,) in struct.iter_unpack("<Q", data[:whole]):
        k = k * m & WORD
        h = (h ^ (k ^ k >> 47) * m & WORD) * m & WORD
    if len(data) > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & WORD
    h = (h ^ h >> 47) * m & WORD
    return h ^ h >> 47


def power_of_two(n):
    return 1 << (n - 1).bit_length() if n > 0 else 0


class Model:
    def __init__(self, keys, size, iterations, expansion):
        self.size, self.iterations, self.expansion = size, iterations, power_of_two(expansion)
        self.buckets, self.items, self.deletes, self.tables = power_of_two(keys // size), 0, 0, []
        self.grow()

    def grow(self):
        self.tables.append(bytearray(self.buckets * self.expansion ** len(self.tables) * self.size))

    def find(self, table, bucket, wanted):
        start = bucket % (len(table) // self.size) * self.size
        at = table.find(bytes([wanted]), start, start + self.size)
        return at if at >= 0 else None

    def places(self, item, wanted=None):
        """Where the item, or another byte, lies in its buckets, newest sub-filter first."""
        h = murmur(item)
        fp = h % 255 + 1
        for table in reversed(self.tables):
            for bucket in (h, h ^ fp * SPREAD):
                at = self.find(table, bucket, fp if wanted is None else wanted)
                if at is not None:
                    yield table, at

    def exists(self, item):
        return next(self.places(item), None) is not None

    def insert(self, item):
        fp = murmur(item) % 255 + 1
        while True:
            place = next(self.places(item, 0), None) or self.kick(murmur(item), fp)
            if place is not None:
                table, at = place
                if at is not None:
                    table[at] = fp
                self.items += 1
                return True
            if self.expansion == 0:
                return False
            self.grow()

    def kick(self, h, fp):
        table = self.tables[-1]
        before, buckets = bytes(table), len(table) // self.size
        bucket, victim = h % buckets, 0
        for _ in range(self.iterations):
            at = bucket * self.size + victim
            fp, table[at] = table[at], fp
            bucket = (bucket ^ fp * SPREAD) % buckets
            free = self.find(table, bucket, 0)
            if free is not None:
                table[free] = fp
                return table, None
            victim = (victim + 1) % self.size
        table[:] = before
        return None

    def remove(self, item):
        place = next(self.places(item), None)
        if place is None:
            return False
        place[0][place[1]] = 0
        self.items, self.deletes = self.items - 1, self.deletes + 1
        if len(self.tables) > 1 and self.deletes * 10 > self.items:
            self.compact(True)
        return True

    def compact(self, stops=False):
        for layer in range(len(self.tables) - 1, 0, -1):
            table = self.tables[layer]
            for at, fp in enumerate(bytes(table)):
                if fp and self.move_down(layer, at // self.size, fp):
                    table[at] = 0
            emptied = not any(table)
            if emptied and layer == len(self.tables) - 1:
                self.tables.pop()
            if not emptied and stops:
                break
        self.deletes = 0

    def move_down(self, layer, bucket, fp):
        other = (bucket ^ fp * SPREAD) % (len(self.tables[layer]) // self.size)
        for table in self.tables[:layer]:
            for candidate in (bucket, other):
                at = self.find(table, candidate, 0)
                if at is not None:
                    table[at] = fp
                    return True
        return False

    def header(self):
        return struct.pack("<QQQQHHH", self.items, self.buckets, self.deletes, len(self.tables), self.size,
                           self.iterations, self.expansion)


def same_bytes(r, model, what):
    if model.items == 0:
        check(r("CF.SCANDUMP", "k", 0), [0, None], what)
        return
    check(r("CF.SCANDUMP", "k", 0), [1, model.header()], what)
    position = 1
    for table in model.tables:
        position, found = r("CF.SCANDUMP", "k", position)
        check(found == bytes(table), True, what)


def sequence(r, source, number):
    size, expansion = source.choice([1, 2, 2, 3, 4, 8]), source.choice([0, 1, 1, 2, 3, 4])
    keys, iterations = source.randrange(2 * size, 80 + 2 * size), source.choice([1, 2, 20, 50])
    model = Model(keys, size, iterations, expansion)
    r("DEL", "k")
    check(r("CF.RESERVE", "k", keys, "BUCKETSIZE", size, "MAXITERATIONS", iterations, "EXPANSION", expansion), OK)
    pool = [b"%d" % source.randrange(10**6) for _ in range(source.choice([3, 30, 150]))] + [b"", b"eightbyt"]
    replies = 0
    for _ in range(source.choice([20, 100, 200])):
        item, kind = source.choice(pool), source.choice("aaaaannddddec")
        if len(model.tables) >= 32 and kind in "an":
            break
        if kind == "a":
            check(r("CF.INSERT", "k", "ITEMS", item), [1 if model.insert(item) else -1], f"sequence {number}")
        elif kind == "n":
            expected = 0 if model.exists(item) else 1 if model.insert(item) else -1
            check(r("CF.INSERTNX", "k", "ITEMS", item), [expected], f"sequence {number}")
        elif kind == "d":
            check(r("CF.DEL", "k", item), int(model.remove(item)), f"sequence {number}")
        elif kind == "e":
            check(r("CF.EXISTS", "k", item), int(model.exists(item)), f"sequence {number}")
        elif source.random() < 0.2:
            model.compact()
            check(r("CF.COMPACT", "k"), OK)
        replies += 1
    same_bytes(r, model, f"sequence {number}: {keys} {size} {iterations} {expansion}")
    return replies


def test(module):
    check([murmur(b"foo"), murmur(b"hello world")], [0xCDDE38358FD25B01, 0xD3BA2368A832AFCE])
    print(f"seed {SEED}, {SEQUENCES} sequences")
    source, replies = random.Random(SEED), 0
    with Server(module) as server:
        r = server.client()
        for number in range(SEQUENCES):
            replies += sequence(r, source, number)
            if wrong:
                break
    print(f"{replies} replies compared")


main(test)
