#include "bloomery/filter/block/split_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace bloomery {
namespace {

std::vector<std::uint64_t> hashes(std::uint64_t from, std::size_t size) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = from; i < from + size; ++i) {  // splitmix64
    std::uint64_t x = i * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    out.push_back(x ^ (x >> 31));
  }
  return out;
}

SplitBlockFilter filled(std::uint64_t blocks, std::uint64_t from, std::size_t size) {
  SplitBlockFilter filter{blocks};
  for (const std::uint64_t hash : hashes(from, size)) filter.insert(hash);
  return filter;
}

TEST(SplitBlockFilter, SetsExactlyTheBitsOfItsDefinition) {
  for (const std::uint64_t blocks : {1, 2, 3, 16, 17, 41}) {
    SplitBlockFilter filter{blocks};
    std::vector<std::uint32_t> words(blocks * 8);
    for (const std::uint64_t hash : hashes(7, 100)) {
      filter.insert(hash);
      for (std::uint32_t i = 0; i < 8; ++i)
        words[split_block::block_of(hash, blocks) * 8 + i] |= split_block::word_mask(hash, i);
    }
    EXPECT_TRUE(std::ranges::equal(filter.bytes(), std::as_bytes(std::span{words}))) << blocks;
  }
}

TEST(SplitBlockFilter, BatchesGiveTheBitsAndAnswersOfSingleKeys) {
  for (const std::size_t size : {0, 1, 7, 8, 9, 31, 32, 33, 1000}) {
    const auto in = hashes(1, size);
    SplitBlockFilter one{37};
    SplitBlockFilter batch{37};
    std::vector<std::uint8_t> is_new(size);
    std::size_t added = 0;
    for (const std::uint64_t hash : in) added += one.insert(hash) ? 1 : 0;
    EXPECT_EQ(batch.insert_batch(in, is_new), added);
    EXPECT_TRUE(one == batch);
    EXPECT_EQ(batch.provenance().keys_inserted, added);
    const auto asked = hashes(1, size + 500);
    std::vector<std::uint8_t> answers(asked.size());
    batch.may_contain_batch(asked, answers);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      EXPECT_EQ(answers[i] == 1, one.may_contain(asked[i]));
      if (i < size) {
        EXPECT_EQ(answers[i], 1);
      }
    }
  }
}

TEST(SplitBlockFilter, HealthKnowsTheRateAndTheKeys) {
  const SplitBlockFilter filter = filled(1000, 1, 20'000);
  std::size_t passed = 0;
  constexpr std::size_t kAsked = 400'000;
  for (const std::uint64_t hash : hashes(1'000'000, kAsked))
    passed += filter.may_contain(hash) ? 1 : 0;
  const Health health = filter.health();
  const double measured = static_cast<double>(passed) / kAsked;
  EXPECT_NEAR(health.error_rate, measured, 4 * std::sqrt(measured / kAsked));
  EXPECT_NEAR(health.estimated_keys, 20'000, 400);
  EXPECT_FALSE(health.sampled);
  EXPECT_EQ(SplitBlockFilter{3}.health().error_rate, 0);
}

TEST(SplitBlockFilter, HealthOfAFullFilterIsSaturatedAndFinite) {
  SplitBlockFilter filter{2};
  std::ranges::fill(filter.bytes(), std::byte{0xff});
  const Health health = filter.health();
  EXPECT_EQ(health.error_rate, 1);
  EXPECT_EQ(health.verdict, Verdict::kSaturated);
  EXPECT_TRUE(std::isfinite(health.estimated_keys));
}

TEST(SplitBlockFilter, HealthOfALargeFilterIsSampledAndSaysSo) {
  constexpr std::uint64_t kBlocks = (std::uint64_t{64} << 20) / 32 + 1;
  SplitBlockFilter filter{kBlocks};
  for (const std::uint64_t hash : hashes(1, 100'000)) filter.insert(hash);
  const Health health = filter.health();
  EXPECT_TRUE(health.sampled);
  EXPECT_NEAR(health.estimated_keys, 100'000, 2'000);
}

TEST(SplitBlockFilter, HealthOfUpTo64MebibytesIsNotSampled) {
  constexpr std::uint64_t kBlocks = (std::uint64_t{64} << 20) / 32;
  EXPECT_FALSE(SplitBlockFilter{kBlocks}.health().sampled);
}

TEST(SplitBlockFilter, FoldedFilterIsTheFilterOfTheSameKeysInFewerBlocks) {
  for (const auto& [blocks, factor] : {std::pair{64, 4}, {60, 3}, {41, 41}, {7, 1}}) {
    const auto folded =
        filled(static_cast<std::uint64_t>(blocks), 1, 300).fold(static_cast<std::uint64_t>(factor));
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_TRUE(*folded == filled(static_cast<std::uint64_t>(blocks / factor), 1, 300));
  }
  EXPECT_FALSE(SplitBlockFilter{64}.fold(3));
  EXPECT_FALSE(SplitBlockFilter{64}.fold(0));
}

TEST(SplitBlockFilter, MergeEqualsInsertingBothAndIntersectKeepsTheCommonKeys) {
  SplitBlockFilter merged = filled(50, 1, 100);
  ASSERT_TRUE(merged.merge(filled(50, 51, 100)));
  EXPECT_TRUE(merged == filled(50, 1, 150));
  EXPECT_TRUE(*filled(50, 1, 100).is_subset_of(merged));
  EXPECT_FALSE(*merged.is_subset_of(filled(50, 1, 100)));
  SplitBlockFilter common = filled(50, 1, 100);
  ASSERT_TRUE(common.intersect(filled(50, 51, 100)));
  for (const std::uint64_t hash : hashes(51, 50)) EXPECT_TRUE(common.may_contain(hash));
  EXPECT_LT(*common.provenance().keys_inserted, 100U);
  EXPECT_FALSE(merged.merge(SplitBlockFilter{51}));
  EXPECT_FALSE(merged.intersect(SplitBlockFilter{51}));
  EXPECT_FALSE(merged.is_subset_of(SplitBlockFilter{51}));
}

TEST(SplitBlockFilter, CloneIsEqualAndIndependent) {
  SplitBlockFilter filter = filled(50, 1, 100);
  const SplitBlockFilter copy = filter.clone();
  EXPECT_TRUE(copy == filter);
  EXPECT_EQ(copy.blocks(), 50U);
  filter.reset();
  EXPECT_FALSE(copy == filter);
  EXPECT_EQ(filter.provenance().keys_inserted, 0U);
  EXPECT_TRUE(filter == SplitBlockFilter{50});
}

}  // namespace
}  // namespace bloomery
