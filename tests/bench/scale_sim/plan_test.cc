#include "bench/scale_sim/plan.h"

#include <gtest/gtest.h>

#include "bench/scale_sim/wording.h"

namespace bloomery::bench {
namespace {

TEST(Plan, OfATrillionKeysAtOnePercent) {
  const Assumptions assumed;
  const auto plan = plan_for({1'000'000'000'000, 0.01}, assumed);
  ASSERT_TRUE(plan);
  EXPECT_NEAR(plan->bits_per_key(), 10.1, 0.1);
  EXPECT_EQ(plan->parts, 16384U);
  EXPECT_LE(plan->part_bytes(), assumed.most_part_bytes);
  EXPECT_GT(plan->part_bytes() * 2, assumed.most_part_bytes);
  EXPECT_EQ(plan->nodes, 7U);
  EXPECT_NEAR(plan->add_seconds(assumed) / 3600, 40, 1);
  EXPECT_NEAR(plan->shuffle_seconds(16, assumed), 16e12 / 7 * 6 / 7 / 1.25e9, 1);
  EXPECT_NEAR(plan->load_seconds(assumed) * 7 * 1.25e9, plan->bytes(), 1e6);
  EXPECT_NEAR(plan->memory_price(assumed), plan->bits_per_key() / 8 * assumed.memory_month, 1e-9);
}

TEST(Plan, HasNoMorePartsThanAClusterHasSlots) {
  const Assumptions assumed;
  const auto plan = plan_for({10'000'000'000'000, 0.001}, assumed);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->parts, assumed.most_parts);
  EXPECT_GT(plan->part_bytes(), assumed.most_part_bytes);
}

TEST(Plan, OfOneNodeShufflesNothing) {
  const auto plan = plan_for({1'000'000'000, 0.01}, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->nodes, 1U);
  EXPECT_EQ(plan->shuffle_seconds(16, {}), 0);
}

TEST(Plan, RefusesWhatTheFormatCannotHold) {
  EXPECT_FALSE(plan_for({100'000'000'000'000, 0.01}, {}));
}

TEST(Wording, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(three_digits(9.934), "9.93");
  EXPECT_EQ(three_digits(75.84), "75.8");
  EXPECT_EQ(three_digits(1240), "1,240");
  EXPECT_EQ(three_digits(999.7), "1,000");
  EXPECT_EQ(grouped(163840), "163,840");
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(power_of_ten(1e12), "10^12");
  EXPECT_EQ(power_of_ten(2.44e8), "2.4 × 10^8");
  EXPECT_EQ(bytes_in_words(1.24e12), "1.24 TB");
  EXPECT_EQ(bytes_in_words(999.8e9), "1.00 TB");
  EXPECT_EQ(bytes_in_words(12), "0.01 kB");
  EXPECT_EQ(time_in_words(1567), "26.1 min");
  EXPECT_EQ(time_in_words(0.5), "0.50 s");
  EXPECT_EQ(dollars(3.789), "$3.79");
  EXPECT_EQ(dollars(0.00064), "$0.0006");
  EXPECT_EQ(dollars(0.0252), "$0.025");
  EXPECT_EQ(fixed(34.199, 1), "34.2");
  EXPECT_EQ(percent(0.01, 2), "1.00 %");
  EXPECT_EQ(rate_in_words(0.0099970), "0.99970 %");
  EXPECT_EQ(rate_in_words(1.23e-8), "1.2e-06 %");
  EXPECT_EQ(signed_percent(0.0003, 2), "+0.03 %");
}

}  // namespace
}  // namespace bloomery::bench
