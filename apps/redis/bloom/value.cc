#include "apps/redis/bloom/value.h"

#include <algorithm>

#include "apps/redis/server/config.h"
#include "apps/redis/server/memory.h"

namespace bloomery::redis_module {

bool is_full_bloom(const RedisBloomFilter& filter) {
  const RedisBloomLayer& newest = filter.layers().back();
  if (newest.keys_inserted() < newest.goal_keys) return false;
  if (!filter.grows() || filter.growth() == 0 || newest.goal_keys > kMaxBits / filter.growth())
    return true;
  const auto next = RedisBloom::shape_for({newest.goal_keys * filter.growth(), newest.rate * 0.5});
  const std::uint64_t most = client_limits().max_bytes;
  return !next || next->bytes() > most - std::min<std::uint64_t>(filter.size_bytes(), most);
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
