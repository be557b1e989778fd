// The hash of the `mix` profile: multiplications and shifts on a 64-bit key, cheap on every CPU and
// GPU. And the second word of profiles whose hash has 64 bits.
#pragma once
#include <cstdint>

#include "bloomery/hash/hash128.h"

namespace bloomery {

inline constexpr std::uint64_t kMixFirst = 0xbea225f9eb34556d;
inline constexpr std::uint64_t kMixSecond = 0xd6e8feb86659fd93;
inline constexpr std::uint64_t kMixThird = 0x9e3779b97f4a7c15;

// Both words of a key whose hash is the place alone. Two keys with the same place share all bits,
// so that such a filter has a rate of at least keys / 2^64.
constexpr Hash128 with_bits_of(std::uint64_t place) noexcept {
  return {place, (place ^ (place >> 32)) * kMixThird};
}

// Low is the place, high the bits. One multiplication less lets keys like i << 16 collide.
constexpr Hash128 mix_u64(std::uint64_t key, std::uint64_t seed) noexcept {
  const std::uint64_t first = (key ^ seed) * kMixFirst;
  return with_bits_of((first ^ (first >> 32)) * kMixSecond);
}

}  // namespace bloomery
