#include "apps/redis/bloom/commands.h"
#include "apps/redis/bloom/key.h"
#include "apps/redis/server/memory.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

// Made anew and not wiped: its pages come zeroed from the kernel when they are used. What the
// filter holds already is within any limit.
Result<RedisBloomFilter> emptied(const RedisBloomFilter& filter) {
  RedisBloomHeader header = filter.header();
  header.layers.resize(1);
  header.layers.front().keys_inserted = 0;
  header.keys_inserted = 0;
  return RedisBloomFilter::from_header(header, {kMaxBits / 8}, server_memory());
}

}  // namespace

int bf_clear(const CommandCall& call) {
  const BloomKey key{call, kRead | kWrite};
  if (key.missing()) return reply_refusal(call, Refusal::kNotFound);
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  auto empty = emptied(key.value()->filter());
  if (!empty) return reply_refusal(call, Refusal::kNotCreated);
  if (*empty == key.value()->filter()) return reply_ok(call);
  key.value()->filter() = std::move(*empty);
  key.value()->account(Change::kSome);
  api.ReplicateVerbatim(call.context);
  notify_change(call, "bloom.clear");
  return reply_ok(call);
}

}  // namespace bloomery::redis_module
