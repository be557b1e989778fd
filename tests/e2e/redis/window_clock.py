"""A WINDOW filter and clocks that step, forwards and back, in a running server, over a restart and on a replica whose clock is
another: no item is forgotten before its window is over, and none lives on for ever. stepped_clock.cc moves the wall clock; the
steady clock runs as it does."""
import os
import pathlib
import struct
import time

from harness import OK, Server, check, main, until

STEPS = [-5000, 5000, -1, 86_400 * 365 * 5, -86_400 * 365 * 20, 0, 30, -30, 0]


class Clock:
    """The clock of one server. step(): seconds ahead of the true time."""

    def __init__(self, directory):
        self.path = pathlib.Path(directory, "clock")
        self.path.write_bytes(bytes(8))

    def step(self, seconds):
        with open(self.path, "r+b", buffering=0) as file:  # the server has it mapped
            file.write(struct.pack("<q", seconds))

    def environment(self):
        return {"LD_PRELOAD": str(pathlib.Path(os.environ["BLOOMERY_STEPPED_CLOCK"]).resolve()), "BLOOMERY_CLOCK": str(self.path)}


def server_with_clock(module, options=()):
    server = Server(module, options=list(options))
    clock = Clock(server.directory)
    server.environment = clock.environment()
    return server, clock


def wall(r):
    return int(r("TIME")[0])


def steps(module):
    server, clock = server_with_clock(module)
    with server:
        r = server.client()
        check(r("BF.RESERVE", "w", "0.001", "1000", "WINDOW", "600", "SLICES", "4"), OK)
        check(r("BF.RESERVE", "idle", "0.001", "1000", "WINDOW", "600"), OK)
        r("BF.ADD", "w", "first")
        r("BF.ADD", "idle", "first")
        r("BF.RESERVE", "short", "0.001", "1000", "WINDOW", "2", "SLICES", "2")
        r("BF.ADD", "short", "x")
        added, items = time.monotonic(), ["first"]
        for seconds in STEPS:
            clock.step(seconds)
            check(until(lambda: abs(wall(r) - time.time() - seconds) < 3), True, f"the server's clock is {seconds} s ahead")
            check(r("BF.MEXISTS", "w", *items), [1] * len(items), f"after a step to {seconds}")
            items.append(f"at {seconds}, {len(items)}")
            check(r("BF.ADD", "w", items[-1]), 1)
            check(r("BF.ROTATE", "w") in (0, 1), True)
            check(r("BF.MEXISTS", "w", *items), [1] * len(items), f"after a write at {seconds}")
            check(r("BF.EXISTS", "idle", "first"), 1, "without a write too")
            if time.monotonic() - added < 1.9:
                check(r("BF.EXISTS", "short", "x"), 1)
        check(until(lambda: r("BF.EXISTS", "short", "x") == 0, 5), True, "a window of 2 s is over all the same")
        check(time.monotonic() - added < 4.5, True)
        check(len(r("BF.DEBUG", "w")) < 20, True, "slices do not pile up")
        # What is saved after a step is right in the clock of then; "idle" was not written to since.
        clock.step(7000)
        check(until(lambda: abs(wall(r) - time.time() - 7000) < 3), True)
        check(r("SAVE"), OK)
        server.restart()
        r = server.client()
        check([r("BF.MEXISTS", "w", *items), r("BF.EXISTS", "idle", "first")], [[1] * len(items), 1], "SAVE and a restart")


def appended(module):
    for preamble in ("yes", "no"):
        server, clock = server_with_clock(module, ["appendonly yes", f"aof-use-rdb-preamble {preamble}"])
        with server:
            r = server.client()
            r("BF.RESERVE", "w", "0.001", "1000", "WINDOW", "600", "SLICES", "4")
            r("BF.ADD", "w", "a")
            for seconds, rewritten in ((5000, False), (-5000, True)):
                clock.step(seconds)
                check(until(lambda: abs(wall(r) - time.time() - seconds) < 3), True)
                if rewritten:  # the file has the new clock, and then the command that tells of the step: not twice
                    r("BGREWRITEAOF")
                    check(until(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                                and b"aof_rewrite_scheduled:0" in r("INFO", "persistence")), True)
                r("BF.ADD", "w", f"b {seconds}")
                server.restart()
                r = server.client()
                check(r("BF.MEXISTS", "w", "a", f"b {seconds}"), [1, 1], f"an append-only file, {seconds}, preamble {preamble}")


def caught_up(p, s):
    check(p("WAIT", 1, 20000), 1)
    check(until(lambda: p("DEBUG", "DIGEST") == s("DEBUG", "DIGEST")), True, "the same bytes")


def replicas(module):
    primary, clock = server_with_clock(module)
    with primary:
        p = primary.client()
        p("BF.RESERVE", "before", "0.001", "1000", "WINDOW", "600", "SLICES", "4")
        p("BF.ADD", "before", "a")
        for ahead in (7000, -7000):
            replica, other = server_with_clock(module, [f"replicaof 127.0.0.1 {primary.port}"])
            other.step(ahead)
            with replica:
                s = replica.client()
                check(until(lambda: b"master_link_status:up" in s("INFO", "replication")), True)
                p("DEL", "live", "quick")
                p("BF.RESERVE", "live", "0.001", "1000", "WINDOW", "600", "SLICES", "4")
                p("BF.RESERVE", "quick", "0.001", "1000", "WINDOW", "1", "SLICES", "2")
                p("BF.ADD", "live", "a")
                p("BF.ADD", "quick", "a")
                caught_up(p, s)
                for step in (0, 9000, 0):
                    clock.step(step)
                    check(until(lambda: abs(wall(p) - time.time() - step) < 3), True)
                    p("BF.ADD", "live", f"b {step}")
                    caught_up(p, s)
                    check([s("BF.MEXISTS", "live", "a", f"b {step}"), s("BF.EXISTS", "before", "a")], [[1, 1], 1],
                          f"a replica {ahead} s ahead")
                check(until(lambda: s("BF.EXISTS", "quick", "a") == 0, 5), True, "a replica forgets too, without a write")
                other.step(ahead + 9000)
                check(s("BF.EXISTS", "live", "a"), 1, "its own clock does not matter")
                s("REPLICAOF", "NO", "ONE")
                check(s("BF.MEXISTS", "live", "a", "b 9000"), [1, 1], "promoted")
                s("BF.ADD", "live", "c")
                check(s("BF.MEXISTS", "live", "a", "b 9000", "c"), [1, 1, 1], "and writing")
                s("SAVE")
                replica.options = []
                replica.restart()
                check(replica.client()("BF.MEXISTS", "live", "a", "b 9000", "c"), [1, 1, 1], "and restarted")


def begun_early(module):
    """A slice that a client begins at a time far ahead: its items live longer, for twice the window and a slice at most."""
    with Server(module) as server:
        r = server.client()
        r("BF.RESERVE", "w", "0.001", "100", "WINDOW", "2", "SLICES", "2")
        r("BF.ADD", "w", "before")
        added = time.monotonic()
        check(r("BF.ROTATE", "w", int(time.time() * 1000) + 100_000), 1)
        r("BF.ADD", "w", "after")
        check(until(lambda: r("BF.EXISTS", "w", "before") == 0, 4), True, "what was there is forgotten in time")
        check(r("BF.EXISTS", "w", "after"), 1)
        check(until(lambda: r("BF.EXISTS", "w", "after") == 0, 8), True)
        check(3.5 < time.monotonic() - added < 7, True, f"{time.monotonic() - added} s for 6")


def restored(module):
    """A dump has the wall clock of its moment: taken after a step forwards its items are over, after one back they stay."""
    server, clock = server_with_clock(module)
    with server:
        r = server.client()
        r("BF.RESERVE", "w", "0.001", "100", "WINDOW", "600")
        r("BF.ADD", "w", "a")
        payload = r("DUMP", "w")
        for step, found in ((0, 1), (-5000, 1), (300, 1), (5000, 0)):
            clock.step(step)
            check(until(lambda: abs(wall(r) - time.time() - step) < 3), True)
            check(r("RESTORE", "copy", 0, payload, "REPLACE"), OK)
            check([r("BF.EXISTS", "copy", "a"), r("BF.EXISTS", "w", "a")], [found, 1], f"restored after a step to {step}")


def test(module):
    begun_early(module)
    restored(module)
    steps(module)
    appended(module)
    replicas(module)


main(test)
