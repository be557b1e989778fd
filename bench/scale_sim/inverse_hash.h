// Keys from their hashes: XXH3-128 of sixteen bytes, XXH3-64 of eight and mix map their keys one to
// one, and these are the ways back. A digest drawn evenly from some range so gives a key drawn
// evenly from all keys whose digest lies there.
#pragma once
#include <bit>
#include <cstdint>

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/mix.h"

namespace bloomery::bench {

// The first and the last eight bytes of a key, read little-endian.
struct Key16 {
  std::uint64_t low;
  std::uint64_t high;
  friend bool operator==(const Key16&, const Key16&) = default;
};

namespace inverse {

__extension__ using Product = unsigned __int128;

// Modulo 2^64. Precondition: odd. Each step doubles the number of right bits, three at first.
constexpr std::uint64_t reciprocal(std::uint64_t factor) {
  std::uint64_t found = factor;
  for (int step = 0; step < 5; ++step) found *= 2 - factor * found;
  return found;
}
constexpr std::uint64_t high_half(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((Product{a} * b) >> 64);
}
// Back from x ^ x >> shift.
constexpr std::uint64_t unfolded(std::uint64_t folded, int shift) {
  std::uint64_t found = folded;
  for (int known = shift; known < 64; known += shift) found = folded ^ found >> shift;
  return found;
}
constexpr std::uint64_t swapped(std::uint64_t word) {
  std::uint64_t found = 0;
  for (int byte = 0; byte < 8; ++byte) found = found << 8 | (word >> 8 * byte & 0xff);
  return found;
}

// Constants of xxHash 0.8, and words of its default secret.
inline constexpr std::uint64_t kPrime32Second = 0x85ebca77;
inline constexpr std::uint64_t kPrime64First = 0x9e3779b185ebca87;
inline constexpr std::uint64_t kPrime64Second = 0xc2b2ae3d27d4eb4f;
inline constexpr std::uint64_t kAvalanche = 0x165667919e3779f9;
inline constexpr std::uint64_t kShortMix = 0x9fb21c651e98df25;
inline constexpr std::uint64_t kFlipOfLow = 0x78e5c0cc4ee679cb ^ 0x2172ffcc7dd05a82;
inline constexpr std::uint64_t kFlipOfHigh = 0x8e2443f7744608b8 ^ 0x4c263a81e69035e0;
inline constexpr std::uint64_t kFlipOfEight = 0x1cad21f72c81017c ^ 0xdb979083e96dd4de;

constexpr std::uint64_t before_avalanche(std::uint64_t hash) {
  return unfolded(unfolded(hash, 32) * reciprocal(kAvalanche), 37);
}

}  // namespace inverse

// The one key of sixteen bytes whose XXH3-128 with seed 0 this is.
constexpr Key16 key_of_xxh3_128(Hash128 digest) {
  using namespace inverse;
  constexpr std::uint64_t kLength = std::uint64_t{15} << 54;
  std::uint64_t low = before_avalanche(digest.low) * reciprocal(kPrime64Second);
  const std::uint64_t high =
      (before_avalanche(digest.high) - high_half(low, kPrime64Second)) * reciprocal(kPrime64Second);
  low = ((low ^ swapped(high)) - kLength) * reciprocal(kPrime64First);
  const std::uint64_t sum = high - high_half(low, kPrime64First);
  const std::uint64_t lower_half = sum * reciprocal(kPrime32Second) & 0xffffffff;
  const std::uint64_t key_high = (sum - lower_half * (kPrime32Second - 1)) ^ kFlipOfHigh;
  return {low ^ key_high ^ kFlipOfLow, key_high};
}

// The one key of eight bytes whose XXH3-64 with seed 0 this is.
constexpr std::uint64_t key_of_xxh3_64(std::uint64_t hash) {
  using namespace inverse;
  std::uint64_t word = unfolded(hash, 28) * reciprocal(kShortMix);
  word = (word ^ ((word >> 35) + 8)) * reciprocal(kShortMix);
  // x ^ rotl(x, 49) ^ rotl(x, 24) applied 64 times is x, so 63 times is the way back: once, twice,
  // four times and so on, each a step of the same form.
  for (int times = 1; times < 64; times *= 2)
    word ^= std::rotl(word, 49 * times % 64) ^ std::rotl(word, 24 * times % 64);
  word ^= kFlipOfEight;
  return word >> 32 | word << 32;
}

// The one number whose place under mix with seed 0 this is.
constexpr std::uint64_t key_of_mix(std::uint64_t place) {
  using namespace inverse;
  return unfolded(place * reciprocal(kMixSecond), 32) * reciprocal(kMixFirst);
}

}  // namespace bloomery::bench
