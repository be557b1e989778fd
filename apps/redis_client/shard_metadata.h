// The metadata key of a sharded filter, as a transaction of its slot changes it.
#pragma once
#include "apps/redis_client/cluster.h"
#include "apps/redis_client/shard_plan.h"

namespace bloomery::redis_client {

// Nothing where there is no such key. kMalformed for a key that is something else.
Result<std::optional<ShardPlan>> read_shard_plan(RedisCluster& cluster, std::string_view name);
// Only where the key is still what it was read as: `expected`, by its id and state, or missing.
// False where it is another one by now. No plan: the key is deleted.
Result<bool> write_shard_plan(RedisCluster& cluster, std::string_view name,
                              const std::optional<ShardPlan>& plan,
                              const std::optional<ShardPlan>& expected);

}  // namespace bloomery::redis_client
