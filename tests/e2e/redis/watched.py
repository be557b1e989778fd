"""A client whose commands are each run by WATCH.RUN (allocation_watch.cc), which says what they cost: the most bytes
that were asked for and held at once, and nanoseconds of the server's CPU."""
from harness import Client


class Watched:
    def __init__(self, port):
        self.client = Client(port)
        self.slowest = {}  # command: (nanoseconds, how often, sum)
        self.held = []  # bytes of each command of the last all()

    def __call__(self, *words):
        return self.all([words])[0]

    def all(self, commands):
        rows = self.client.all([("WATCH.RUN", *command) for command in commands])
        self.held = [row[0] for row in rows]
        for command, row in zip(commands, rows):
            most, count, total = self.slowest.get(command[0], (0, 0, 0))
            self.slowest[command[0]] = (max(most, row[1]), count + 1, total + row[1])
        return [row[2] for row in rows]

    def report(self):
        return ", ".join(f"{name} {most / 1e6:.2f} ms (of {count}, mean {total / count / 1e3:.1f} us)"
                         for name, (most, count, total) in sorted(self.slowest.items(), key=lambda row: -row[1][0])[:6])

    def most_milliseconds(self):
        return max(most for most, _, _ in self.slowest.values()) / 1e6


class Walk:
    """The strings that a module's payload claims to hold. `claimed`: bytes of those that are not there, or are packed.
    A server asks for these before it looks, whatever the type: they are not ours to answer for."""

    def __init__(self, payload):
        self.data, self.at, self.claimed = payload[:-10], 10, 0
        try:
            while self.step():
                pass
        except IndexError:
            pass

    def take(self, count):
        if self.at + count > len(self.data):
            raise IndexError
        self.at += count
        return self.data[self.at - count:self.at]

    def length(self):
        """(number, is it an encoding of a string)."""
        first = self.take(1)[0]
        if first >> 6 == 0:
            return first & 63, False
        if first >> 6 == 1:
            return (first & 63) << 8 | self.take(1)[0], False
        if first >> 6 == 3:
            return first & 63, True
        if first in (0x80, 0x81):
            return int.from_bytes(self.take(4 if first == 0x80 else 8), "big"), False
        raise IndexError

    def step(self):
        opcode = self.length()[0]
        if opcode in (1, 2):
            self.length()
        elif opcode in (3, 4):
            self.take(4 if opcode == 3 else 8)
        elif opcode == 5:
            self.string()
        return opcode in (1, 2, 3, 4, 5)

    def string(self):
        size, encoded = self.length()
        if encoded and size == 3:
            packed, size = self.length()[0], self.length()[0]
            self.claimed += size + packed
            self.take(packed)
        elif encoded:
            self.take({0: 1, 1: 2, 2: 4}.get(size, 1 << 62))
        elif size > len(self.data) - self.at:
            self.claimed += size
            raise IndexError
        else:
            self.take(size)
