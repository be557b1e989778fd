#include "bench/scale_sim/inverse_hash.h"

#include <gtest/gtest.h>

#include "bloomery/base/endian.h"
#include "bloomery/base/split_mix.h"
#include "bloomery/hash/profile.h"

namespace bloomery::bench {
namespace {

constexpr int kTimes = 20'000;

Hash128 digest_of(Key16 key) {
  std::array<std::byte, 16> bytes;
  store_le(bytes.data(), key.low);
  store_le(bytes.data() + 8, key.high);
  return Hasher{Profile::kXxh3}(ByteView{bytes});
}

// Both ways round: the function is one to one, and this is its inverse.
TEST(InverseHash, LeadsFromEveryDigestOfXxh3ToItsKey) {
  internal::SplitMix64 random{1};
  for (int i = 0; i < kTimes; ++i) {
    const Hash128 digest{random(), random()};
    EXPECT_EQ(digest_of(key_of_xxh3_128(digest)), digest);
    const Key16 key{random(), random()};
    EXPECT_EQ(key_of_xxh3_128(digest_of(key)), key);
  }
}

TEST(InverseHash, LeadsFromEveryHashOfXxh3With64BitsToItsKey) {
  internal::SplitMix64 random{2};
  const Hasher hasher{Profile::kXxh3_64};
  for (int i = 0; i < kTimes; ++i) {
    const std::uint64_t word = random();
    EXPECT_EQ(hasher(key_of_xxh3_64(word)).low, word);
    EXPECT_EQ(key_of_xxh3_64(hasher(word).low), word);
  }
}

TEST(InverseHash, LeadsFromEveryPlaceOfMixToItsKey) {
  internal::SplitMix64 random{3};
  for (int i = 0; i < kTimes; ++i) {
    const std::uint64_t word = random();
    EXPECT_EQ(mix_u64(key_of_mix(word), 0).low, word);
    EXPECT_EQ(key_of_mix(mix_u64(word, 0).low), word);
  }
}

TEST(InverseHash, KnowsTheEndsOfTheRange) {
  for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_EQ(digest_of(key_of_xxh3_128({word, ~word})), (Hash128{word, ~word}));
    EXPECT_EQ(Hasher{Profile::kXxh3_64}(key_of_xxh3_64(word)).low, word);
    EXPECT_EQ(mix_u64(key_of_mix(word), 0).low, word);
  }
}

}  // namespace
}  // namespace bloomery::bench
