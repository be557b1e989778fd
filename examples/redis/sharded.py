"""A client of one filter over many keys of a Redis Cluster, by the rule of docs/redis_cluster.md.

    sharded.py add|query HOST:PORT NAME < keys      one key a line; query prints those that may be in the filter
"""
import binascii
import ctypes
import sys

from redis.cluster import RedisCluster

xxh = ctypes.CDLL("libxxhash.so.0")  # or the package xxhash: xxh3_64_intdigest(key, seed)
xxh.XXH3_64bits_withSeed.restype = ctypes.c_uint64
xxh.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]


class ShardedFilter:
    def __init__(self, cluster, name):
        m = {k.decode(): v.decode() for k, v in cluster.hgetall(f"{name}:{{{name}}}:meta").items()}
        assert (m["version"], m["state"], m["tags"], m["hash"]) == ("1", "ready", "middle", "xxh3-64"), m
        self.cluster, self.seed = cluster, int(m["seed"])
        self.blocks, self.shards = int(m["blocks"]), int(m["shards"])
        shard_at, self.keys = {(2 * i + 1) * 8192 // self.shards: i for i in range(self.shards)}, {}
        for tag in range(200_000):
            shard = shard_at.get(binascii.crc_hqx(b"%d" % tag, 0) % 16384)
            self.keys.setdefault(shard, f"{name}:{{{tag}}}")

    def shard_key(self, key):
        block = xxh.XXH3_64bits_withSeed(key, len(key), self.seed) * self.blocks >> 64
        return self.keys[((block + 1) * self.shards - 1) // self.blocks]

    def call(self, command, *words, keys):
        shards = {}
        for key in keys:
            shards.setdefault(self.shard_key(key), []).append(key)
        answers = {}
        for shard, part in shards.items():
            self.cluster.execute_command("BF.INFO", shard, "PART")  # an error where the shard is missing
            answers.update(zip(part, self.cluster.execute_command(command, shard, *words, *part)))
        return answers

    def add(self, keys):
        return self.call("BF.INSERT", "NOCREATE", "ITEMS", keys=keys)

    def may_contain(self, keys):
        return self.call("BF.MEXISTS", keys=keys)


def main(what, address, name):
    host, port = address.rsplit(":", 1)
    filter = ShardedFilter(RedisCluster(host=host, port=int(port)), name)
    keys = [line.rstrip(b"\n") for line in sys.stdin.buffer]
    if what == "add":
        filter.add(keys)
        return
    answers = filter.may_contain(keys)
    for key in keys:
        if answers[key]:
            sys.stdout.buffer.write(key + b"\n")


main(*sys.argv[1:])
