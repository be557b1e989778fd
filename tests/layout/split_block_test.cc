#include "bloomery/layout/split_block.h"

#include <gtest/gtest.h>

#include <bit>

namespace bloomery::split_block {
namespace {

TEST(SplitBlock, EveryHashSetsOneBitInEachWord) {
  for (std::uint64_t hash = 1; hash != 0; hash <<= 1)
    for (std::uint32_t word = 0; word < kWordsPerBlock; ++word)
      EXPECT_EQ(std::popcount(word_mask(hash, word)), 1);
}

// XXH64("hello") = 26c7827d889f6da3; bits worked out by hand from the salts.
TEST(SplitBlock, PlacesAKnownHash) {
  constexpr std::uint64_t kHash = 0x26c7827d889f6da3;
  static_assert(block_of(kHash, 1) == 0);
  static_assert(block_of(kHash, 32) == 4);  // 0x26c7827d / 2^32 is 0.1515 of 32
  static_assert(block_of(UINT64_MAX, 41) == 40);
  static_assert(word_mask(kHash, 0) == std::uint32_t{1} << ((0x889f6da3U * 0x47b6137bU) >> 27));
  EXPECT_EQ(word_mask(0, 7), 1U);
}

TEST(SplitBlock, TheSaltsAreThoseOfParquetsSpecification) {
  constexpr std::uint32_t kSpecified[] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                          0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
  for (std::uint32_t word = 0; word < 8; ++word)
    EXPECT_EQ(split_block::salt(word), kSpecified[word]) << word;
}

}  // namespace
}  // namespace bloomery::split_block
