#include "apps/redis_client/shard_info.h"

#include "apps/redis_client/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

// The fields of BF.INFO, numbers as text.
ShardFields fields_of(const RedisReply& reply) {
  ShardFields fields;
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
    const RedisReply& value = reply.elements[i + 1];
    fields[reply.elements[i].text] =
        value.is_integer() ? std::to_string(value.integer) : value.text;
  }
  return fields;
}

std::uint64_t number_in(const ShardFields& fields, std::string_view name) {
  std::uint64_t number = 0;
  if (const auto found = fields.find(name); found != fields.end())
    (void)parse_number(found->second, number);
  return number;
}

// What BF.INFO has to say of the shard.
ShardFields expected_info(const ShardPlan& plan, std::uint32_t shard) {
  return {{"Capacity", std::to_string(plan.goal.keys)},
          {"Layout", "block"},
          {"Part", message(shard, "/", plan.shards)},
          {"Blocks of the whole", std::to_string(plan.shape.blocks)},
          {"Probes", std::to_string(plan.shape.probes)},
          {"Hash", std::string{profile_name(plan.hasher.profile())}},
          {"Seed", std::to_string(plan.hasher.seed())}};
}

}  // namespace

Result<ShardInfo> shard_info(const ShardPlan& plan, std::uint32_t shard, const RedisReply& info) {
  if (info.is_error() && info.text.starts_with("ERR not found"))
    return Error{ErrorCode::kIo,
                 "it is missing: its node lost it, or it was deleted; answers would be wrong. "
                 "Build the filter again, or load it with --force"};
  if (info.is_error()) return as_error(info);
  const ShardFields fields = fields_of(info);
  for (const auto& [name, value] : expected_info(plan, shard)) {
    const auto found = fields.find(name);
    if (found != fields.end() && found->second == value) continue;
    return Error{
        ErrorCode::kMalformed,
        message("it is not the part that the metadata says: its ", name, " is ",
                found == fields.end() ? "unknown" : printable(found->second), ", and not ", value)};
  }
  return ShardInfo{number_in(fields, "Number of items inserted"), number_in(fields, "Size")};
}

}  // namespace bloomery::redis_client
