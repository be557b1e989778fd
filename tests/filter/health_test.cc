#include "bloomery/filter/health.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace bloomery {
namespace {

TEST(Health, VerdictsHaveTheirNamesAndLimits) {
  EXPECT_EQ(verdict_name(judge(0.5, 0.0105, Goal{1, 0.01})), "ok");
  EXPECT_EQ(verdict_name(judge(0.5, 0.0106, Goal{1, 0.01})), "over-design");
  EXPECT_EQ(verdict_name(judge(0.5, 0.4, std::nullopt)), "ok");
  EXPECT_EQ(verdict_name(judge(0.9, 0.01, std::nullopt)), "saturated");
  EXPECT_EQ(verdict_name(judge(0.5, 0.5, std::nullopt)), "saturated");
}

TEST(Health, RateIsTheFillToThePowerOfTheProbes) {
  const Health health = classic_health({1000, 3}, 500, std::nullopt);
  EXPECT_DOUBLE_EQ(health.fill, 0.5);
  EXPECT_DOUBLE_EQ(health.error_rate, 0.125);
  EXPECT_NEAR(health.estimated_keys, 1000 * std::log(2) / 3, 1e-9);
  EXPECT_FALSE(health.sampled);
}

TEST(Health, FullAndEmptyFiltersHaveFiniteEstimates) {
  EXPECT_EQ(estimated_keys({1000, 7}, 0), 0);
  EXPECT_TRUE(std::isfinite(estimated_keys({1000, 7}, 1000)));
  EXPECT_GT(estimated_keys({1000, 7}, 1000), estimated_keys({1000, 7}, 999));
  EXPECT_EQ(classic_health({0, 0}, 0, std::nullopt).error_rate, 1);
}

TEST(Health, CountsOnesInAnyLength) {
  const std::vector<std::byte> ones(19, std::byte{0xff});
  for (std::size_t size = 0; size <= ones.size(); ++size)
    EXPECT_EQ(count_ones(ByteView{ones}.first(size)), size * 8);
}

}  // namespace
}  // namespace bloomery
