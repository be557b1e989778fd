#include "bloomery/filter/block/health.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bloomery/filter/block/block.h"
#include "tests/filter/random_hashes.h"
#include "tests/full_run.h"

namespace bloomery {
namespace {

using testing::random_hashes;

constexpr std::uint64_t kBlocks = 2000;

double keys_for_fill(double fill, std::uint32_t probes) {
  return -std::log1p(-fill) * static_cast<double>(kBlocks * block::kBlockBits) / probes;
}

BlockFilter filled(std::uint32_t probes, std::size_t keys) {
  BlockFilter filter{BlockShape{kBlocks, probes}};
  const auto hashes = random_hashes(keys, keys);
  filter.insert_batch(std::span<const Hash128>{hashes});
  return filter;
}

double asked_rate(const BlockFilter& filter, const std::vector<Hash128>& absent) {
  std::vector<std::uint8_t> answers(absent.size());
  const std::size_t maybes = filter.may_contain_batch(std::span<const Hash128>{absent}, answers);
  return static_cast<double>(maybes) / static_cast<double>(absent.size());
}

TEST(BlockHealth, TheRateIsTheOneThatAbsentKeysFindAtEveryFill) {
  const auto absent = random_hashes(testing::full_run() ? 20'000'000 : 1'500'000, 1);
  for (const std::uint32_t probes : {4U, 5U, 6U, 7U, 8U})
    for (const double fill : {0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95}) {
      const BlockFilter filter =
          filled(probes, static_cast<std::size_t>(keys_for_fill(fill, probes)));
      const Health health = filter.health();
      const double noise = 4 * std::sqrt(health.error_rate / static_cast<double>(absent.size()));
      EXPECT_NEAR(health.fill, fill, 0.005);
      EXPECT_NEAR(asked_rate(filter, absent), health.error_rate, noise)
          << probes << " probes, fill " << fill;
      EXPECT_FALSE(health.sampled);
    }
}

TEST(BlockHealth, TheKeysAreEstimatedWithinTwoPercentUpToNineTenths) {
  for (const std::uint32_t probes : {4U, 5U, 6U, 7U, 8U})
    for (const double fill : {0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9}) {
      const auto keys = static_cast<std::size_t>(keys_for_fill(fill, probes));
      const double estimated = filled(probes, keys).health().estimated_keys;
      EXPECT_NEAR(estimated / static_cast<double>(keys), 1, 0.02)
          << probes << " probes, fill " << fill;
    }
}

// The blocks as a builder would leave them: each with the emptiest of all window sets.
std::vector<block::BlockMask> best_blocks(std::uint32_t probes, std::size_t keys) {
  std::vector<std::vector<Hash128>> in_block(kBlocks);
  for (const Hash128 hash : random_hashes(keys, keys))
    in_block[block::block_of(hash.low, kBlocks)].push_back(hash);
  std::vector<block::BlockMask> blocks(kBlocks);
  for (std::size_t i = 0; i < kBlocks; ++i)
    simd::active_block_kernels().best_windows(in_block[i].data(), in_block[i].size(), probes,
                                              block::kWindowSets, blocks[i]);
  return blocks;
}

TEST(BlockHealth, TheKeysOfSeededFiltersAreEstimatedWithinTwoPercent) {
  for (const std::uint32_t probes : {4U, 5U, 6U, 7U, 8U})
    for (const double fill : {0.1, 0.3, 0.5, 0.7, 0.8, 0.9}) {
      const auto keys = static_cast<std::size_t>(keys_for_fill(fill, probes));
      const auto blocks = best_blocks(probes, keys);
      const Health health =
          block_health({kBlocks, probes, true}, std::as_bytes(std::span{blocks}), {});
      EXPECT_NEAR(health.estimated_keys / static_cast<double>(keys), 1, 0.02)
          << probes << " probes, fill " << fill;
    }
}

TEST(BlockHealth, KnowsTheExtremes) {
  for (const std::uint32_t probes : {4U, 8U}) {
    BlockFilter filter{BlockShape{3, probes}};
    const Health empty = filter.health();
    EXPECT_EQ(empty.fill, 0);
    EXPECT_EQ(empty.error_rate, 0);
    EXPECT_EQ(empty.estimated_keys, 0);
    EXPECT_EQ(empty.verdict, Verdict::kOk);
    std::ranges::fill(filter.bytes(), std::byte{0xff});
    const Health full = filter.health();
    EXPECT_EQ(full.fill, 1);
    EXPECT_EQ(full.error_rate, 1);
    EXPECT_TRUE(std::isfinite(full.estimated_keys));
    EXPECT_GT(full.estimated_keys, 3 * 512 / 8);
    EXPECT_EQ(full.verdict, Verdict::kSaturated);
  }
}

// One sector of each block empty: with eight probes nothing passes, with four some patterns do.
TEST(BlockHealth, ASectorThatIsEmptyCountsForThePatternsThatUseIt) {
  const auto rate = [](std::uint32_t probes) {
    BlockFilter filter{BlockShape{2, probes}};
    for (std::size_t i = 0; i < filter.size_bytes(); ++i)
      filter.bytes()[i] = i % 64 < 8 ? std::byte{0} : std::byte{0xff};
    return filter.health().error_rate;
  };
  EXPECT_EQ(rate(8), 0);
  EXPECT_EQ(rate(7), 2.0 / 16);
  EXPECT_EQ(rate(6), 4.0 / 16);
  EXPECT_EQ(rate(4), 8.0 / 16);
}

TEST(BlockHealth, ALargeFilterIsSampledAndSaysSo) {
  EXPECT_FALSE(BlockFilter(BlockShape{kHealthBlocks, 8}).health().sampled);
  BlockFilter filter{BlockShape{kHealthBlocks + kHealthBlocks / 3, 8}};
  const auto keys = random_hashes(500'000, 3);
  filter.insert_batch(std::span<const Hash128>{keys});
  const Health health = filter.health();
  EXPECT_TRUE(health.sampled);
  EXPECT_NEAR(health.estimated_keys, 500'000, 0.01 * 500'000);
  // Bits only in the last quarter must be seen too: the sample is spread over all.
  filter.reset();
  std::ranges::fill(filter.bytes().last(filter.size_bytes() / 4), std::byte{0xff});
  EXPECT_NEAR(filter.health().fill, 0.25, 0.001);
  EXPECT_NEAR(filter.health().error_rate, 0.25, 0.001);
}

TEST(BlockHealth, TheVerdictComparesWithTheGoal) {
  BlockFilter filter{*block_shape_for({20'000, 0.01})};
  const auto keys = random_hashes(60'000, 4);
  const auto insert = [&](std::size_t from, std::size_t to) {
    filter.insert_batch(std::span{keys}.subspan(from, to - from));
  };
  filter.set_provenance({Goal{20'000, 0.01}, 0});
  insert(0, 20'000);
  EXPECT_EQ(filter.health().verdict, Verdict::kOk);
  insert(20'000, 23'000);
  EXPECT_GT(filter.health().error_rate, 0.0105);
  EXPECT_EQ(filter.health().verdict, Verdict::kOverDesign);
  BlockFilter without_goal = filter.clone();
  without_goal.set_provenance({});
  EXPECT_EQ(without_goal.health().verdict, Verdict::kOk);
  insert(23'000, 60'000);
  for (std::uint64_t seed = 5; seed < 8; ++seed) {
    const auto more = random_hashes(30'000, seed);
    filter.insert_batch(std::span<const Hash128>{more});
  }
  EXPECT_EQ(filter.health().verdict, Verdict::kSaturated);
}

}  // namespace
}  // namespace bloomery
