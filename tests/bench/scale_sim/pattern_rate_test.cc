#include "bench/scale_sim/pattern_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bloomery/base/split_mix.h"

namespace bloomery::bench {
namespace {

constexpr PatternShares equal_shares() {
  PatternShares shares{};
  shares.fill(1.0 / block::kPatterns);
  return shares;
}

TEST(PatternRate, WithEqualSharesIsTheExpectedRate) {
  for (std::uint32_t probes = 4; probes <= 8; ++probes)
    for (const double load : {10.0, 40.0, 60.0})
      EXPECT_NEAR(rate_with_patterns(equal_shares(), probes, load) /
                      expected_rate(BlockShape{1, probes}, load),
                  1, 1e-7);
}

TEST(PatternRate, CountsThePlacesOfABlock) {
  // 2^44 blocks: each has 2^20 places, and so one pattern.
  const std::uint64_t blocks = std::uint64_t{1} << 44;
  for (std::uint64_t block = 0; block < 40; ++block)
    EXPECT_EQ(pattern_shares(block, blocks)[block % 16], 1.0);
  for (const double share : pattern_shares(5, std::uint64_t{1} << 40)) EXPECT_EQ(share, 1.0 / 16);
  const auto uneven = pattern_shares(123456789, 200'000'000'000);
  EXPECT_NEAR(std::accumulate(uneven.begin(), uneven.end(), 0.0), 1, 1e-12);
  EXPECT_NE(uneven, equal_shares());
}

// The formula beside blocks that are filled and asked, key by key.
TEST(PatternRate, IsWhatFilledBlocksShow) {
  PatternShares shares{};
  shares[2] = 0.75;
  shares[11] = 0.25;
  constexpr std::uint32_t kProbes = 6;
  constexpr double kLoad = 45;
  internal::SplitMix64 random{7};
  const auto mask = [&] {
    const std::uint64_t number = random() % 4 != 0 ? 2 : 11;
    return block::mask_of(number << block::kPatternShift, random(), kProbes);
  };
  constexpr int kFilled = 20'000;
  int maybes = 0;
  for (int i = 0; i < kFilled; ++i) {
    block::BlockMask bits{};
    const double limit = std::exp(-kLoad);  // a Poisson number of keys
    for (double left = 1; (left *= static_cast<double>(random() >> 11) * 0x1p-53) > limit;) {
      const auto key = mask();
      for (std::uint32_t s = 0; s < block::kSectors; ++s) bits[s] |= key[s];
    }
    for (int query = 0; query < 10; ++query) {
      const auto key = mask();
      bool found = true;
      for (std::uint32_t s = 0; s < block::kSectors; ++s) found &= (key[s] & ~bits[s]) == 0;
      maybes += found ? 1 : 0;
    }
  }
  const double rate = rate_with_patterns(shares, kProbes, kLoad);
  // Ten queries of one block are alike: at most ten times the variance.
  EXPECT_NEAR(maybes / (10.0 * kFilled), rate, 4 * std::sqrt(rate / kFilled));
  EXPECT_GT(rate, 1.2 * expected_rate(BlockShape{1, kProbes}, kLoad));
}

TEST(PatternRate, HasNoEffectInFiltersThatTheFormatHolds) {
  for (std::uint32_t probes = 4; probes <= 8; ++probes)
    EXPECT_LT(std::abs(pattern_effect(370'000'000'000, probes, 45)), 0.01) << probes;
  EXPECT_NEAR(pattern_effect(kMaxBlocks, 6, 45), 0, 1e-9);
  EXPECT_GT(pattern_effect(std::uint64_t{1} << 44, 6, 45), 0.1);  // beyond it, it would
}

}  // namespace
}  // namespace bloomery::bench
