"""A real cluster: a filter in each of the 16384 slots, a primary killed while clients write, and what is left of the
writes that were acknowledged. With BLOOMERY_FULL=1 each of the three ranges loses its primary in turn, under more load."""
import os
import signal
import time

from cluster_servers import SLOTS, Cluster
from harness import OK, Client, check, main, until
from load import RATE, Load, ReachedByReplica, lost

FULL = os.environ.get("BLOOMERY_FULL") == "1"
WRITES = 20_000 if FULL else 3_000  # acknowledged by the victim before it dies, and by all after


def make_filters(cluster):
    replies = cluster.ask([("BF.RESERVE", key, RATE, "100") for key in cluster.keys_of_slots])
    check(replies == [OK] * SLOTS, True, "a filter in each slot")
    replies = cluster.ask([("BF.MADD", key, "first", key) for key in cluster.keys_of_slots])
    check(replies == [[1, 1]] * SLOTS, True)
    check(sorted(len(slots) for slots in cluster.slots_of.values()), [5461, 5461, 5462])


def pairs_agree(cluster, what):
    """Each replica holds its primary's filters, byte for byte."""
    for port, replicas in cluster.replica_of.items():
        for replica in replicas:
            same = lambda: Client(replica)("DEBUG", "DIGEST") == Client(port)("DEBUG", "DIGEST")
            check(until(same), True, f"{replica} agrees with {port} {what}")
            keys = [cluster.keys_of_slots[slot] for slot in cluster.slots_of[port][::100]]
            digests = [Client(server)("DEBUG", "DIGEST-VALUE", *keys) for server in (port, replica)]
            check(digests[0], digests[1], what)
            check(len(set(digests[0])) > 1, True, "digests that tell filters apart")


def kill_under_load(cluster, victim):
    """Returns the connections of the load, and the moment that the victim's replica had reached at least."""
    heir = cluster.replica_of[victim][0]
    with Load(cluster) as load:
        reached = ReachedByReplica(victim)
        load.grows(WRITES, victim)
        cluster.servers[victim].stop(signal.SIGKILL)
        killed = time.monotonic()
        check(until(lambda: Client(heir)("ROLE")[0] == b"master"), True, "the replica takes over")
        elected = time.monotonic() - killed
        check(until(cluster.whole), True, "all slots are served again")
        served = time.monotonic() - killed
        load.grows(WRITES // 3, heir)
        load.grows(WRITES)
    reached.join(10)
    cluster.refresh()
    print(f"{victim} killed: {heir} primary after {elected:.1f} s, all slots served after {served:.1f} s")
    check(sorted(cluster.ports()), sorted(set(cluster.servers) - {victim} - set(sum(cluster.replica_of.values(), []))))
    return load.connections(), reached.moment, killed


def nothing_lost_but_what_may_be(cluster, victim, connections, reached, killed):
    of_victim = [c for c in connections if c.port == victim]
    gone = lost(cluster.ask, connections, lambda connection: connection.port == victim, reached)
    confirmed = sum(c.confirmed for c in connections)
    window = sum(1 for c in of_victim for _, _, when in c.entries if when >= reached)
    print(f"{sum(len(c.entries) for c in connections)} writes acknowledged, {sum(len(c.entries) for c in of_victim)} of them by the "
          f"victim, {confirmed} confirmed by WAIT; lost {gone}, where {window} might have been "
          f"(the last {(killed - reached) * 1000:.1f} ms)")
    check(gone <= window, True)
    check(reached > 0 and confirmed > 0 and len(of_victim) > 0, True, "something was tried")
    replies = cluster.ask([("BF.EXISTS", key, "first") for key in cluster.keys_of_slots])
    check(replies == [1] * SLOTS, True, "each slot has its filter, and that its item")


def test(module):
    with Cluster(module) as cluster:
        make_filters(cluster)
        pairs_agree(cluster, "at first")
        for victim in cluster.ports() if FULL else cluster.ports()[:1]:
            nothing_lost_but_what_may_be(cluster, victim, *kill_under_load(cluster, victim))
            cluster.servers[victim].start()
            check(until(cluster.whole), True, "the old primary comes back")
            cluster.refresh()
            check(Client(victim)("ROLE")[0], b"slave")
            check(sum(map(len, cluster.replica_of.values())), 3)
            pairs_agree(cluster, "after the old primary came back")


main(test)
