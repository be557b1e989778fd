#include "bloomery/hash/xxh.h"

#include <xxhash.h>

#include <array>
#include <bit>

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

using test::Bytes;

constexpr std::uint64_t kPrime32 = 2654435761;
constexpr std::uint64_t kPrime64 = 11400714785074694797u;

// The buffer that xxHash's published sanity values refer to: top bytes of a geometric sequence.
Bytes sanity_bytes(std::size_t size) {
  Bytes bytes(size);
  std::uint64_t term = kPrime32;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(term >> 56);
    term *= kPrime64;
  }
  return bytes;
}

struct Vector64 {
  std::size_t size;
  std::uint64_t seed;
  std::uint64_t hash;
};
struct Vector128 {
  std::size_t size;
  std::uint64_t seed;
  Hash128 hash;
};

constexpr std::array<Vector64, 8> kXxh64 = {{
    {0, 0, 0xef46db3751d8e999},
    {0, kPrime32, 0xac75fda2929b17ef},
    {1, 0, 0xe934a84adb052768},
    {4, 0, 0x9136a0dca57457ee},
    {14, 0, 0x8282dcc4994e35c8},
    {14, kPrime32, 0xc3bd6bf63deb6df0},
    {222, 0, 0xb641ae8cb691c174},
    {222, kPrime32, 0x20cb8ab7ae10c14a},
}};

// One for each branch of XXH3: 0, 1-3, 4-8, 9-16, 17-128, 129-240 bytes and more.
constexpr std::array<Vector64, 10> kXxh3 = {{
    {0, 0, 0x2d06800538d394c2},
    {0, kPrime64, 0xa8a6b918b2f0364a},
    {1, kPrime64, 0x032be332dd766ef8},
    {6, 0, 0x27b56a84cd2d7325},
    {12, kPrime64, 0xe7303e1b2336de0e},
    {24, 0, 0xa3fe70bf9d3510eb},
    {80, kPrime64, 0xc6dd0cb699532e73},
    {195, 0, 0xcd94217ee362ec3a},
    {512, kPrime64, 0x3ce457de14c27708},
    {2367, 0, 0xcb37aeb9e5d361ed},
}};

constexpr std::array<Vector128, 10> kXxh128 = {{
    {0, 0, {0x6001c324468d497f, 0x99aa06d3014798d8}},
    {0, kPrime32, {0x5444f7869c671ab0, 0x92220ae55e14ab50}},
    {1, 0, {0xc44bdff4074eecdb, 0xa6cd5e9392000f6a}},
    {6, kPrime32, {0x269d8f70be98856e, 0x5a865b5389abd2b1}},
    {12, 0, {0x061a192713f69ad9, 0x6e3efd8fc7802b18}},
    {24, kPrime32, {0xd7304c54ebad40a9, 0x3162026714a6a243}},
    {81, 0, {0x5e8bafb9f95fb803, 0x4952f58181ab0042}},
    {222, kPrime32, {0xae995bb8af917a8d, 0x91820016621e97f1}},
    {512, kPrime64, {0x3ce457de14c27708, 0x925d06b8ec5b8040}},
    {2367, 0, {0xcb37aeb9e5d361ed, 0xe89c0f6ff369b427}},
}};

TEST(Xxh, MatchesThePublishedVectors) {
  for (const Vector64& vector : kXxh64) {
    EXPECT_EQ(xxh64(sanity_bytes(vector.size), vector.seed), vector.hash) << vector.size;
  }
  for (const Vector64& vector : kXxh3) {
    EXPECT_EQ(xxh3_64(sanity_bytes(vector.size), vector.seed), vector.hash) << vector.size;
  }
  for (const Vector128& vector : kXxh128) {
    EXPECT_EQ(xxh3_128(sanity_bytes(vector.size), vector.seed), vector.hash) << vector.size;
  }
}

constexpr std::uint64_t kP1 = 11400714785074694791u;
constexpr std::uint64_t kP2 = 14029467366897019727u;
constexpr std::uint64_t kP3 = 1609587929392839161u;
constexpr std::uint64_t kP4 = 9650029242287828579u;
constexpr std::uint64_t kP5 = 2870177450012600261u;

std::uint64_t slow_round(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kP2, 31) * kP1;
}

std::uint64_t slow_word(ByteView bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    word = (word << 8) | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return word;
}

// The state after all full stripes of 32 bytes, which `rest` is left without.
std::uint64_t slow_stripes(ByteView& rest, std::uint64_t seed) {
  if (rest.size() < 32) return seed + kP5;
  std::array<std::uint64_t, 4> lanes{seed + kP1 + kP2, seed + kP2, seed, seed - kP1};
  for (; rest.size() >= 32; rest = rest.subspan(32)) {
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = slow_round(lanes[i], slow_word(rest.subspan(8 * i, 8)));
    }
  }
  std::uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                       std::rotl(lanes[3], 18);
  for (const std::uint64_t lane : lanes) hash = (hash ^ slow_round(0, lane)) * kP1 + kP4;
  return hash;
}

std::uint64_t slow_xxh64(ByteView key, std::uint64_t seed) {
  ByteView rest = key;
  std::uint64_t hash = slow_stripes(rest, seed) + key.size();
  for (; rest.size() >= 8; rest = rest.subspan(8)) {
    hash = std::rotl(hash ^ slow_round(0, slow_word(rest.first(8))), 27) * kP1 + kP4;
  }
  if (rest.size() >= 4) {
    hash = std::rotl(hash ^ (slow_word(rest.first(4)) * kP1), 23) * kP2 + kP3;
    rest = rest.subspan(4);
  }
  for (const std::byte byte : rest) {
    hash = std::rotl(hash ^ (std::to_integer<std::uint64_t>(byte) * kP5), 11) * kP1;
  }
  hash = (hash ^ (hash >> 33)) * kP2;
  hash = (hash ^ (hash >> 29)) * kP3;
  return hash ^ (hash >> 32);
}

TEST(Xxh, Xxh64EqualsTheSlowReference) {
  for (const std::uint64_t seed : {std::uint64_t{0}, kPrime64}) {
    test::expect_same_for_all_lengths([seed](ByteView key) { return xxh64(key, seed); },
                                      [seed](ByteView key) { return slow_xxh64(key, seed); });
  }
}

// Our copy is compiled inline; this program also links the library that Debian compiled.
TEST(Xxh, Xxh3EqualsTheInstalledLibrary) {
  for (const std::uint64_t seed : {std::uint64_t{0}, kPrime64}) {
    test::expect_same_for_all_lengths(
        [seed](ByteView key) { return xxh3_64(key, seed); },
        [seed](ByteView key) { return XXH3_64bits_withSeed(key.data(), key.size(), seed); });
    test::expect_same_for_all_lengths([seed](ByteView key) { return xxh3_128(key, seed); },
                                      [seed](ByteView key) {
                                        const XXH128_hash_t hash =
                                            XXH3_128bits_withSeed(key.data(), key.size(), seed);
                                        return Hash128{hash.low64, hash.high64};
                                      });
  }
}

TEST(Xxh, SeedDefaultsToZero) {
  EXPECT_EQ(xxh64(bytes_of("abc")), 0x44bc2cf5ad770999u);
  EXPECT_EQ(xxh3_64(bytes_of("abc")), xxh3_64(bytes_of("abc"), 0));
  EXPECT_EQ(xxh3_128(bytes_of("abc")), xxh3_128(bytes_of("abc"), 0));
  EXPECT_NE(xxh3_128(bytes_of("abc")), xxh3_128(bytes_of("abc"), 1));
}

}  // namespace
}  // namespace bloomery
