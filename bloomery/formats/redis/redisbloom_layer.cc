#include "bloomery/formats/redis/redisbloom_layer.h"

#include "bloomery/base/error.h"
#include "bloomery/hash/murmur2.h"

namespace bloomery {
namespace {

// The peer's constants have fifteen digits; the full ones would round other integers.
constexpr double kLn2Squared = 0.480453013918201;
constexpr double kLn2 = 0.693147180559945;
constexpr std::uint64_t kWideSeed = 0xc6a4a7935bd1e995;
constexpr std::uint32_t kNarrowSeed = 0x9747b28c;

Status checked_layer(const RedisBloomLayerHeader& layer, std::size_t number) {
  const auto refuse = [&](const auto&... parts) {
    return malformed(message("layer ", number + 1, ": ", parts...));
  };
  if (!(layer.rate > 0 && layer.rate < 1))
    return refuse("the rate lies between 0 and 1, and is ", layer.rate);
  if (layer.n2 > 63) return refuse("n2 is at most 63, and is ", unsigned{layer.n2});
  if (layer.bits == 0 || layer.bits > kMaxBits)
    return refuse("a layer has 1 to 2^48 bits, and not ", layer.bits);
  if (layer.n2 > 0 && layer.bits < std::uint64_t{1} << layer.n2)
    return refuse(layer.bits, " bits are fewer than 2^", unsigned{layer.n2});
  if (layer.bytes < (layer.bits + 7) / 8 || layer.bytes > (layer.bits + 63) / 64 * 8)
    return refuse(layer.bits, " bits do not lie in ", layer.bytes, " bytes");
  // The peer bounds neither; a sender could otherwise make each look-up take a second.
  if (layer.probes > kRedisBloomMaxProbes)
    return refuse("at most ", kRedisBloomMaxProbes, " probes are accepted, and there are ",
                  layer.probes);
  if (!(layer.bits_per_key >= 0) ||
      RedisBloom::probes_for(layer.bits_per_key) != static_cast<double>(layer.probes))
    return refuse(layer.probes, " probes do not follow from ", layer.bits_per_key, " bits per key");
  if (layer.goal_keys == 0) return refuse("it is made for no keys at all");
  return ok();
}

}  // namespace

RedisBloom::Digest RedisBloom::digest(ByteView key) const noexcept {
  if (wide_hash) {
    const std::uint64_t first = murmur2_64a(key, kWideSeed);
    return {first, murmur2_64a(key, first)};
  }
  const std::uint32_t first = murmur2_32(key, kNarrowSeed);
  return {first, murmur2_32(key, first)};
}

double RedisBloom::bits_per_key(double rate) { return std::fabs(std::log(rate) / kLn2Squared); }

double RedisBloom::probes_for(double bits_per_key) { return std::ceil(kLn2 * bits_per_key); }

Result<Shape> RedisBloom::shape_for(Goal goal) {
  if (auto valid = checked(goal); !valid) return valid.error();
  const double per_key = bits_per_key(goal.false_positive_rate);
  const double bits = std::max(1.0, std::trunc(static_cast<double>(goal.keys) * per_key));
  const double probes = probes_for(per_key);
  auto shape = checked_shape(bits, std::min<double>(probes, kMaxProbes));
  if (!shape) return shape;
  return Shape{(shape->bits + 63) / 64 * 64, static_cast<std::uint32_t>(probes)};
}

ByteView RedisBloomLayer::bits() const {
  return filter.bytes().first(static_cast<std::size_t>((filter.size_bits() + 7) / 8));
}
ByteSpan RedisBloomLayer::bits() {
  return filter.bytes().first(static_cast<std::size_t>((filter.size_bits() + 7) / 8));
}

Health RedisBloomLayer::health() const {
  Shape used = filter.shape();  // of an old layer the bits from 2^n2 on are never used
  if (filter.dialect().n2 > 0) used.bits = std::uint64_t{1} << filter.dialect().n2;
  const std::uint64_t ones = std::min(count_ones(filter.bytes()), used.bits);
  return classic_health(used, ones, filter.provenance().goal);
}

Status checked(const RedisBloomHeader& header, DecodeLimits limits) {
  if ((header.options & ~std::uint32_t{kRedisBloomAllOptions}) != 0)
    return malformed(message("the options have unknown bits: ", header.options));
  if (header.layers.empty()) return malformed("a filter has at least one layer");
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < header.layers.size(); ++i) {
    const RedisBloomLayerHeader& layer = header.layers[i];
    if (auto valid = checked_layer(layer, i); !valid) return valid;
    if (layer.keys_inserted > UINT64_MAX - keys)
      return malformed("the layers hold more keys than 64 bits count");
    keys += layer.keys_inserted;
    const std::uint64_t size = Shape{layer.bits, layer.probes}.bytes();
    bytes = size > UINT64_MAX - bytes ? UINT64_MAX : bytes + size;
  }
  if (keys != header.keys_inserted)
    return malformed(
        message("the header counts ", header.keys_inserted, " keys, and its layers ", keys));
  if (bytes > limits.max_bytes)
    return Error{ErrorCode::kTooLarge,
                 message("the layers have ", bytes, " bytes, and the limit is ", limits.max_bytes)};
  return ok();
}

RedisBloomLayer make_layer(const RedisBloomLayerHeader& header, bool wide_hash,
                           std::pmr::memory_resource* memory) {
  RedisBloomLayer layer{ClassicFilter<RedisBloom>{Shape{header.bits, header.probes},
                                                  RedisBloom{wide_hash, header.n2}, memory},
                        header.goal_keys, header.rate, header.bits_per_key};
  layer.filter.set_provenance(
      {.goal = Goal{header.goal_keys, header.rate}, .keys_inserted = header.keys_inserted});
  return layer;
}

}  // namespace bloomery
