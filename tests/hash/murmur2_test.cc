#include "bloomery/hash/murmur2.h"

#include <array>

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

// Byte by byte, the word so far in `word`.
std::uint64_t slow_murmur2_64a(ByteView key, std::uint64_t seed) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  std::uint64_t hash = seed ^ (key.size() * kFactor);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    word |= std::to_integer<std::uint64_t>(key[i]) << (8 * (i % 8));
    if (i % 8 != 7) continue;
    word *= kFactor;
    word ^= word >> 47;
    word *= kFactor;
    hash ^= word;
    hash *= kFactor;
    word = 0;
  }
  if (key.size() % 8 != 0) hash = (hash ^ word) * kFactor;
  hash ^= hash >> 47;
  hash *= kFactor;
  return hash ^ (hash >> 47);
}

std::uint32_t slow_murmur2_32(ByteView key, std::uint32_t seed) {
  constexpr std::uint32_t kFactor = 0x5bd1e995;
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(key.size());
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    word |= std::to_integer<std::uint32_t>(key[i]) << (8 * (i % 4));
    if (i % 4 != 3) continue;
    word *= kFactor;
    word ^= word >> 24;
    word *= kFactor;
    hash *= kFactor;
    hash ^= word;
    word = 0;
  }
  if (key.size() % 4 != 0) hash = (hash ^ word) * kFactor;
  hash ^= hash >> 13;
  hash *= kFactor;
  return hash ^ (hash >> 15);
}

TEST(Murmur2, HasSmhashersVerificationValues) {
  EXPECT_EQ(test::smhasher_verification(murmur2_64a), 0x1f0d3804u);
  EXPECT_EQ(test::smhasher_verification(murmur2_32), 0x27864c1eu);
}

struct ReseededVector {
  std::string_view key;
  std::uint64_t first;   // seed 0xc6a4a7935bd1e995
  std::uint64_t second;  // seeded with the first
  std::uint64_t unseeded;
};

// Seen in RedisBloom 8 (the first two address a Bloom filter, the last a cuckoo filter).
constexpr std::array<ReseededVector, 5> kReseeded = {{
    {"", 0x1ab11ea5a7b2c56e, 0xbbddcb5ab56dd547, 0x0000000000000000},
    {"a", 0x4292cee227b9150a, 0x7e9b527031f50c11, 0x071717d2d36b6b11},
    {"foo", 0x822b4f99b121f10d, 0x9d63d52a557f61c2, 0xcdde38358fd25b01},
    {"hello world", 0xbae8fb35317acde1, 0xa5c3078260d44436, 0xd3ba2368a832afce},
    {"key:0123456789abcdef", 0x0d0d66b50b80efc3, 0x941b861b680cc244, 0xcab73f671de3a423},
}};

TEST(Murmur2, SixtyFourAMatchesReseededVectors) {
  for (const ReseededVector& vector : kReseeded) {
    const ByteView key = bytes_of(vector.key);
    EXPECT_EQ(murmur2_64a(key, 0xc6a4a7935bd1e995), vector.first) << vector.key;
    EXPECT_EQ(murmur2_64a(key, vector.first), vector.second) << vector.key;
    EXPECT_EQ(murmur2_64a(key, 0), vector.unseeded) << vector.key;
  }
}

TEST(Murmur2, SixtyFourAEqualsTheSlowReference) {
  for (const std::uint64_t seed : {std::uint64_t{0}, 0xc6a4a7935bd1e995, ~std::uint64_t{0}}) {
    test::expect_same_for_all_lengths([seed](ByteView key) { return murmur2_64a(key, seed); },
                                      [seed](ByteView key) { return slow_murmur2_64a(key, seed); });
  }
}

TEST(Murmur2, ThirtyTwoEqualsTheSlowReference) {
  for (const std::uint32_t seed : {0u, 0x9747b28cu, 0xffffffffu}) {
    test::expect_same_for_all_lengths([seed](ByteView key) { return murmur2_32(key, seed); },
                                      [seed](ByteView key) { return slow_murmur2_32(key, seed); });
  }
}

}  // namespace
}  // namespace bloomery
