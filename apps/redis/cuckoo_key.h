// The key of a cuckoo filter.
#pragma once
#include "apps/redis/cuckoo_type.h"
#include "apps/redis/cuckoo_value.h"
#include "apps/redis/filter_key.h"

namespace bloomery::redis_module {

using CuckooKey = FilterKey<CuckooValue, cuckoo_type>;

}  // namespace bloomery::redis_module
