#include "apps/redis_client/shard_metadata.h"

#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

Result<std::optional<ShardPlan>> plan_in(const RedisReply& reply, const std::string& key) {
  if (reply.is_error()) {
    const Error error = as_error(reply);
    return Error{error.code, message(key, ": ", error.message)};
  }
  if (reply.elements.empty()) return std::optional<ShardPlan>{};
  ShardFields fields;
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2)
    fields[reply.elements[i].text] = reply.elements[i + 1].text;
  auto plan = ShardPlan::parse(fields);
  if (!plan) return Error{plan.error().code, message(key, ": ", plan.error().message)};
  return std::optional{std::move(*plan)};
}

bool same_write(const std::optional<ShardPlan>& found, const std::optional<ShardPlan>& expected) {
  if (!found || !expected) return !found && !expected;
  return found->id == expected->id && found->state == expected->state;
}

}  // namespace

Result<std::optional<ShardPlan>> read_shard_plan(RedisCluster& cluster, std::string_view name) {
  const std::string key = metadata_key(name);
  const ClusterCommand question{{"HGETALL", key}, slot_of(key)};
  const auto replies = cluster.call_all({&question, 1}, ClusterMode::kReadPrimary);
  if (!replies) return replies.error();
  return plan_in(replies->front(), key);
}

namespace {

// Nothing: another client wrote to the key meanwhile.
Result<std::optional<bool>> write_once(RedisCluster& cluster, const std::string& key,
                                       const std::optional<ShardPlan>& plan,
                                       const std::optional<ShardPlan>& expected) {
  const std::uint16_t slot = slot_of(key);
  const RedisCommand watch[] = {{"WATCH", key}, {"HGETALL", key}};
  const auto watched = cluster.call_together(slot, watch);
  if (!watched) return watched.error();
  const auto found = plan_in(watched->back(), key);
  if (!found) return found.error();
  // The write before was carried out after all, or another client made the same one.
  if (same_write(*found, plan)) return std::optional{true};
  if (!same_write(*found, expected)) return std::optional{false};
  std::vector<RedisCommand> transaction{{"MULTI"}, {"DEL", key}};
  const ShardFields fields = plan ? plan->fields() : ShardFields{};  // what the words lie in
  if (plan) {
    RedisCommand write{"HSET", key};
    for (const auto& [field, value] : fields) {
      write.push_back(field);
      write.push_back(value);
    }
    transaction.push_back(std::move(write));
  }
  transaction.push_back({"EXEC"});
  const auto written = cluster.call_together(slot, transaction, true);
  if (!written) return written.error();
  const RedisReply& last = written->back();
  if (last.is_error()) return as_error(last);
  const bool is_written = last.kind == RedisReply::Kind::kArray;  // else nil
  return is_written ? std::optional{true} : std::nullopt;
}

}  // namespace

Result<bool> write_shard_plan(RedisCluster& cluster, std::string_view name,
                              const std::optional<ShardPlan>& plan,
                              const std::optional<ShardPlan>& expected) {
  constexpr int kTries = 5;
  const std::string key = metadata_key(name);
  for (int i = 1;; ++i) {
    const auto written = write_once(cluster, key, plan, expected);
    if (written && *written) return **written;
    const Error why =
        written ? Error{ErrorCode::kIo, message(key, " changes all the time")} : written.error();
    if (why.code != ErrorCode::kIo || i == kTries) return why;
  }
}

}  // namespace bloomery::redis_client
