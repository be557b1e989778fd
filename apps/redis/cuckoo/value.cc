#include "apps/redis/cuckoo/value.h"

#include <algorithm>

#include "apps/redis/server/config.h"
#include "apps/redis/server/memory.h"

namespace bloomery::redis_module {

bool is_full_cuckoo(const RedisCuckooFilter& filter) {
  if (filter.layers() >= static_cast<std::uint64_t>(settings().cuckoo_expansions)) return true;
  if (filter.keys() < filter.size_bytes()) return false;
  const std::uint64_t most = client_limits().max_bytes;
  const std::uint64_t left = most - std::min(filter.size_bytes(), most);
  const CuckooShape& shape = filter.shape();
  return !shape.grows() ||
         filter.buckets(filter.layers() - 1) > left / shape.bucket_size / shape.expansion;
}

std::variant<CuckooValue*, Refusal> make_value(const RedisCuckooOptions& wanted,
                                               DecodeLimits limits) {
  return value_or_refusal<CuckooValue>(Refusal::kCuckooNotCreated, [&] {
    return RedisCuckooFilter::for_options(wanted, limits, server_memory());
  });
}

}  // namespace bloomery::redis_module
