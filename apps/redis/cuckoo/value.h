// The value of a cuckoo filter's key.
#pragma once
#include "apps/redis/server/filter_value.h"
#include "bloomery/formats/redis/rediscuckoo.h"

namespace bloomery::redis_module {

// No slot is left, and none will come. A filter may refuse a key before that: it counts as full
// from then on, until it is loaded anew.
bool is_full_cuckoo(const RedisCuckooFilter& filter);
using CuckooValue = FilterValue<RedisCuckooFilter, is_full_cuckoo>;

std::variant<CuckooValue*, Refusal> make_value(const RedisCuckooOptions& wanted,
                                               DecodeLimits limits);

}  // namespace bloomery::redis_module
