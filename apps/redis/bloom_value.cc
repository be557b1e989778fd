#include "apps/redis/bloom_value.h"

#include <new>

#include "apps/redis/memory.h"
#include "apps/redis/statistics.h"

namespace bloomery::redis_module {
namespace {

bool is_full(const RedisBloomFilter& filter) {
  const RedisBloomLayer& newest = filter.layers().back();
  return !filter.grows() && newest.keys_inserted() >= newest.goal_keys;
}

}  // namespace

BloomValue::BloomValue(RedisBloomFilter filter) : filter_{std::move(filter)} {
  ++statistics.filters;
  account(false);
}

BloomValue::~BloomValue() {
  --statistics.filters;
  statistics.bytes -= counted_bytes_;
  if (counted_saturated_) --statistics.saturated;
}

BloomValue* BloomValue::create(RedisBloomFilter filter) {
  return new (api.Alloc(sizeof(BloomValue))) BloomValue{std::move(filter)};
}

void BloomValue::destroy(BloomValue* value) {
  value->~BloomValue();
  api.Free(value);
}

void BloomValue::account(bool refused) {
  const std::size_t bytes = filter_.size_bytes();
  statistics.bytes += bytes - counted_bytes_;
  counted_bytes_ = bytes;
  const bool saturated = refused || is_full(filter_);
  if (saturated == counted_saturated_) return;
  saturated ? ++statistics.saturated : --statistics.saturated;
  counted_saturated_ = saturated;
}

std::variant<BloomValue*, Refusal> make_value(const NewFilter& wanted, DecodeLimits limits) try {
  auto filter = RedisBloomFilter::for_goal(wanted.goal, wanted.expansion, limits, server_memory());
  if (!filter)
    return filter.error().code == ErrorCode::kTooLarge ? Refusal::kNoMemoryToCreate
                                                       : Refusal::kNotCreated;
  return BloomValue::create(std::move(*filter));
} catch (const std::bad_alloc&) {
  return Refusal::kNoMemoryToCreate;
}

std::size_t reported_bytes(const RedisBloomFilter& filter) {
  std::size_t bytes = 32;
  for (const RedisBloomLayer& layer : filter.layers()) bytes += 64 + layer.bits().size();
  return bytes;
}

}  // namespace bloomery::redis_module
