#include "bloomery/filter/block/auto_sized.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;  // 4096 hashes, 8192 blocks

// In batches, as records come.
void add(AutoSizedBlock& block, std::uint64_t first, std::uint64_t count) {
  constexpr std::uint64_t kBatch = 1000;
  for (std::uint64_t at = first; at < first + count; at += kBatch) {
    std::vector<std::string> texts;
    for (std::uint64_t i = at; i < std::min(at + kBatch, first + count); ++i)
      texts.push_back(std::to_string(i));
    std::vector<ByteView> keys;
    for (const std::string& text : texts) keys.push_back(bytes_of(text));
    block.add(keys);
  }
}
BlockFilter built(std::uint64_t keys, double rate = 0.01) {
  auto block = AutoSizedBlock::create({}, rate, {}, kMemory);
  EXPECT_TRUE(block);
  add(*block, 0, keys);
  auto filter = block->finish();
  EXPECT_TRUE(filter);
  return std::move(*filter);
}
std::uint64_t lost(const BlockFilter& filter, std::uint64_t keys) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < keys; ++i)
    count += filter.may_contain(bytes_of(std::to_string(i))) ? 0 : 1;
  return count;
}

TEST(AutoSizedBlock, FewKeysGetExactlyTheirSize) {
  for (const std::uint64_t keys : {1U, 999U, 4096U}) {
    const BlockFilter filter = built(keys);
    EXPECT_EQ(filter.block_shape(), *block_shape_for({keys, 0.01}));
    EXPECT_EQ(filter.provenance().goal, (Goal{keys, 0.01}));
    EXPECT_EQ(filter.provenance().keys_inserted, keys);
    EXPECT_EQ(lost(filter, keys), 0U);
  }
}

TEST(AutoSizedBlock, NoKeyAtAllMakesTheSmallestFilter) {
  const BlockFilter filter = built(0);
  EXPECT_EQ(filter.block_shape().blocks, 1U);
  EXPECT_FALSE(filter.may_contain(bytes_of("")));
}

TEST(AutoSizedBlock, RepeatedKeysTakeNoRoom) {
  auto block = AutoSizedBlock::create({}, 0.01, {}, kMemory);
  ASSERT_TRUE(block);
  for (int i = 0; i < 20; ++i) add(*block, 0, 1000);
  const auto filter = block->finish();
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->block_shape(), *block_shape_for({1000, 0.01}));
  EXPECT_EQ(lost(*filter, 1000), 0U);
}

TEST(AutoSizedBlock, ManyKeysAreFoldedAsFarAsTheRateAllows) {
  for (const double rate : {0.01, 0.1}) {
    const BlockFilter filter = built(20000, rate);
    EXPECT_EQ(lost(filter, 20000), 0U);
    EXPECT_LE(filter.health().error_rate, rate);
    EXPECT_LT(filter.block_shape().blocks, 8192U);
    EXPECT_GT(filter.fold(2)->health().error_rate, rate) << "a smaller one would do";
    EXPECT_EQ(filter.provenance().goal->false_positive_rate, rate);
    EXPECT_GE(filter.provenance().goal->keys, 19000U);
    EXPECT_EQ(filter.health().verdict, Verdict::kOk);
  }
}

TEST(AutoSizedBlock, TooManyKeysFillTheLargestFilterAndItSaysSo) {
  const BlockFilter filter = built(600000);
  EXPECT_EQ(filter.block_shape().blocks, 8192U);
  EXPECT_NE(filter.health().verdict, Verdict::kOk);
  EXPECT_EQ(lost(filter, 600000), 0U);
}

TEST(AutoSizedBlock, KeepsItsMemoryAndTheProbesAskedFor) {
  const auto block = AutoSizedBlock::create({}, 0.01, 8, std::uint64_t{3} << 30);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->largest(), (BlockShape{std::uint64_t{1} << 25, 8}));  // 2 GiB, and half to fold
  EXPECT_EQ(block->most_kept() * sizeof(Hash128), std::uint64_t{3} << 26);
  EXPECT_EQ(
      AutoSizedBlock::create({}, 0.01, {}, std::uint64_t{1} << 40)->most_kept() * sizeof(Hash128),
      AutoSizedBlock::kMostKeptBytes);
  EXPECT_FALSE(AutoSizedBlock::create({}, 0.01, 3, kMemory));
  EXPECT_FALSE(AutoSizedBlock::create({}, 0.0, {}, kMemory));
  EXPECT_EQ(AutoSizedBlock::create({}, 0.01, {}, 64).error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace bloomery
