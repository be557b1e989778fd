// The key of a Bloom filter.
#pragma once
#include "apps/redis/bloom_type.h"
#include "apps/redis/bloom_value.h"
#include "apps/redis/filter_key.h"

namespace bloomery::redis_module {

using BloomKey = FilterKey<BloomValue, bloom_type>;

}  // namespace bloomery::redis_module
