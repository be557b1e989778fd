// One filter over many keys of a cluster: what its metadata key says, and where a key belongs.
// Shard i of S is part i of S of the whole filter (bloomery/layout/part.h).
#pragma once
#include <map>
#include <vector>

#include "apps/redis_client/slots.h"
#include "bloomery/base/bytes.h"
#include "bloomery/hash/profile.h"
#include "bloomery/layout/part.h"

namespace bloomery::redis_client {

enum class ShardState : std::uint8_t {
  kCreating,  // some shards may be missing; any client may make them
  kLoading,   // prebuilt shards are being put in place
  kReady
};

using ShardFields = std::map<std::string, std::string, std::less<>>;  // of the metadata, a hash

struct ShardPlan {
  static constexpr std::uint32_t kMostShards = kSlots;  // a slot for each

  Goal goal;         // of the whole
  BlockShape shape;  // of the whole, one line per key
  std::uint32_t shards = 1;
  Hasher hasher = {};
  std::string id = {};  // random: tells a filter from another that took its name later
  ShardState state = ShardState::kCreating;

  // kInvalidArgument where no block filter of one line per key meets the goal, or there are more
  // shards than blocks. 0 shards: auto.
  static Result<ShardPlan> make(Goal goal, std::uint32_t shards, std::size_t primaries);
  static Result<ShardPlan> parse(const ShardFields& fields);
  ShardFields fields() const;

  // The same bits at the same places; the id and the state may differ.
  bool same_filter(const ShardPlan& other) const;
  Part part(std::uint32_t shard) const { return {shard, shards}; }
  std::uint32_t shard_of(ByteView key) const {
    const std::uint64_t block = block::block_of(hasher(key).low, shape.blocks);
    return part_of_block(block, shape.blocks, shards);
  }
};

// As many that one has at most 64 MiB and each primary four, in whole rounds over the primaries.
std::uint32_t automatic_shards(std::uint64_t bytes, std::size_t primaries);

// name:{name}:meta, and name:{tag} for each shard.
std::string metadata_key(std::string_view name);
std::vector<std::string> shard_keys(std::string_view name, std::uint32_t shards);

std::string new_shard_id();

}  // namespace bloomery::redis_client
