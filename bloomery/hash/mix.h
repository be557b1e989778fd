// The hash of the `mix` profile: multiplications and shifts on a 64-bit key. Cheap on every CPU and
// GPU.
#pragma once
#include <cstdint>

#include "bloomery/hash/hash128.h"

namespace bloomery {

inline constexpr std::uint64_t kMixFirst = 0xbea225f9eb34556d;
inline constexpr std::uint64_t kMixSecond = 0xd6e8feb86659fd93;
inline constexpr std::uint64_t kMixThird = 0x9e3779b97f4a7c15;

// Low is the place, high the bits. One multiplication less lets keys like i << 16 collide.
constexpr Hash128 mix_u64(std::uint64_t key, std::uint64_t seed) noexcept {
  const std::uint64_t first = (key ^ seed) * kMixFirst;
  const std::uint64_t place = (first ^ (first >> 32)) * kMixSecond;
  return {place, (place ^ (place >> 32)) * kMixThird};
}

}  // namespace bloomery
