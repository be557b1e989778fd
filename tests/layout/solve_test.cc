#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bloomery/layout/sizing.h"

namespace bloomery {
namespace {

TEST(Solve, KeysAndRateGiveBitsAndProbes) {
  const auto sizing = solve({.keys = 1000, .rate = 0.01});
  ASSERT_TRUE(sizing) << sizing.error().message;
  EXPECT_EQ(sizing->probes, 7U);
  EXPECT_EQ(sizing->bits, 9593U);
  EXPECT_LE(sizing->rate, 0.01);
  EXPECT_GT(sizing->rate, 0.00999);
  EXPECT_DOUBLE_EQ(sizing->bits_per_key, 9.593);
}

TEST(Solve, ChosenProbesNeedTheirOwnBits) {
  const auto sizing = solve({.keys = 1000, .rate = 0.01, .probes = 4});
  ASSERT_TRUE(sizing) << sizing.error().message;
  EXPECT_EQ(sizing->probes, 4U);
  EXPECT_GT(sizing->bits, 10500U);
  EXPECT_LE(sizing->rate, 0.01);
}

// Once, the share of set bits was lost against 1, and the bits were counted up to 2^48 one by one.
TEST(Solve, FewProbesForATinyRateNeedManyBits) {
  for (const auto& [rate, probes] :
       {std::pair{1e-60, 2U}, {1e-60, 3U}, {1e-300, 3U}, {5e-324, 1U}}) {
    const auto sizing = solve({.keys = 10, .rate = rate, .probes = probes});
    ASSERT_FALSE(sizing) << rate;
    EXPECT_NE(sizing.error().message.find("2^48"), std::string::npos) << sizing.error().message;
  }
  const auto sizing = solve({.keys = 100, .rate = 1e-12, .probes = 1});
  ASSERT_TRUE(sizing) << sizing.error().message;
  EXPECT_NEAR(static_cast<double>(sizing->bits), 1e14, 1e5);
  EXPECT_LE(sizing->rate, 1e-12);
}

// Near a rate of 1 the guess misses by billions.
TEST(Solve, RatesNearOneAreSolvedAtOnce) {
  const double largest = std::nextafter(1.0, 0.0);
  for (const double rate : {0.999999999999, largest})
    for (const std::uint32_t probes : {1U, 3U, 16U, kMaxProbes}) {
      const std::uint64_t keys = std::uint64_t{1} << 48;
      const auto sizing = solve({.keys = keys, .rate = rate, .probes = probes});
      if (!sizing) continue;
      EXPECT_LE(sizing->rate, rate);
      const std::uint64_t most = max_keys(Shape{kMaxBits, probes}, rate);
      EXPECT_LE(expected_rate(Shape{kMaxBits, probes}, static_cast<double>(most)), rate);
    }
}

TEST(Solve, KeysAndBitsGiveTheRate) {
  const auto sizing = solve({.keys = 1000, .bits = 10000});
  ASSERT_TRUE(sizing) << sizing.error().message;
  EXPECT_EQ(sizing->probes, 7U);
  EXPECT_NEAR(sizing->rate, 0.00819, 0.00001);
  const auto fewer = solve({.keys = 1000, .bits = 10000, .probes = 3});
  ASSERT_TRUE(fewer);
  EXPECT_NEAR(fewer->rate, 0.01741, 0.00001);
}

TEST(Solve, BitsAndRateGiveTheKeys) {
  const auto sizing = solve({.rate = 0.01, .bits = 9593});
  ASSERT_TRUE(sizing) << sizing.error().message;
  EXPECT_EQ(sizing->keys, 1000U);
  const auto chosen = solve({.rate = 0.01, .bits = 9593, .probes = 3});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->keys, max_keys(Shape{9593, 3}, 0.01));
}

TEST(Solve, BitsPerKeyStandsForKeysOrBits) {
  const auto by_keys = solve({.keys = 1000, .bits_per_key = 10.0});
  ASSERT_TRUE(by_keys);
  EXPECT_EQ(by_keys->bits, 10000U);
  const auto by_bits = solve({.bits = 10000, .bits_per_key = 10.0});
  ASSERT_TRUE(by_bits);
  EXPECT_EQ(by_bits->keys, 1000U);
  EXPECT_EQ(by_bits->probes, 7U);
}

TEST(Solve, EveryTwoOfThreeAgree) {
  for (const std::uint64_t keys : {1ULL, 10ULL, 1000ULL, 12345678ULL, 1000000000000ULL})
    for (const double rate : {0.5, 0.1, 0.01, 1e-4, 1e-9}) {
      const auto first = solve({.keys = keys, .rate = rate});
      ASSERT_TRUE(first) << first.error().message;
      const auto back = solve({.rate = rate, .bits = first->bits, .probes = first->probes});
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_GE(back->keys, keys);
      EXPECT_LE(static_cast<double>(back->keys), static_cast<double>(keys) * 1.000001 + 1);
      EXPECT_TRUE(
          solve({.keys = keys, .rate = rate, .bits = first->bits, .probes = first->probes}));
    }
}

TEST(Solve, ContradictionsAreNamed) {
  const auto rate = solve({.keys = 1000, .rate = 0.001, .bits = 5000});
  ASSERT_FALSE(rate);
  EXPECT_NE(rate.error().message.find("contradicts the 0.001"), std::string::npos);
  const auto bits = solve({.keys = 1000, .bits = 20000, .bits_per_key = 10.0});
  ASSERT_FALSE(bits);
  EXPECT_NE(bits.error().message.find("contradicts the 20000"), std::string::npos);
  EXPECT_FALSE(solve({.rate = 1e-9, .bits = 2}));
}

TEST(Solve, WhatIsMissingIsNamed) {
  EXPECT_NE(solve({.keys = 5}).error().message.find("give the rate or the bits"),
            std::string::npos);
  EXPECT_NE(solve({.bits = 5, .probes = 2}).error().message.find("give the keys or the rate"),
            std::string::npos);
  EXPECT_NE(solve({.rate = 0.1, .bits_per_key = 5.0}).error().message.find("the keys or the bits"),
            std::string::npos);
  EXPECT_NE(solve({.rate = 0.1}).error().message.find("the keys or the bits"), std::string::npos);
  EXPECT_NE(solve({}).error().message.find("two of keys, rate and bits"), std::string::npos);
}

TEST(Solve, AbsurdNumbersAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {0.0, 1.0, -0.5, 2.0, nan, infinity}) {
    EXPECT_FALSE(solve({.keys = 10, .rate = rate})) << rate;
    EXPECT_FALSE(solve({.rate = rate, .bits = 1000})) << rate;
  }
  for (const double per_key : {0.0, -1.0, nan, infinity, 1e300})
    EXPECT_FALSE(solve({.keys = 10, .bits_per_key = per_key})) << per_key;
  EXPECT_FALSE(solve({.keys = 0, .rate = 0.01}));
  EXPECT_FALSE(solve({.keys = UINT64_MAX, .rate = 0.01}));
  EXPECT_FALSE(solve({.keys = UINT64_MAX, .bits_per_key = 1e9}));
  EXPECT_FALSE(solve({.keys = 10, .bits = 0}));
  EXPECT_FALSE(solve({.keys = 10, .bits = UINT64_MAX}));
  EXPECT_FALSE(solve({.keys = 10, .bits = 100, .probes = 0}));
  EXPECT_FALSE(solve({.keys = 10, .bits = 100, .probes = UINT32_MAX}));
  EXPECT_FALSE(solve({.keys = 10, .rate = 0.01, .blocks = 3}));
}

}  // namespace
}  // namespace bloomery
