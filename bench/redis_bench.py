#!/usr/bin/env python3
"""Measures BF.* of one or more modules beside the server's own floor, and prints a markdown table.

usage: bench/redis_bench.py BLOOMERY.SO FLOOR.SO [--beside NAME=MODULE.SO]... [--rounds N] [--only one|many]

The floor is a module command of the same words that opens the key and answers as many zeros, replicating where the
other does (bench/redis_floor_module.cc). Time is the CPU time of the server's main thread, per item, for the same bytes
through the same pipelined connection. Every module has a server of its own; in each round all of them get the same
bytes, one after the other, each with the floor before and after. What is shown is the median of the differences to the
floor, with the quartiles of the rounds, and the median of the ratios to the last module named with --beside. Beside it:
bits per item and the false-positive rate measured on the filter that was timed.
"""
import argparse
import contextlib
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
KEYS = {"compatible": b"filter", "LAYOUT BLOCK": b"blocks"}  # of one length: the floor must be the same


def items(first, count):
    return [b"item:%011d" % i for i in range(first, first + count)]


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


ONE = {"form": one_by_one, "reply": lambda count: 4 * count, "part": 100_000, "count": 1_000_000,
       "name": "1M items, one at a time", "adds": (b"FLOOR.SET", b"BF.ADD"), "asks": (b"FLOOR.GET", b"BF.EXISTS")}
MANY = {"form": in_batches, "reply": lambda count: count // BATCH * (len("*%d\r\n" % BATCH) + 4 * BATCH),
        "part": 200_000, "count": 10_000_000, "name": f"10M items, batches of {BATCH}",
        "adds": (b"FLOOR.MSET", b"BF.MADD"), "asks": (b"FLOOR.MGET", b"BF.MEXISTS")}


class Contender:
    """A filter of one layout in the server of one module."""

    def __init__(self, name, layout, measured):
        self.name, self.layout, self.measured, self.key = name, layout, measured, KEYS[layout]

    def reserve(self, count):
        """False where the server does not know the layout; RedisBloom's grammar lets unknown words pass."""
        options = self.layout.split() if self.layout != "compatible" else []
        self.measured.client("DEL", self.key)
        self.measured.client("BF.RESERVE", self.key, "0.01", count, *options)
        return not options or self.measured.client("TYPE", self.key) != "MBbloom--"

    def rate(self, held):
        """Of a million items that were never added."""
        words = items(held + 50_000_000, 1_000_000)
        replies = self.measured.cost(in_batches(b"BF.MEXISTS", self.key, words), MANY["reply"](len(words)))[1]
        return replies.count(b":1\r\n") / len(words)


def turns(contenders, how, commands, parts):
    """For each contender, a list of (floor, command) in nanoseconds per item, one for each part."""
    rows = {contender: [] for contender in contenders}
    for number, words in enumerate(parts):
        size = how["reply"](len(words))
        shift = number % len(contenders)  # no contender always follows the same one
        for contender in contenders[shift:] + contenders[:shift]:
            floor, asked = (how["form"](command, contender.key, words) for command in commands)
            first = contender.measured.cost(floor, size)[0]
            time = contender.measured.cost(asked, size)[0]
            last = contender.measured.cost(floor, size)[0]  # before and after, for a clock that drifts
            rows[contender].append([1e9 * value / len(words) for value in ((first + last) / 2, time)])
    return rows


def summary(contender, rows, reference):
    beyond = [time - floor for floor, time in rows[contender]]
    quarters = statistics.quantiles(beyond, n=4)
    text = (f"{statistics.median(floor for floor, _ in rows[contender]):.0f} | "
            f"{statistics.median(time for _, time in rows[contender]):.0f} | "
            f"**{statistics.median(beyond):.0f}** ({quarters[0]:.0f} to {quarters[2]:.0f})")
    if reference is None or reference is contender:
        return text + " | "
    theirs = [time - floor for floor, time in rows[reference]]
    return text + f" | {statistics.median(mine / other for mine, other in zip(beyond, theirs)):.2f}"


def run(contenders, how, rounds):
    count, part = how["count"], how["part"]
    contenders = [contender for contender in contenders if contender.reserve(count)]
    fill = count - rounds * part
    for first in range(0, fill, 500_000):
        words = items(first, min(500_000, fill - first))
        for contender in contenders:
            contender.measured.cost(in_batches(b"BF.MADD", contender.key, words), MANY["reply"](len(words)))
    source = random.Random(1)
    adds = [items(fill + i * part, part) for i in range(rounds)]
    for words in adds:
        source.shuffle(words)
    asks = [[b"item:%011d" % (source.randrange(count) + source.choice([0, 90_000_000])) for _ in range(part)]
            for _ in range(rounds)]  # half of them are there
    added = turns(contenders, how, how["adds"], adds)
    asked = turns(contenders, how, how["asks"], asks)
    reference = contenders[-1] if contenders[-1].name != "bloomery" else None
    for commands, rows in ((how["adds"], added), (how["asks"], asked)):
        for contender in contenders:
            size = contender.measured.client("MEMORY", "USAGE", contender.key) * 8 / count
            yield (f"| {how['name']} | `{commands[1].decode()}` | {contender.name}, {contender.layout} | "
                   f"{summary(contender, rows, reference)} | {size:.2f} | {contender.rate(count):.3%} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("floor", type=pathlib.Path)
    parser.add_argument("--beside", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=["one", "many"])
    options = parser.parse_args()
    modules = [("bloomery", options.module), *(word.split("=", 1) for word in options.beside)]
    with contextlib.ExitStack() as stack:
        contenders = []
        for name, path in modules:
            server = stack.enter_context(Server(pathlib.Path(path).resolve(),
                                                more_modules=[(options.floor.resolve(), [])]))
            measured = Measured(server)
            layouts = KEYS if name != modules[-1][0] or len(modules) == 1 else ["compatible"]
            contenders += [Contender(name, layout, measured) for layout in layouts]
        version = measured.client("INFO", "server").decode()
        print(next(line for line in version.split("\r\n") if line.startswith(("redis_version", "valkey_version"))))
        print("| filter | command | module, layout | floor, ns per item | with the filter | beyond the floor | "
              "/ the last | bits/item | fpr |\n|---|---|---|---|---|---|---|---|---|")
        for word, how in (("one", ONE), ("many", MANY)):
            if options.only in (None, word):
                print("\n".join(run(contenders, how, options.rounds)), flush=True)


main()
