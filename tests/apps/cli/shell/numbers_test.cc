#include "apps/cli/shell/numbers.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

TEST(ParseCount, TakesDecimalAndBinarySuffixes) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0},
      {"250", 250},
      {"10M", 10'000'000},
      {"1e9", 1'000'000'000},
      {"1.5k", 1500},
      {"4Gi", std::uint64_t{4} << 30},
      {"1K", 1000},
      {"1Ki", 1024},
      {"512MiB", std::uint64_t{512} << 20},
      {"2TB", 2'000'000'000'000},
      {"18446744073709551615", UINT64_MAX},
      {"9007199254740993", 9007199254740993},  // no double holds it
  };
  for (const auto& [text, expected] : cases) {
    const auto parsed = parse_count(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, expected) << text;
  }
}

TEST(ParseCount, RefusesWhatIsNoWholeNumber) {
  for (const char* text : {"", " 1", "1 ", "-1", "-0", "+1", "abc", "1x", "10Mx", "1.5", "0x10",
                           "inf", "nan", "1e30", "18446744073709551616", "B", "Mi", "1Q", "1iM"})
    EXPECT_FALSE(parse_count(text)) << text;
}

TEST(ParseProbability, TakesDecimalsPercentagesAndFractions) {
  for (const char* text : {"0.001", "1e-3", "0.1%", "1/1000", "2/2000"}) {
    const auto parsed = parse_probability(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_DOUBLE_EQ(*parsed, 0.001) << text;
  }
}

TEST(ParseProbability, RefusesWhatIsNotBetweenZeroAndOne) {
  for (const char* text : {"", "0", "1", "1.5", "100%", "0%", "1/1", "1/0", "0/5", "nan", "inf",
                           "-0.1", "0.1x", "1/2/3", "5%%"})
    EXPECT_FALSE(parse_probability(text)) << text;
}

TEST(ParseProbability, SuggestsAPercentageForANumberThatCouldBeOne) {
  const auto error = [](const char* text) { return parse_probability(text).error().message; };
  EXPECT_EQ(error("2"), "'2' is not between 0 and 1; did you mean 2%?");
  EXPECT_EQ(error("0.5e1"), "'0.5e1' is not between 0 and 1; did you mean 0.5e1%?");
  for (const char* text : {"0", "100", "150%", "5/2"})
    EXPECT_EQ(error(text), std::string{"'"} + text + "' is not between 0 and 1");
}

TEST(Formatting, IsForPeople) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1), "1 byte");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(1258291), "1.2 MiB");
  EXPECT_EQ(format_bytes((std::uint64_t{1} << 30) - 1), "1.0 GiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(format_count(7), "7");
  EXPECT_EQ(format_count(1000U), "1,000");
  EXPECT_EQ(format_count(std::uint64_t{95'850'584}), "95,850,584");
  EXPECT_EQ(format_count(9999.6), "10,000");
  EXPECT_EQ(format_count(-0.3), "0");
  EXPECT_EQ(format_speed(0), "0/s");
  EXPECT_EQ(format_speed(999.4), "999/s");
  EXPECT_EQ(format_speed(2'468'013), "2,470,000/s");
  EXPECT_EQ(format_probability(0.0098), "0.98 %");
  EXPECT_EQ(format_probability(1.2e-7), "1.2e-07");
  EXPECT_EQ(format_seconds(0.423), "0.42 s");
  EXPECT_EQ(format_seconds(185), "3 min 05 s");
  EXPECT_EQ(format_seconds(7260), "2 h 01 min");
}

TEST(ParseDuration, NeedsAUnit) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"300ms", 300}, {"90s", 90'000}, {"5m", 300'000}, {"1h", 3'600'000}, {"1.5s", 1500}};
  for (const auto& [text, expected] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, expected) << text;
  }
  for (const char* text : {"", "5", "m", "-5m", "0s", "5 m", "200h", "5d"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(AxisLabels, AreShort) {
  EXPECT_EQ(axis_count(0), "0");
  EXPECT_EQ(axis_count(999), "999");
  EXPECT_EQ(axis_count(10'000), "10k");
  EXPECT_EQ(axis_count(2'500'000), "2.5M");
  EXPECT_EQ(axis_count(999'999), "1M");
  EXPECT_EQ(axis_count(4e9), "4G");
  EXPECT_EQ(axis_percent(1), "100 %");
  EXPECT_EQ(axis_percent(0.5), "50 %");
  EXPECT_EQ(axis_percent(0.01), "1 %");
  EXPECT_EQ(axis_percent(0.00844), "0.844 %");
  EXPECT_EQ(axis_percent(0.0001), "0.01 %");
  EXPECT_EQ(axis_percent(0), "0 %");
}

TEST(AxisLabels, OfRareRatesArePowersOfTen) {
  EXPECT_EQ(axis_percent(1e-9), "10⁻⁹");
  EXPECT_EQ(axis_percent(3.2e-9), "3.2×10⁻⁹");
  EXPECT_EQ(power_of_ten(-12), "10⁻¹²");
}

}  // namespace
}  // namespace bloomery::cli
