#include "apps/cli/remote/cluster_filter.h"

#include <cmath>

#include "apps/cli/shell/interrupts.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

// As many bits as so many keys set in blocks of this shape, on average.
double expected_fill(const BlockShape& shape, double keys) {
  const double sectors = static_cast<double>(shape.blocks) * block::kSectors;
  return -std::expm1(keys * shape.probes / sectors * std::log1p(-1.0 / block::kSectorBits));
}

}  // namespace

Result<ClusterFilter> ClusterFilter::open(const redis_client::RedisAddress& address) {
  auto shards = redis_client::ShardedFilter::open(address, InterruptGuard::interrupted);
  if (!shards) return shards.error();
  return ClusterFilter{std::move(*shards)};
}

const Format& ClusterFilter::format() const { return *find_format("bloomery"); }

Description ClusterFilter::describe() {
  const redis_client::ShardPlan& plan = shards_.plan();
  Description description;
  description.format = "bloomery";
  description.layout = message("block in ", plan.shards, " shards");
  description.dialect = BloomeryBlock::kName;
  description.bits = plan.shape.bits();
  description.probes = plan.shape.probes;
  description.bytes = plan.shape.bytes();
  description.goal = plan.goal;
  const auto shards = shards_.shards();
  if (!shards) return description;
  std::uint64_t keys = 0;
  for (const auto& shard : *shards) keys += shard.keys_inserted;
  description.keys_inserted = keys;
  const auto count = static_cast<double>(keys);
  const double rate = expected_rate(plan.shape, count);
  const double fill = expected_fill(plan.shape, count);
  description.health = Health{fill, count, rate, judge(fill, rate, plan.goal)};
  return description;
}

}  // namespace bloomery::cli
