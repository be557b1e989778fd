// Creation, repair and removal of a sharded filter.
#include "apps/redis_client/numbers.h"
#include "apps/redis_client/shard_metadata.h"
#include "apps/redis_client/sharded_filter.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

std::string in_words(const ShardPlan& plan) {
  return message(plan.goal.keys, " keys at ", plan.goal.false_positive_rate, " in ", plan.shards,
                 " shards");
}

}  // namespace

Result<ShardedFilter::Created> ShardedFilter::create(const RedisAddress& address, Goal goal,
                                                     Interrupted interrupted) {
  auto cluster = RedisCluster::open(address, interrupted);
  if (!cluster) return cluster.error();
  const auto plan = ShardPlan::make(goal, address.shards.value_or(0), cluster->primaries());
  if (!plan) return plan.error();
  const auto written = write_shard_plan(*cluster, address.key, *plan, std::nullopt);
  if (!written) return written.error();
  if (!*written) {
    const auto other = read_shard_plan(*cluster, address.key);
    if (!other) return other.error();
    const bool automatic = address.shards.value_or(0) == 0;
    const bool same =
        *other && (plan->same_filter(**other) ||
                   (automatic && (*other)->goal == plan->goal && (*other)->shape == plan->shape));
    if (*other && !same)
      return Error{ErrorCode::kInvalidArgument,
                   message("another filter has this name: it was made for ", in_words(**other),
                           ", and ", in_words(*plan), " were asked for; --force replaces it")};
  }
  auto filter = open(address, interrupted);
  if (!filter) return filter.error();
  return Created{std::move(*filter), *written};
}

// Each is made unless it is there already: another creator may be at it too.
Status ShardedFilter::reserve_shards() {
  const std::string reserve = command("RESERVE");
  const std::string rate = double_text(plan_.goal.false_positive_rate);
  const std::string goal_keys = std::to_string(plan_.goal.keys);
  const std::string parts = std::to_string(plan_.shards);
  std::vector<std::string> indices;
  for (std::uint32_t i = 0; i < plan_.shards; ++i) indices.push_back(std::to_string(i));
  std::vector<ClusterCommand> commands;
  for (std::uint32_t i = 0; i < plan_.shards; ++i)
    commands.push_back(
        {{reserve, keys_[i], rate, goal_keys, "LAYOUT", "BLOCK", "PART", indices[i], parts},
         slots_[i]});
  const auto replies = cluster_.call_all(commands, ClusterMode::kWrite);
  if (!replies) return replies.error();
  for (std::uint32_t i = 0; i < plan_.shards; ++i) {
    const RedisReply& reply = (*replies)[i];
    if (reply.is_error() && !reply.text.starts_with("ERR item exists"))
      return about(i, as_error(reply));
  }
  return ok();
}

Status ShardedFilter::set_ready() {
  ShardPlan ready = plan_;
  ready.state = ShardState::kReady;
  const auto written = write_shard_plan(cluster_, address_.key, ready, plan_);
  if (!written) return written.error();
  if (!*written)
    return Error{ErrorCode::kIo,
                 "another process replaced the filter while it was made; try again"};
  plan_.state = ShardState::kReady;
  return ok();
}

// The metadata goes first: from then on no client opens the filter, and creators begin anew.
Status ShardedFilter::remove(const RedisAddress& address, Interrupted interrupted) {
  auto cluster = RedisCluster::open(address, interrupted);
  if (!cluster) return cluster.error();
  const auto plan = read_shard_plan(*cluster, address.key);
  if (!plan) return plan.error();
  if (!*plan) return ok();
  const std::vector<std::string> keys = shard_keys(address.key, (*plan)->shards);
  const std::string metadata = metadata_key(address.key);
  if (auto gone = cluster->call({{"DEL", metadata}, slot_of(metadata)}, ClusterMode::kWrite); !gone)
    return gone.error();
  std::vector<ClusterCommand> commands;
  for (const std::string& key : keys) commands.push_back({{"UNLINK", key}, slot_of(key)});
  const auto replies = cluster->call_all(commands, ClusterMode::kWrite);
  if (!replies) return replies.error();
  for (const RedisReply& reply : *replies)
    if (reply.is_error()) return as_error(reply);
  return ok();
}

}  // namespace bloomery::redis_client
