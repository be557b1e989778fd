#include "bloomery/layout/part.h"

#include <gtest/gtest.h>

#include <random>

namespace bloomery {
namespace {

TEST(Part, PartsFollowOneAnotherAndLeaveNoBlockOut) {
  for (const std::uint64_t blocks : {7ULL, 64ULL, 1000ULL, 4097ULL, 1ULL << 39})
    for (const std::uint32_t parts : {1U, 2U, 3U, 7U, 64U, 4096U, kMaxParts}) {
      if (parts > blocks) continue;
      std::uint64_t next = 0;
      for (std::uint32_t i = 0; i < parts; ++i) {
        const PartRange range = blocks_of({i, parts}, blocks);
        ASSERT_EQ(range.first, next) << i << " of " << parts;
        ASSERT_GT(range.end, range.first) << i << " of " << parts;
        ASSERT_LE(range.size(), blocks / parts + 1);
        next = range.end;
      }
      ASSERT_EQ(next, blocks) << parts;
    }
}

// In words: floor(i * B / N), with a number of bits that no product exceeds.
TEST(Part, FirstBlockIsTheFloorOfTheShare) {
  EXPECT_EQ(first_block_of({1, 3}, 10), 3U);
  EXPECT_EQ(first_block_of({2, 3}, 10), 6U);
  EXPECT_EQ(first_block_of({kMaxParts - 1, kMaxParts}, UINT64_MAX),
            UINT64_MAX - UINT64_MAX / kMaxParts - 1);
}

TEST(Part, PartOfBlockIsTheInverseOfItsRange) {
  std::mt19937_64 random{5};
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t blocks = random() % kMaxBlocks + 1;
    const auto parts =
        static_cast<std::uint32_t>(random() % std::min<std::uint64_t>(blocks, kMaxParts) + 1);
    const std::uint64_t block = random() % blocks;
    const std::uint32_t part = part_of_block(block, blocks, parts);
    ASSERT_LT(part, parts);
    ASSERT_TRUE(blocks_of({part, parts}, blocks).holds(block))
        << block << " of " << blocks << " in " << parts;
  }
  for (std::uint32_t parts = 1; parts <= 40; ++parts)
    for (std::uint64_t block = 0; block < 40; ++block)
      EXPECT_TRUE(blocks_of({part_of_block(block, 40, parts), parts}, 40).holds(block));
}

TEST(Part, RangeHoldsItsBlocksOnly) {
  const PartRange range{10, 20};
  EXPECT_FALSE(range.holds(9));
  EXPECT_TRUE(range.holds(10));
  EXPECT_TRUE(range.holds(19));
  EXPECT_FALSE(range.holds(20));
  EXPECT_FALSE(range.holds(UINT64_MAX));
}

TEST(Part, NumbersThatAreNoPartAreRefused) {
  EXPECT_TRUE(checked(Part{63, 64}, 64));
  EXPECT_EQ(checked(Part{64, 64}, 640).error().message,
            "there is no part 64 of 64: parts are counted from 0 to 63");
  EXPECT_EQ(checked(Part{0, 0}, 640).error().message, "a filter has 1 to 1048576 parts, not 0");
  EXPECT_EQ(checked(Part{0, 65}, 64).error().message,
            "a filter of 64 blocks cannot have 65 parts: every part holds at least one block");
  EXPECT_FALSE(checked(Part{0, kMaxParts + 1}, kMaxBlocks));
}

TEST(Part, BytesOfPartsAreThoseOfTheFilter) {
  const BlockShape seeded{1001, 6, true};
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < 7; ++i) sum += part_bytes(seeded, {i, 7});
  EXPECT_EQ(sum, seeded.bytes());
}

}  // namespace
}  // namespace bloomery
