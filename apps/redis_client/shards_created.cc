// Creation, repair and removal of a sharded filter.
#include <algorithm>

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

// Clients add only to a filter that is ready. So keys in a shard are those of an earlier filter,
// unless another creator was faster.
Status ShardedFilter::refuse_leftovers() {
  const auto held = std::ranges::find_if(seen_, [](const Seen& s) { return s.keys_inserted > 0; });
  if (held == seen_.end()) return ok();
  const auto now = read_shard_plan(cluster_, address_.key);
  if (!now) return now.error();
  if (!*now || (*now)->id != plan_.id || (*now)->state != ShardState::kCreating) return ok();
  return about(static_cast<std::uint32_t>(held - seen_.begin()),
               {ErrorCode::kInvalidArgument,
                message("it is a leftover: it holds ", held->keys_inserted,
                        " keys, and the filter is only being made; build it again with --force")});
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

// The metadata goes last: a client that finds a half removed filter knows its shards, and uses
// none. The new id ends what another process does to the filter.
Status ShardedFilter::remove(const RedisAddress& address, Interrupted interrupted) {
  auto cluster = RedisCluster::open(address, interrupted);
  if (!cluster) return cluster.error();
  const auto plan = read_shard_plan(*cluster, address.key);
  if (!plan) return plan.error();
  if (!*plan) return ok();
  const Error replaced{ErrorCode::kIo,
                       "another process replaced the filter while it was removed; try again"};
  ShardPlan ending = **plan;
  ending.id = new_shard_id();
  ending.state = ShardState::kLoading;
  const auto marked = write_shard_plan(*cluster, address.key, ending, *plan);
  if (!marked) return marked.error();
  if (!*marked) return replaced;
  std::vector<ClusterCommand> commands;
  const std::vector<std::string> keys = shard_keys(address.key, ending.shards);
  for (const std::string& key : keys) commands.push_back({{"UNLINK", key}, slot_of(key)});
  const auto replies = cluster->call_all(commands, ClusterMode::kWrite);
  if (!replies) return replies.error();
  for (const RedisReply& reply : *replies)
    if (reply.is_error()) return as_error(reply);
  const auto gone = write_shard_plan(*cluster, address.key, std::nullopt, ending);
  if (!gone) return gone.error();
  return *gone ? ok() : Status{replaced};
}

}  // namespace bloomery::redis_client
