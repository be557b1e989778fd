#include "apps/redis/bloom_value.h"

#include "apps/redis/memory.h"

namespace bloomery::redis_module {

bool is_full_bloom(const RedisBloomFilter& filter) {
  const RedisBloomLayer& newest = filter.layers().back();
  return !filter.grows() && newest.keys_inserted() >= newest.goal_keys;
}

std::variant<BloomValue*, Refusal> make_value(const NewFilter& wanted, DecodeLimits limits) {
  return value_or_refusal<BloomValue>(Refusal::kNotCreated, [&] {
    return RedisBloomFilter::for_goal(wanted.goal, wanted.expansion, limits, server_memory());
  });
}

std::size_t reported_bytes(const RedisBloomFilter& filter) {
  std::size_t bytes = 32;
  for (const RedisBloomLayer& layer : filter.layers()) bytes += 64 + layer.bits().size();
  return bytes;
}

}  // namespace bloomery::redis_module
