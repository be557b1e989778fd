// RedisBloom (2.x to the 8.10 line): its dialect, one layer of its filters, and what it writes
// about layers. Written from a description of its behaviour.
#pragma once
#include <vector>

#include "bloomery/base/limits.h"
#include "bloomery/filter/classic/classic.h"

namespace bloomery {

// MurmurHash2 twice, the second seeded by the first. New filters have the wide hash and n2 = 0; the
// others are read from files of old releases.
struct RedisBloom {
  static constexpr std::string_view kName = "redisbloom";
  bool wide_hash = true;  // 64A; else the 32-bit MurmurHash2
  std::uint8_t n2 = 0;    // above zero the modulus is 2^n2; at most 63

  struct Digest {
    std::uint64_t first;
    std::uint64_t second;
  };
  Digest digest(ByteView key) const noexcept;
  // The peer calculates in 32 bits where n2 is below 32 and the hash narrow: the same low bits.
  std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) const noexcept {
    const std::uint64_t number = d.first + i * d.second;
    return n2 > 0 ? number & ((std::uint64_t{1} << n2) - 1) : number % bits;
  }
  static Result<Shape> shape_for(Goal goal);  // of one layer, whose own rate is the goal's
  static double bits_per_key(double rate);
  static double probes_for(double bits_per_key);
  friend bool operator==(const RedisBloom&, const RedisBloom&) = default;
};

// What the smallest rate a double can say needs: the peer grows down to it, layer by layer. Layers
// have no bound of their own: a filter brings the bytes of each.
inline constexpr std::uint32_t kRedisBloomMaxProbes = 1075;

enum RedisBloomOption : std::uint32_t {
  kRedisBloomNoRounding = 1,  // bits are not rounded to a power of two
  kRedisBloomEntryIsBits = 2,
  kRedisBloomWideHash = 4,
  kRedisBloomNonScaling = 8,
  kRedisBloomAllOptions = 15,
};

// What the peer writes of a layer besides its bits, with our names (its "capacity" is goal_keys,
// its "entries" keys_inserted).
struct RedisBloomLayerHeader {
  std::uint64_t bytes = 0;
  std::uint64_t bits = 0;
  std::uint64_t keys_inserted = 0;
  double rate = 0;
  double bits_per_key = 0;
  std::uint32_t probes = 0;
  std::uint64_t goal_keys = 0;
  std::uint8_t n2 = 0;
};
struct RedisBloomHeader {
  std::uint64_t keys_inserted = 0;
  std::uint32_t options = 0;
  std::uint32_t growth = 2;  // each layer has this many times the keys of the one before
  std::vector<RedisBloomLayerHeader> layers;
};

struct RedisBloomLayer {
  ClassicFilter<RedisBloom> filter;  // its provenance counts the keys inserted
  std::uint64_t goal_keys;
  double rate;
  double bits_per_key;

  std::uint64_t keys_inserted() const { return filter.provenance().keys_inserted.value_or(0); }
  ByteView bits() const;  // the bytes the peer writes: as many as the bits need
  ByteSpan bits();
  Health health() const;
};

// The peer's own rules, and bounds it lacks: an error unless every number agrees with the others
// and the layers fit within the limit. Checks before anything is allocated.
Status checked(const RedisBloomHeader& header, DecodeLimits limits);

// An empty layer. Precondition: the header that holds it is checked.
RedisBloomLayer make_layer(const RedisBloomLayerHeader& header, bool wide_hash,
                           std::pmr::memory_resource* memory);

}  // namespace bloomery
