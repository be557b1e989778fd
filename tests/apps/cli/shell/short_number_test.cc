#include "apps/cli/shell/short_number.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

TEST(ShortNumber, CountsHaveThreeDigitsAndASuffix) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(10'000), "10k");
  EXPECT_EQ(short_count(2'500'000), "2.5M");
  EXPECT_EQ(short_count(999'999), "1M");
  EXPECT_EQ(short_count(4e9), "4G");
}

TEST(ShortNumber, PercentsLoseNoMeaningDigit) {
  EXPECT_EQ(short_percent(1), "100 %");
  EXPECT_EQ(short_percent(0.5), "50 %");
  EXPECT_EQ(short_percent(0.01), "1 %");
  EXPECT_EQ(short_percent(0.00844), "0.844 %");
  EXPECT_EQ(short_percent(0.0001), "0.01 %");
  EXPECT_EQ(short_percent(0), "0 %");
}

TEST(ShortNumber, RareRatesArePowersOfTen) {
  EXPECT_EQ(short_percent(1e-9), "10⁻⁹");
  EXPECT_EQ(short_percent(3.2e-9), "3.2×10⁻⁹");
  EXPECT_EQ(power_of_ten(-12), "10⁻¹²");
}

TEST(ShortNumber, BytesSayTheirUnit) {
  EXPECT_EQ(short_bytes(640), "640 bytes");
  EXPECT_EQ(short_bytes(12'000'000), "12 MB");
}

TEST(ShortNumber, LongNumbersAreGrouped) {
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(95850584), "95,850,584");
}

}  // namespace
}  // namespace bloomery::cli
