"""Three primaries and three replicas on loopback, joined by redis-cli; and keys for every slot."""
import binascii
import contextlib
import socket
import subprocess
import threading
import time

from harness import CLI, Client, Refused, Server, check, until

SLOTS = 16384
NODE_TIMEOUT_MS = 1000


def one_key_for_each_slot():
    """keys[slot]. The server's CRC-16 is the one that Python calls crc_hqx."""
    keys, missing, number = [None] * SLOTS, SLOTS, 0
    while missing:
        key = b"filter:%d" % number
        slot = binascii.crc_hqx(key, 0) % SLOTS
        if keys[slot] is None:
            keys[slot], missing = key, missing - 1
        number += 1
    return keys


def free_port_with_bus(taken):
    """A port whose cluster bus, 10,000 above, is free too."""
    for port in range(21000, 31000):
        if port in taken:
            continue
        with contextlib.suppress(OSError), socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", port + 10000))
            return port
    raise RuntimeError("no port is free")


class Cluster:
    """Also a route for writers: ports(), keys(port), refresh()."""

    def __init__(self, module):
        self.keys_of_slots = one_key_for_each_slot()
        self.lock = threading.Lock()
        self.slots_of, self.replica_of = {}, {}
        self.servers, ports = {}, set()
        options = ["cluster-enabled yes", f"cluster-node-timeout {NODE_TIMEOUT_MS}", "cluster-replica-validity-factor 0",
                   "cluster-allow-replica-migration no",
                   "repl-ping-replica-period 1"]  # a replica that never heard anything is not reported
        for _ in range(6):
            port = free_port_with_bus(ports)
            ports.add(port)
            self.servers[port] = Server(module, options=options, port=port)

    def __enter__(self):
        for server in self.servers.values():
            server.start()
        hosts = [f"127.0.0.1:{port}" for port in self.servers]
        done = subprocess.run([CLI, "--cluster", "create", *hosts, "--cluster-replicas", "1", "--cluster-yes"],
                              capture_output=True, text=True, timeout=60)
        check(done.returncode, 0, done.stdout + done.stderr)
        check(until(self.whole), True, "six nodes that agree")
        self.refresh()
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.__exit__()

    def alive(self):
        return [port for port, server in self.servers.items() if server.process.poll() is None]

    def whole(self):
        """Every living node knows of three primaries that serve all slots and of every living replica, and these are linked."""
        for port in self.alive():
            client = Client(port)
            state = client("CLUSTER", "INFO")
            if isinstance(state, Refused) or b"cluster_state:ok" not in state:  # refused while it loads
                return False
            ranges, role = client("CLUSTER", "SLOTS"), client("ROLE")
            client.close()
            if role[0] == b"slave" and role[3] != b"connected":
                return False
            if len({primary[1] for _, _, primary, *_ in ranges}) != 3 or sum(last + 1 - first for first, last, *_ in ranges) != SLOTS:
                return False
            if {node[1] for _, _, *nodes in ranges for node in nodes} != set(self.alive()):
                return False
        return True

    def refresh(self):
        time.sleep(0.01)  # several writers ask while the nodes are electing
        with self.lock:
            for port in self.alive():
                with contextlib.suppress(OSError):
                    self.take(Client(port)("CLUSTER", "SLOTS"))
                    return

    def take(self, ranges):
        slots, replica = {}, {}
        for first, last, primary, *replicas in ranges:
            slots.setdefault(primary[1], []).extend(range(first, last + 1))
            replica[primary[1]] = [node[1] for node in replicas]
        self.slots_of, self.replica_of = slots, replica

    def ports(self):
        return list(self.slots_of)

    def keys(self, port):
        slots = self.slots_of[port] if port in self.slots_of else range(SLOTS)  # the map may change at any time
        return Choice(self.keys_of_slots, slots)

    def ask(self, commands):
        """Each command goes to the primary of its key. Replies in the order of the commands."""
        owner = {slot: port for port, slots in self.slots_of.items() for slot in slots}
        groups = {}
        for i, command in enumerate(commands):
            key = command[1] if isinstance(command[1], bytes) else command[1].encode()
            groups.setdefault(owner[binascii.crc_hqx(key, 0) % SLOTS], []).append(i)
        replies = [None] * len(commands)
        for port, indexes in groups.items():
            client = Client(port)
            for at in range(0, len(indexes), 500):
                part = indexes[at:at + 500]
                for i, reply in zip(part, client.all([commands[i] for i in part])):
                    replies[i] = reply
        return replies


class Choice:
    """The keys of some slots, without a list of them."""

    def __init__(self, keys, slots):
        self.keys, self.slots = keys, slots

    def __len__(self):
        return len(self.slots)

    def __getitem__(self, i):
        return self.keys[self.slots[i]]
