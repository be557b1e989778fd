// The key of a Bloom filter.
#pragma once
#include "apps/redis/bloom/type.h"
#include "apps/redis/bloom/value.h"
#include "apps/redis/server/filter_key.h"

namespace bloomery::redis_module {

using BloomKey = FilterKey<BloomValue, bloom_type>;

}  // namespace bloomery::redis_module
