#!/usr/bin/env python3
"""Measures BF.* in a server beside the server's own floor, and prints markdown tables.

usage: bench/redis_bench.py BLOOMERY.SO FLOOR.SO [ROUNDS]

The floor is a module command of the same words that opens the key and answers as many zeros, replicating where the
other does (bench/redis_floor_module.cc). Time is the CPU time of the server's main thread, per item, for the same bytes
through the same pipelined connection; floor and filter take turns, and what is shown is the median of the differences
within a turn. Beside it: bits per item and the false-positive rate measured on the filter that was timed.
"""
import pathlib
import random
import statistics
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e/redis"))
from harness import Server  # noqa: E402

BATCH = 100
WORD = 16  # bytes of an item


def items(first, count, step=1):
    return [b"item:%011d" % i for i in range(first, first + count * step, step)]


class Measured:
    """One connection, and the clock of the server's main thread."""

    def __init__(self, server):
        self.client = server.client()
        self.clock = server.client()

    def seconds(self):
        text = self.clock("INFO", "cpu").decode()
        return sum(float(line.split(":")[1]) for line in text.split("\r\n") if "main_thread" in line)

    def cost(self, requests, reply_bytes):
        """CPU seconds of the server for requests whose replies have as many bytes in all."""
        before = self.seconds()
        sender = threading.Thread(target=self.client.socket.sendall, args=(requests,))
        sender.start()
        replies = self.client.file.read(reply_bytes)
        sender.join()
        if len(replies) != reply_bytes or b"-" in replies[:1]:
            sys.exit(f"unexpected replies: {replies[:80]}")
        return self.seconds() - before, replies


def one_by_one(command, key, words):
    head = b"*3\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n$%d\r\n" % (len(command), command, len(key), key, WORD)
    return b"".join(head + word + b"\r\n" for word in words)


def in_batches(command, key, words):
    head = b"*%d\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n" % (BATCH + 2, len(command), command, len(key), key)
    head_of_word = b"$%d\r\n" % WORD
    return b"".join(head + b"".join(head_of_word + word + b"\r\n" for word in words[i:i + BATCH])
                    for i in range(0, len(words), BATCH))


ONE = {"form": one_by_one, "reply": lambda count: 4 * count}
MANY = {"form": in_batches, "reply": lambda count: count // BATCH * (len("*%d\r\n" % BATCH) + 4 * BATCH)}


def turns(measured, how, floor, command, key, parts):
    """Nanoseconds per item of each part: the floor, the command, in turn."""
    rows = []
    for part in parts:
        size = how["reply"](len(part))
        base = [measured.cost(how["form"](floor, key, part), size)[0]]
        ours = measured.cost(how["form"](command, key, part), size)[0]
        base.append(measured.cost(how["form"](floor, key, part), size)[0])  # before and after, for a clock that drifts
        rows.append([1e9 * value / len(part) for value in (statistics.mean(base), ours)])
    return [statistics.median(row[0] for row in rows), statistics.median(row[1] for row in rows),
            statistics.median(row[1] - row[0] for row in rows)]


def measured_rate(measured, key, held):
    """Of a million items that were never added."""
    words = items(held + 50_000_000, 1_000_000)
    replies = measured.cost(in_batches(b"BF.MEXISTS", key, words), MANY["reply"](len(words)))[1]
    return replies.count(b":1\r\n") / len(words)


def reserve(client, key, count, options):
    """False where the server does not know the layout; RedisBloom's grammar lets unknown words pass."""
    client("DEL", key)
    client("BF.RESERVE", key, "0.01", count, *options)
    return not options or client("TYPE", key) != "MBbloom--"


def run(server, how, count, options, rounds, rows, name):
    measured = Measured(server)
    key = b"filter"
    if not reserve(measured.client, key, count, options):
        return
    part = 100_000 if how is ONE else 500_000  # so long that the filter is in the caches as in a server at work
    fill = count - rounds * part
    for first in range(0, fill, 500_000):
        words = items(first, min(500_000, fill - first))
        measured.cost(in_batches(b"BF.MADD", key, words), MANY["reply"](len(words)))
    adds = [items(fill + i * part, part) for i in range(rounds)]
    commands = (b"FLOOR.SET", b"BF.ADD", b"FLOOR.GET", b"BF.EXISTS") if how is ONE else (
        b"FLOOR.MSET", b"BF.MADD", b"FLOOR.MGET", b"BF.MEXISTS")
    source = random.Random(1)
    for words in adds:
        source.shuffle(words)
    added = turns(measured, how, *commands[:2], key, adds)
    asks = []
    for _ in range(rounds):  # half of them are there
        asks.append([b"item:%011d" % (source.randrange(count) + source.choice([0, 90_000_000])) for _ in range(part)])
    asked = turns(measured, how, *commands[2:], key, asks)
    size = measured.client("MEMORY", "USAGE", key)
    rate = measured_rate(measured, key, count)
    for command, (floor, ours, beyond) in ((commands[1], added), (commands[3], asked)):
        rows.append(f"| {name} | `{command.decode()}` | {floor:.0f} | {ours:.0f} | **{beyond:.0f}** | {size * 8 / count:.2f} | {rate:.3%} |")


def main():
    module, floor = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    rows = []
    with Server(module, more_modules=[(floor, [])]) as server:
        version = server.client()("INFO", "server").decode()
        print(next(line for line in version.split("\r\n") if line.startswith(("redis_version", "valkey_version"))))
        for options, layout in (([], "compatible"), (["LAYOUT", "BLOCK"], "LAYOUT BLOCK")):
            run(server, ONE, 1_000_000, options, rounds, rows, f"1M items, {layout}, one at a time")
            run(server, MANY, 10_000_000, options, rounds, rows, f"10M items, {layout}, batches of {BATCH}")
    print("| filter | command | floor, ns per item | with the filter | beyond the floor | bits/item | fpr |")
    print("|---|---|---|---|---|---|---|")
    print("\n".join(rows))


main()
