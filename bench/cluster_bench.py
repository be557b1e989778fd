#!/usr/bin/env python3
"""Measures one filter over Redis Clusters of 1, 2 and 3 primaries, and prints a markdown table.

usage: bench/cluster_bench.py BLOOMERY.SO BLOOMERY [--keys N] [--rounds N]

Cores are few, so wall time would say how many processes share them. What is shown is the CPU time of the servers' main
threads for each key, as INFO cpu has it: the sum over all primaries, and that of the busiest one, which bounds the
throughput. The command adds and queries; each round makes a new filter on each cluster, one after the other. Shown is
the median of the rounds, with the least and the most.
"""
import argparse
import contextlib
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e/redis"))
from cluster_servers import free_port_with_bus  # noqa: E402
from harness import CLI, Client, Server, until  # noqa: E402

SLOTS = 16384


class Primaries:
    """A cluster without replicas."""

    def __init__(self, module, count, stack):
        self.ports = []
        for _ in range(count):
            port = free_port_with_bus(set(self.ports))
            stack.enter_context(Server(module, options=["cluster-enabled yes"], port=port))
            self.ports.append(port)
        for i, port in enumerate(self.ports):
            first, last = i * SLOTS // count, (i + 1) * SLOTS // count - 1
            Client(port)("CLUSTER", "ADDSLOTSRANGE", first, last)
            Client(port)("CLUSTER", "SET-CONFIG-EPOCH", i + 1)
            Client(self.ports[0])("CLUSTER", "MEET", "127.0.0.1", port)
        ok = lambda port: b"cluster_state:ok" in Client(port)("CLUSTER", "INFO") and \
            b"cluster_known_nodes:%d" % count in Client(port)("CLUSTER", "INFO")
        if not until(lambda: all(map(ok, self.ports)), 60):
            sys.exit("the cluster does not come together")

    def seconds(self):
        return [sum(float(line.split(":")[1]) for line in Client(port)("INFO", "cpu").decode().split("\r\n")
                    if "main_thread" in line) for port in self.ports]

    def cost(self, command, records):
        before = self.seconds()
        done = subprocess.run(command, input=records, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr.decode())
        used = [after - start for start, after in zip(before, self.seconds())]
        return sum(used), max(used), done.stdout


def measured(cluster, program, keys, round_number):
    url = f"redis://127.0.0.1:{cluster.ports[0]}/bench{round_number}?shards=12"
    names = b"".join(b"item:%011d\n" % i for i in range(keys))
    others = b"".join(b"none:%011d\n" % i for i in range(keys))
    add = cluster.cost([program, "build", "-q", "-o", url, "-n", str(keys), "-p", "1%"], names)
    hit = cluster.cost([program, "query", "-c", url], names)
    miss = cluster.cost([program, "query", "-c", url], others)
    if int(hit[2]) != keys:
        sys.exit(f"{keys - int(hit[2])} false negatives")
    rate = int(miss[2]) / keys
    for port in cluster.ports:
        Client(port)("FLUSHALL")
    return {"build": add, "query, known": hit, "query, absent": miss}, rate


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    found, rates = {}, []
    with contextlib.ExitStack() as stack:
        clusters = {count: Primaries(options.module.resolve(), count, stack) for count in (1, 2, 3)}
        for round_number in range(options.rounds):
            for count, cluster in clusters.items():
                costs, rate = measured(cluster, options.program.resolve(), options.keys, round_number)
                rates.append(rate)
                for what, (total, busiest, _) in costs.items():
                    found.setdefault((what, count), []).append((total / options.keys * 1e9, busiest / options.keys * 1e9))
    print("| command | primaries | server CPU, all | the busiest primary | keys/s that it allows |\n|---|---|---|---|---|")
    for what in ("build", "query, known", "query, absent"):
        for count in clusters:
            totals, busiest = zip(*found[what, count])
            middle = statistics.median(busiest)
            print(f"| {what} | {count} | {statistics.median(totals):.0f} ({min(totals):.0f} to {max(totals):.0f}) | "
                  f"{middle:.0f} ({min(busiest):.0f} to {max(busiest):.0f}) | {1e3 / middle:.1f}M |")
    print(f"\nnanoseconds for each key; {options.keys} keys in 12 shards, {options.rounds} rounds; false-positive rate "
          f"{min(rates):.4%} to {max(rates):.4%} for a goal of 1 %")


if __name__ == "__main__":
    main()
