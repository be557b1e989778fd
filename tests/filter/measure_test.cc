#include "bloomery/filter/measure.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace bloomery {
namespace {

struct OneInFour {  // by the first byte of a random key
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(keys[i].size(), 16U);
      answers[i] = static_cast<unsigned>(keys[i][0]) < 64 ? 1 : 0;
      seen.insert(std::string{text_of(keys[i])});
    }
  }
  mutable std::set<std::string> seen;
};

TEST(Measure, CountsTheShareOfMaybes) {
  const OneInFour filter;
  EXPECT_NEAR(measured_rate(filter, 10001, 1), 0.25, 4 * std::sqrt(0.25 * 0.75 / 10001));
  EXPECT_EQ(filter.seen.size(), 10001U);  // asked exactly so often, and never twice
  EXPECT_EQ(measured_rate(filter, 999, 5), measured_rate(filter, 999, 5));
  EXPECT_NE(measured_rate(filter, 999, 5), measured_rate(filter, 999, 6));
}

struct Listening {  // notes what it is asked, and knows no key
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    for (const ByteView key : keys) {
      asked.push_back(load_le<std::uint64_t>(key.data()));
      asked.push_back(load_le<std::uint64_t>(key.data() + 8));
    }
    std::ranges::fill(answers, std::uint8_t{0});
  }
  mutable std::vector<std::uint64_t> asked;
};

// A rate that was measured once can be measured again by another program: the keys are those of the
// published generator.
TEST(Measure, AsksTheNumbersOfSplitMix64) {
  const Listening filter;
  EXPECT_EQ(measured_rate(filter, 2, 1234567), 0);
  EXPECT_EQ(filter.asked, (std::vector<std::uint64_t>{6457827717110365317, 3203168211198807973,
                                                      9817491932198370423U, 4593380528125082431}));
}

TEST(Measure, HonestRateIsTheAnalyticUnlessItLies) {
  EXPECT_EQ(confirmed_rate(0.01, 0.0105, 10000), 0.01);
  EXPECT_EQ(confirmed_rate(0.01, 0.05, 10000), 0.05);
  EXPECT_EQ(confirmed_rate(0.01, 0.001, 10000), 0.01);
  EXPECT_EQ(confirmed_rate(1e-9, 1e-4, 10000), 1e-9);  // one hit in ten thousand proves nothing
  EXPECT_EQ(confirmed_rate(1e-9, 1e-3, 10000), 1e-3);
  EXPECT_EQ(confirmed_rate(1, 1, 10), 1);
}

}  // namespace
}  // namespace bloomery
