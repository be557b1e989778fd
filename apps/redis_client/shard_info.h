// What BF.INFO says of a shard, held against the metadata.
#pragma once
#include "apps/redis_client/connection.h"
#include "apps/redis_client/shard_plan.h"

namespace bloomery::redis_client {

struct ShardInfo {
  std::uint64_t keys_inserted = 0;
  std::uint64_t bytes = 0;
};

// kIo where the shard is missing, kMalformed where it is not that part of this filter.
Result<ShardInfo> shard_info(const ShardPlan& plan, std::uint32_t shard, const RedisReply& info);

}  // namespace bloomery::redis_client
