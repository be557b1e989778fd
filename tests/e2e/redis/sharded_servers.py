"""A cluster for one filter over many keys: slots move, primaries die, nodes come."""
import binascii
import re
import subprocess

from cluster_servers import NODE_TIMEOUT_MS, SLOTS, Cluster, free_port_with_bus
from harness import CLI, Client, Server, check, until


def cli(*arguments, code=0):
    run = subprocess.run([CLI, "--cluster", *map(str, arguments)], capture_output=True, text=True, timeout=120)
    check((run.returncode, run.stdout[-500:] if run.returncode != code else ""), (code, ""), " ".join(map(str, arguments)))
    return run.stdout


def slot_of(key):
    key = key if isinstance(key, bytes) else key.encode()
    tag = re.search(rb"\{([^}]+)\}", key)
    return binascii.crc_hqx(tag[1] if tag else key, 0) % SLOTS


class ShardedCluster(Cluster):
    """Also of other numbers of primaries than three."""

    def any(self):
        return self.alive()[0]

    def url(self, name="seen", query="shards=auto", port=None):
        return f"redis://127.0.0.1:{port or self.any()}/{name}?{query}"

    def ranges(self):
        return Client(self.any())("CLUSTER", "SLOTS")

    def settled(self, primaries):
        """All living nodes agree that all slots are served by so many primaries."""
        for port in self.alive():
            client = Client(port)
            state, ranges = client("CLUSTER", "INFO"), client("CLUSTER", "SLOTS")
            client.close()
            if b"cluster_state:ok" not in state or sum(last + 1 - first for first, last, *_ in ranges) != SLOTS:
                return False
            if len({primary[1] for _, _, primary, *_ in ranges}) != primaries:
                return False
        return True

    def node_id(self, port):
        return Client(port)("CLUSTER", "MYID").decode()

    def add_node(self, module, *options_of_cli):
        port = free_port_with_bus(set(self.servers))
        options = ["cluster-enabled yes", f"cluster-node-timeout {NODE_TIMEOUT_MS}"]
        server = Server(module, options=options, port=port)
        server.start()
        other = self.any()
        self.servers[port] = server
        cli("add-node", f"127.0.0.1:{port}", f"127.0.0.1:{other}", *options_of_cli)
        known = b"cluster_known_nodes:%d" % len(self.alive())
        knows = lambda each: known in (info := Client(each)("CLUSTER", "INFO")) and b"cluster_state:ok" in info
        check(until(lambda: all(map(knows, self.alive()))), True, "all know the new node, and it knows them")
        return port

    def add_primary(self, module):
        """With a replica, so that its writes can be confirmed."""
        port = self.add_node(module)
        replica = self.add_node(module, "--cluster-slave", "--cluster-master-id", self.node_id(port))
        check(until(lambda: Client(replica)("ROLE")[0] == b"slave" and Client(replica)("ROLE")[3] == b"connected"), True)
        return port

    def reshard(self, slots, to, source="all"):
        ids = source if source == "all" else self.node_id(source)
        cli("reshard", f"127.0.0.1:{self.any()}", "--cluster-from", ids, "--cluster-to", self.node_id(to),
            "--cluster-slots", slots, "--cluster-yes")

    def primaries(self):
        return sorted({primary[1] for _, _, primary, *_ in self.ranges()})

    def call(self, *words):
        """One command to the primary of its key, wherever that is now."""
        slot = slot_of(words[1])
        port = next(primary[1] for first, last, primary, *_ in self.ranges() if first <= slot <= last)
        client = Client(port)
        reply = client(*words)
        client.close()
        return reply
