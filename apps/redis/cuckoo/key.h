// The key of a cuckoo filter.
#pragma once
#include "apps/redis/cuckoo/type.h"
#include "apps/redis/cuckoo/value.h"
#include "apps/redis/server/filter_key.h"

namespace bloomery::redis_module {

using CuckooKey = FilterKey<CuckooValue, cuckoo_type>;

}  // namespace bloomery::redis_module
