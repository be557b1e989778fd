#include "bloomery/layout/lines.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "bloomery/layout/block_sizing.h"
#include "bloomery/layout/sizing.h"

namespace bloomery {
namespace {

using block::LineWords;
using block::next_line;

TEST(Lines, ProbesSayHowManyThereAre) {
  for (std::uint32_t probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes) {
    EXPECT_EQ(block::lines_of(probes), 1U);
    EXPECT_EQ(block::probes_in_line(probes), probes);
    EXPECT_FALSE(block::are_lines(probes));
  }
  for (const std::uint32_t lines : {2U, 3U, 4U}) {
    EXPECT_EQ(block::lines_of(8 * lines), lines);
    EXPECT_EQ(block::probes_in_line(8 * lines), 8U);
    EXPECT_TRUE(block::are_lines(8 * lines));
  }
  for (const std::uint32_t probes : {0U, 9U, 15U, 17U, 25U, 40U, 4096U})
    EXPECT_FALSE(block::are_lines(probes)) << probes;
}

TEST(Lines, TheNextLineIsAConstantExpression) {
  static_assert(next_line({0, 0}) == next_line({0, 0}));
  static_assert(next_line({0, 0}).place != 0 && next_line({0, 0}).bits != 0);
}

// Each bit of the hash turns about half of the bits that choose the block (the highest) and those
// that choose bits in sectors, in the next line and in the one after it.
TEST(Lines, EveryBitOfTheHashReachesTheNextLines) {
  std::mt19937_64 random{7};
  constexpr int kRounds = 2000;
  for (int bit = 0; bit < 128; ++bit) {
    int places = 0;
    int bits = 0;
    for (int round = 0; round < kRounds; ++round) {
      const LineWords line{random(), random()};
      LineWords other = line;
      (bit < 64 ? other.place : other.bits) ^= std::uint64_t{1} << (bit % 64);
      const LineWords a = next_line(next_line(line));
      const LineWords b = next_line(next_line(other));
      places += std::popcount((a.place ^ b.place) >> 32);
      bits += std::popcount((a.bits ^ b.bits) & 0x3f3f3f3f3f3f3f3f);
    }
    EXPECT_NEAR(places, kRounds * 16, kRounds * 3) << bit;
    EXPECT_NEAR(bits, kRounds * 24, kRounds * 5) << bit;
  }
}

// The blocks of two lines of random keys, in a small table: every pair as often as any other.
TEST(Lines, BlocksOfTheLinesOfAKeyAreIndependent) {
  constexpr std::uint64_t kBlocks = 16;
  constexpr int kKeys = 256 * 1000;
  std::mt19937_64 random{8};
  std::vector<int> pairs(kBlocks * kBlocks);
  for (int i = 0; i < kKeys; ++i) {
    const LineWords line{random(), random()};
    const LineWords next = next_line(line);
    ++pairs[block::block_of(line.place, kBlocks) * kBlocks + block::block_of(next.place, kBlocks)];
  }
  for (const int count : pairs) EXPECT_NEAR(count, 1000, 5 * 32);
}

TEST(LinesSizing, TakesTheFewestLinesThatCostLittle) {
  for (const auto& [rate, lines] : {std::pair{1e-4, 2U},
                                    {1e-5, 2U},
                                    {1e-6, 2U},
                                    {1e-7, 3U},
                                    {1e-9, 3U},
                                    {1e-10, 4U},
                                    {1e-12, 4U}})
    EXPECT_EQ(lines_for(rate), lines) << rate;
  for (const double rate : {1e-3, 1e-4, 1e-6, 1e-9, 1e-12}) EXPECT_TRUE(lines_layout_suits(rate));
  for (const double rate : {0.5, 0.01, 1e-13}) EXPECT_FALSE(lines_layout_suits(rate)) << rate;
}

TEST(LinesSizing, KeepsTheRateAndCostsAtMostTwelvePercent) {
  for (const std::uint64_t keys : {10'000ULL, 1'000'000ULL, 50'000'000ULL})
    for (const double rate : {3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9, 1e-12}) {
      const Goal goal{keys, rate};
      const auto shape = lines_shape_for(goal);
      ASSERT_TRUE(shape);
      EXPECT_LE(expected_rate(*shape, static_cast<double>(keys)), rate);
      EXPECT_GT(expected_rate(*shape, static_cast<double>(keys) * 1.05), rate);
      EXPECT_LE(static_cast<double>(shape->bits()), 1.12 * bits_for(goal, probes_for(rate)))
          << keys << " at " << rate;
    }
}

TEST(LinesSizing, TheRateIsThePowerOfOneLine) {
  for (const std::uint32_t lines : {2U, 3U, 4U}) {
    const double one = expected_rate(BlockShape{1000, 8}, 20'000.0 * lines);
    const BlockShape shape{1000, 8 * lines};
    EXPECT_NEAR(expected_rate(shape, 20'000), std::pow(one, lines), 1e-9 * one);
    EXPECT_GT(rate_deviation(shape, 20'000), 0);
    EXPECT_LT(rate_deviation(shape, 20'000), expected_rate(shape, 20'000));
  }
}

TEST(LinesSizing, RefusesWhatNoFilterHas) {
  EXPECT_FALSE(lines_shape_for({0, 1e-6}));
  EXPECT_FALSE(lines_shape_for({10, 1e-13}));
  EXPECT_FALSE(lines_shape_for({UINT64_MAX, 1e-6}));
  EXPECT_FALSE(lines_shape_for({10, 1e-6}, 20));
  EXPECT_FALSE(checked(BlockShape{10, 16, true}));
  EXPECT_FALSE(checked(BlockShape{0, 16}));
  EXPECT_FALSE(checked(BlockShape{kMaxBlocks + 1, 16}));
  EXPECT_FALSE(checked(BlockShape{10, 40}));
  EXPECT_FALSE(checked_one_line(BlockShape{10, 16}));
  EXPECT_FALSE(checked_lines(BlockShape{10, 8}));
  EXPECT_TRUE(checked(BlockShape{10, 32}));
  EXPECT_EQ(usable(BlockShape{10, 16}), (BlockShape{10, 16}));
  EXPECT_EQ(usable(BlockShape{10, 17}), (BlockShape{10, 8}));
  EXPECT_EQ(usable(BlockShape{10, 16, true}), (BlockShape{10, 8, true}));
}

TEST(LinesSizing, OfFewKeysStaysSmall) {
  for (const std::uint64_t keys : {1ULL, 10ULL, 100ULL, 1000ULL})
    for (const double rate : {1e-4, 1e-6, 1e-9}) {
      const auto shape = lines_shape_for({keys, rate});
      ASSERT_TRUE(shape);
      EXPECT_LE(shape->bytes(), 64 * 8 + keys * 12) << keys << " at " << rate;
    }
}

}  // namespace
}  // namespace bloomery
