#include "bloomery/formats/redis/redisbloom_rdb.h"

#include "bloomery/base/error.h"

namespace bloomery::internal {
std::uint64_t legacy_bits(const RedisBloomLayerHeader& layer) {
  const double bits = static_cast<double>(layer.goal_keys) * layer.bits_per_key;
  return bits >= 1 && bits <= static_cast<double>(kMaxBits) ? static_cast<std::uint64_t>(bits) : 0;
}

Status checked_bytes(const RedisBloomLayerHeader& layer) {
  if (layer.bytes != layer.bits / 8 + (layer.bits % 8 != 0 ? 1 : 0))
    return malformed(message("a layer of ", layer.bits, " bits has ", layer.bytes, " bytes"));
  return ok();
}

Status checked_tail(const RedisBloomLayer& layer) {
  const std::uint64_t used = layer.filter.size_bits() % 8;
  if (used != 0 && static_cast<unsigned>(layer.bits().back()) >> used != 0)
    return malformed("bits behind the last one of a layer are set");
  return ok();
}

}  // namespace bloomery::internal
