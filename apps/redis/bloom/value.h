// The value of a Bloom filter's key.
#pragma once
#include "apps/redis/server/arguments.h"
#include "apps/redis/server/filter_value.h"
#include "bloomery/formats/redis/redisbloom.h"

namespace bloomery::redis_module {

bool is_full_bloom(const RedisBloomFilter& filter);
using BloomValue = FilterValue<RedisBloomFilter, is_full_bloom>;

std::variant<BloomValue*, Refusal> make_value(const NewFilter& wanted, DecodeLimits limits);

// As RedisBloom counts: 32 bytes, 64 for each layer, and the bits.
std::size_t reported_bytes(const RedisBloomFilter& filter);

}  // namespace bloomery::redis_module
