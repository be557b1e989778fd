#include "bloomery/hash/murmur3.h"

#include <array>
#include <bit>

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

using test::Bytes;

std::uint64_t slow_avalanche(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

// Byte by byte into two words, which are mixed in whenever both are full.
Hash128 slow_x64_128(ByteView key, std::uint64_t seed) {
  constexpr std::uint64_t kC1 = 0x87c37b91114253d5;
  constexpr std::uint64_t kC2 = 0x4cf5ad432745937f;
  std::uint64_t h1 = seed;
  std::uint64_t h2 = seed;
  std::array<std::uint64_t, 2> k{};
  const auto absorb_first = [&] { h1 ^= std::rotl(k[0] * kC1, 31) * kC2; };
  const auto absorb_second = [&] { h2 ^= std::rotl(k[1] * kC2, 33) * kC1; };
  for (std::size_t i = 0; i < key.size(); ++i) {
    k[i % 16 / 8] |= std::to_integer<std::uint64_t>(key[i]) << (8 * (i % 8));
    if (i % 16 != 15) continue;
    absorb_first();
    h1 = std::rotl(h1, 27) + h2;
    h1 = h1 * 5 + 0x52dce729;
    absorb_second();
    h2 = std::rotl(h2, 31) + h1;
    h2 = h2 * 5 + 0x38495ab5;
    k = {};
  }
  if (key.size() % 16 > 8) absorb_second();
  if (key.size() % 16 > 0) absorb_first();
  h1 ^= key.size();
  h2 ^= key.size();
  h1 += h2;
  h2 += h1;
  h1 = slow_avalanche(h1);
  h2 = slow_avalanche(h2);
  h1 += h2;
  return {h1, h2 + h1};
}

struct Lane32 {
  std::uint32_t factor, next_factor, addend;
  int word_turn, state_turn;
};

constexpr std::array<Lane32, 4> kLanes = {{
    {0x239b961b, 0xab0e9789, 0x561ccd1b, 15, 19},
    {0xab0e9789, 0x38b34ae5, 0x0bcaa747, 16, 17},
    {0x38b34ae5, 0xa1e38b93, 0x96cd1c35, 17, 15},
    {0xa1e38b93, 0x239b961b, 0x32ac3b17, 18, 13},
}};

using State32 = std::array<std::uint32_t, 4>;

std::uint32_t slow_word(std::uint32_t word, const Lane32& lane) {
  return std::rotl(word * lane.factor, lane.word_turn) * lane.next_factor;
}

void add_across(State32& h) {
  h[0] += h[1] + h[2] + h[3];
  for (std::size_t i = 1; i < 4; ++i) h[i] += h[0];
}

Hash128 slow_x86_128(ByteView key, std::uint32_t seed) {
  State32 h{seed, seed, seed, seed};
  State32 k{};
  for (std::size_t i = 0; i < key.size(); ++i) {
    k[i % 16 / 4] |= std::to_integer<std::uint32_t>(key[i]) << (8 * (i % 4));
    if (i % 16 != 15) continue;
    for (std::size_t j = 0; j < 4; ++j) {
      h[j] ^= slow_word(k[j], kLanes[j]);
      h[j] = (std::rotl(h[j], kLanes[j].state_turn) + h[(j + 1) % 4]) * 5 + kLanes[j].addend;
    }
    k = {};
  }
  for (std::size_t j = 0; j < 4; ++j) {
    h[j] ^= slow_word(k[j], kLanes[j]) ^ static_cast<std::uint32_t>(key.size());
  }
  add_across(h);
  for (std::uint32_t& word : h) {
    word ^= word >> 16;
    word *= 0x85ebca6b;
    word ^= word >> 13;
    word *= 0xc2b2ae35;
    word ^= word >> 16;
  }
  add_across(h);
  return {h[0] | (std::uint64_t{h[1]} << 32), h[2] | (std::uint64_t{h[3]} << 32)};
}

TEST(Murmur3, HasSmhashersVerificationValues) {
  EXPECT_EQ(test::smhasher_verification(murmur3_x64_128), 0x6384ba69u);
  EXPECT_EQ(test::smhasher_verification(murmur3_x86_128), 0xb3ece62au);
}

// Digest bytes in order.
TEST(Murmur3, MatchesKnownDigests) {
  const auto x64 = [](std::string_view key) {
    return test::to_hex(test::digest_bytes(murmur3_x64_128(bytes_of(key))));
  };
  EXPECT_EQ(x64(""), "00000000000000000000000000000000");
  EXPECT_EQ(x64("a"), "897859f6655555855a890e51483ab5e6");
  EXPECT_EQ(x64("hello"), "029bbd41b3a7d8cb191dae486a901e5b");
  const auto x86 = [](std::string_view key) {
    return test::to_hex(test::digest_bytes(murmur3_x86_128(bytes_of(key))));
  };
  EXPECT_EQ(x86(""), "00000000000000000000000000000000");
  EXPECT_EQ(x86("a"), "3c9394a71bb056551bb056551bb05655");
  EXPECT_EQ(x86("hello"), "a044242bf7de91dbb631db9ab631db9a");
}

TEST(Murmur3, X64EqualsTheSlowReference) {
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{0x9747b28c}, ~std::uint64_t{0}}) {
    test::expect_same_for_all_lengths([seed](ByteView key) { return murmur3_x64_128(key, seed); },
                                      [seed](ByteView key) { return slow_x64_128(key, seed); });
  }
}

TEST(Murmur3, X86EqualsTheSlowReference) {
  for (const std::uint32_t seed : {0u, 0x9747b28cu, 0xffffffffu}) {
    test::expect_same_for_all_lengths([seed](ByteView key) { return murmur3_x86_128(key, seed); },
                                      [seed](ByteView key) { return slow_x86_128(key, seed); });
  }
}

TEST(Murmur3, TwiceEqualsHashingTheKeyAndTheLongerKey) {
  for (const std::byte suffix : {std::byte{0}, std::byte{1}, std::byte{0xff}}) {
    test::expect_same_for_all_lengths(
        [suffix](ByteView key) { return murmur3_x64_128_twice(key, suffix); },
        [suffix](ByteView key) {
          Bytes longer(key.begin(), key.end());
          longer.push_back(suffix);
          return Murmur3Twice{slow_x64_128(key, 0), slow_x64_128(longer, 0)};
        });
  }
}

}  // namespace
}  // namespace bloomery
