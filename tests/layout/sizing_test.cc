#include "bloomery/layout/sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace bloomery {
namespace {

// Every way to throw: the truth itself, for filters small enough.
double rate_by_enumeration(Shape shape, std::uint32_t keys) {
  const auto power = [&](std::uint32_t exponent) {
    std::uint64_t ways = 1;
    for (std::uint32_t i = 0; i < exponent; ++i) ways *= shape.bits;
    return ways;
  };
  const auto bits_of = [&](std::uint64_t throws, std::uint32_t count) {
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < count; ++i, throws /= shape.bits)
      bits |= std::uint64_t{1} << (throws % shape.bits);
    return bits;
  };
  std::uint64_t maybes = 0;
  const std::uint64_t fillings = power(keys * shape.probes);
  const std::uint64_t queries = power(shape.probes);
  for (std::uint64_t filling = 0; filling < fillings; ++filling) {
    const std::uint64_t set = bits_of(filling, keys * shape.probes);
    for (std::uint64_t query = 0; query < queries; ++query)
      maybes += (bits_of(query, shape.probes) & ~set) == 0 ? 1 : 0;
  }
  return static_cast<double>(maybes) /
         (static_cast<double>(fillings) * static_cast<double>(queries));
}

// The distribution of the number of set bits, one throw at a time.
double rate_by_distribution(Shape shape, std::uint64_t keys) {
  std::vector<double> ones(shape.bits + 1, 0);
  ones[0] = 1;
  const auto bits = static_cast<double>(shape.bits);
  for (std::uint64_t t = 0; t < keys * shape.probes; ++t)
    for (std::size_t x = ones.size(); x-- > 0;)
      ones[x] = ones[x] * static_cast<double>(x) / bits +
                (x == 0 ? 0 : ones[x - 1] * (bits - static_cast<double>(x - 1)) / bits);
  double rate = 0;
  for (std::size_t x = 0; x < ones.size(); ++x)
    rate += ones[x] * std::pow(static_cast<double>(x) / bits, shape.probes);
  return rate;
}

TEST(Sizing, ExactRateIsTheShareOfAllWays) {
  for (const auto& [shape, keys] : std::vector<std::pair<Shape, std::uint32_t>>{
           {{1, 3}, 1}, {{2, 2}, 1}, {{3, 2}, 3}, {{4, 2}, 2}, {{5, 3}, 2}, {{2, 4}, 2}}) {
    const auto exact = exact_rate(shape, keys);
    ASSERT_TRUE(exact);
    EXPECT_NEAR(*exact, rate_by_enumeration(shape, keys), 1e-12) << shape.bits;
  }
}

TEST(Sizing, ExactRateEqualsTheSumOverSetBits) {
  for (const auto& [shape, keys] : std::vector<std::pair<Shape, std::uint64_t>>{
           {{64, 7}, 6}, {{1000, 7}, 100}, {{1000, 20}, 30}, {{2000, 64}, 20}, {{97, 3}, 200}}) {
    const auto exact = exact_rate(shape, keys);
    ASSERT_TRUE(exact);
    const double expected = rate_by_distribution(shape, keys);
    EXPECT_NEAR(*exact, expected, 1e-9 * expected) << shape.bits << " " << shape.probes;
  }
}

TEST(Sizing, ExactRateAgreesWithSimulation) {
  const Shape shape{60, 4};
  const std::uint64_t keys = 10;
  std::mt19937_64 random{11};
  const int rounds = 200000;
  int maybes = 0;
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t bits = 0;
    for (std::uint64_t i = 0; i < keys * shape.probes; ++i)
      bits |= std::uint64_t{1} << (random() % shape.bits);
    bool in = true;
    for (std::uint32_t i = 0; i < shape.probes; ++i)
      in = (bits >> (random() % shape.bits) & 1) != 0 && in;
    maybes += in ? 1 : 0;
  }
  const double exact = *exact_rate(shape, keys);
  EXPECT_NEAR(maybes / double{rounds}, exact, 4 * std::sqrt(exact / rounds));
  EXPECT_GT(exact, 1.02 * expected_rate(shape, static_cast<double>(keys)));
}

TEST(Sizing, ExactRateLiesBetweenTheFormulaAndTheBound) {
  for (const std::uint64_t keys : {5ULL, 100ULL, 10000ULL, 1000000ULL, 1000000000ULL})
    for (const std::uint32_t probes : {1U, 3U, 7U, 13U, 30U}) {
      const Shape shape{keys * 10, probes};
      const double exact = *exact_rate(shape, keys);
      EXPECT_GE(exact, expected_rate(shape, static_cast<double>(keys)) * (1 - 1e-6));
      EXPECT_LE(exact, rate_bound(shape, static_cast<double>(keys)) * (1 + 1e-6));
    }
}

TEST(Sizing, ExactRateRefusesWhatItCannotCompute) {
  EXPECT_EQ(exact_rate({1000, 65}, 10).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(exact_rate({1000, 7}, UINT64_MAX).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(exact_rate({0, 7}, 1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(*exact_rate({1000, 7}, 0), 0);
}

TEST(Sizing, TheTextbookNumbers) {
  EXPECT_NEAR(ideal_bits({1000, 0.01}), 9585.06, 0.01);
  EXPECT_NEAR(ideal_probes(9585.06, 1000), 6.64, 0.01);
  EXPECT_NEAR(expected_rate(Shape{10000, 7}, 1000), 0.00819, 0.00001);
  EXPECT_EQ(best_probes(10000, 1000), 7U);
  EXPECT_EQ(best_probes(10, 1000), 1U);
  EXPECT_GE(best_probes(kMaxBits, 1), kMaxProbes - 1);
  EXPECT_EQ(probes_for(0.01), 7U);
  EXPECT_EQ(probes_for(0.999), 1U);
  EXPECT_EQ(probes_for(5e-324), kMaxProbes);
}

TEST(Sizing, MaxKeysIsTheLastNumberWithinTheRate) {
  for (const std::uint64_t bits : {64ULL, 1000ULL, 123457ULL, 10000000ULL, 1ULL << 45})
    for (const double rate : {0.9, 0.1, 0.01, 1e-6}) {
      const Shape shape{bits, probes_for(rate)};
      const std::uint64_t keys = max_keys(shape, rate);
      EXPECT_LE(expected_rate(shape, static_cast<double>(keys)), rate);
      EXPECT_GT(expected_rate(shape, static_cast<double>(keys + 1)), rate);
    }
  EXPECT_EQ(max_keys(Shape{2, 30}, 1e-9), 0U);
}

}  // namespace
}  // namespace bloomery
