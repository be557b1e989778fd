#include "bloomery/filter/seeded/partitions.h"

#include <gtest/gtest.h>

#include "tests/base/scratch_folder.h"

namespace bloomery::internal {
namespace {

std::vector<Hash128> hashes(std::size_t count) {
  std::vector<Hash128> made(count);
  for (std::uint64_t i = 0; i < count; ++i)
    made[i] = {(i + 1) * 0x9e3779b97f4a7c15, i * 0xbf58476d1ce4e5b9};
  return made;
}

std::vector<Hash128> all_of(const SeededPartitions& partitions, std::uint64_t blocks) {
  std::vector<Hash128> all;
  SeededPartition partition;
  for (std::size_t i = 0; i < partitions.count(); ++i) {
    EXPECT_TRUE(partitions.read(i, partition));
    for (const auto piece : partition.pieces)
      for (const Hash128& hash : piece) {
        const std::uint64_t number = block::block_of(hash.low, blocks);
        EXPECT_GE(number, partitions.first_block(i));
        EXPECT_LT(number, partitions.end_block(i));
        all.push_back(hash);
      }
  }
  return all;
}

TEST(SeededPartitions, HoldEveryHashInItsRangeInMemoryAndBeyondIt) {
  const ScratchFolder folder;
  for (const std::uint64_t blocks : {1U, 255U, 256U, 257U, 5000U, 3'000'000U})
    for (const std::uint64_t memory : {0U, 200'000U, 1U << 24}) {
      SeededPartitions partitions{blocks, memory, folder.path()};
      EXPECT_LE(partitions.count(), 4096U);
      EXPECT_EQ(partitions.end_block(partitions.count() - 1), blocks);
      const auto added = hashes(20'000);
      ASSERT_TRUE(partitions.add(std::span{added}.first(7)));
      ASSERT_TRUE(partitions.add(std::span{added}.subspan(7)));
      auto held = all_of(partitions, blocks);
      EXPECT_EQ(held.size(), added.size());
      auto expected = added;
      remove_duplicates(held);
      remove_duplicates(expected);
      EXPECT_TRUE(held == expected) << blocks << " blocks, " << memory << " bytes";
    }
}

// The same few keys for ever must not need the memory of all of them.
TEST(SeededPartitions, ReadBackFewHashesWhereTheyAreTheSame) {
  const ScratchFolder folder;
  SeededPartitions partitions{100, 1 << 20, folder.path()};
  const std::vector<Hash128> same(1000, Hash128{1, 2});
  for (std::size_t i = 0; i < 4500; ++i) ASSERT_TRUE(partitions.add(same));
  SeededPartition partition;
  ASSERT_TRUE(partitions.read(0, partition));
  EXPECT_GE(partition.read_back.size(), 1U);
  EXPECT_LT(partition.read_back.size(), 500'000U);
}

TEST(SeededPartitions, DuplicatesAreRemoved) {
  std::vector<Hash128> some = {{2, 1}, {1, 2}, {2, 1}, {1, 1}, {1, 2}};
  remove_duplicates(some);
  EXPECT_TRUE((some == std::vector<Hash128>{{1, 1}, {1, 2}, {2, 1}}));
}

}  // namespace
}  // namespace bloomery::internal
