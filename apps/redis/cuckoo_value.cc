#include "apps/redis/cuckoo_value.h"

#include "apps/redis/memory.h"

namespace bloomery::redis_module {

bool is_full_cuckoo(const RedisCuckooFilter& filter) {
  return !filter.shape().grows() && filter.keys() >= filter.size_bytes();
}

std::variant<CuckooValue*, Refusal> make_value(const RedisCuckooOptions& wanted,
                                               DecodeLimits limits) {
  return value_or_refusal<CuckooValue>(Refusal::kCuckooNotCreated, [&] {
    return RedisCuckooFilter::for_options(wanted, limits, server_memory());
  });
}

}  // namespace bloomery::redis_module
