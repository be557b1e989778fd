#include "bloomery/filter/classic/bloomery_classic.h"

#include <gtest/gtest.h>

#include <random>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/filter/measure.h"
#include "bloomery/layout/sizing.h"
#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

TEST(BloomeryClassic, ProbesFollowTheDefinition) {
  const BloomeryClassic dialect;
  const Hash128 digest{0x8000000000000000, 0x4000000000000000};
  EXPECT_EQ(dialect.probe(digest, 0, Modulus{1000}), 500U);
  EXPECT_EQ(dialect.probe(digest, 1, Modulus{1000}), 750U);
  EXPECT_EQ(dialect.probe(digest, 2, Modulus{1000}), 0U);  // wraps to 3, which is 0 of 1000
  const Hash128 low{0, 0};                                 // steps by 1: the cubic term shows
  EXPECT_EQ(dialect.probe(low, 5, Modulus{std::uint64_t{1} << 63}), (5U + 20U) / 2);
}

TEST(BloomeryClassic, ShapesForCommonGoals) {
  EXPECT_EQ(*BloomeryClassic::shape_for({1, 0.01}), (Shape{64, 7}));
  EXPECT_EQ(*BloomeryClassic::shape_for({1000, 0.01}), (Shape{9600, 7}));
  EXPECT_EQ(*BloomeryClassic::shape_for({1000000, 0.001}), (Shape{14381056, 10}));
}

TEST(BloomeryClassic, ShapesMeetTheGoalAndWasteLittle) {
  for (const std::uint64_t keys : {1ULL, 9ULL, 1000ULL, 1234567ULL, 5000000000ULL})
    for (const double rate : {0.9, 0.35, 0.1, 0.01, 1e-3, 1e-5, 1e-9, 1e-30}) {
      const auto shape = BloomeryClassic::shape_for({keys, rate});
      ASSERT_TRUE(shape) << shape.error().message;
      EXPECT_LE(rate_bound(*shape, static_cast<double>(keys)), rate);
      EXPECT_EQ(shape->bits % 64, 0U);
      const double needed = bits_for({keys, rate}, shape->probes);
      if (needed > 8192) {
        EXPECT_LE(static_cast<double>(shape->bits), 1.01 * needed) << keys << " at " << rate;
      }
      if (needed > 600000) {
        EXPECT_EQ(shape->bits % 4096, 0U);
      }
    }
}

TEST(BloomeryClassic, ImpossibleGoalsAreRefused) {
  EXPECT_FALSE(BloomeryClassic::shape_for({0, 0.01}));
  EXPECT_FALSE(BloomeryClassic::shape_for({1, 0}));
  EXPECT_FALSE(BloomeryClassic::shape_for({1, 1}));
  EXPECT_FALSE(BloomeryClassic::shape_for({UINT64_MAX, 0.01}));
  EXPECT_TRUE(BloomeryClassic::shape_for({1, 5e-324}));
}

TEST(BloomeryClassic, WholeNumbersTakeTheDirectWay) {
  const std::uint64_t number = 0x0123456789abcdef;
  std::byte raw[8];
  store_le(raw, number);
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kMix, Profile::kSiphash}) {
    const BloomeryClassic direct{Hasher{profile, 5}, true};
    EXPECT_EQ(direct.digest(raw), direct.hasher(number));
  }
  const BloomeryClassic by_bytes{Hasher{Profile::kAes, 5}, false};
  EXPECT_NE(by_bytes.digest(raw), by_bytes.hasher(number));
}

TEST(BloomeryClassic, AKeyThatIsNoNumberIsStillFound) {
  ClassicFilter<BloomeryClassic> filter{Shape{6400, 7}, {Hasher{Profile::kMix, 1}, true}};
  EXPECT_FALSE(filter.may_contain(bytes_of("five!")));
  filter.insert(bytes_of("five!"));
  filter.insert({});
  EXPECT_TRUE(filter.may_contain(bytes_of("five!")));
  EXPECT_TRUE(filter.may_contain({}));
  EXPECT_FALSE(filter.may_contain(bytes_of("six!")));
}

TEST(BloomeryClassic, MeasuredRateIsWithinFourDeviationsOfTheGoal) {
  const testing::ManyKeys keys{100000};
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash})
    for (const double rate : {0.05, 0.01, 0.001}) {
      auto filter = ClassicFilter<BloomeryClassic>::for_goal({keys.size(), rate},
                                                             {Hasher{profile, 3}, false});
      ASSERT_TRUE(filter);
      filter->insert_batch(keys.views());
      const std::uint64_t samples = 200000;
      const double sigma = std::sqrt(rate / static_cast<double>(samples));
      const double measured = measured_rate(*filter, samples, 17);
      EXPECT_NEAR(measured, filter->health().error_rate, 4 * sigma);
      EXPECT_LE(measured, rate + 4 * sigma);
      EXPECT_GE(measured, 0.95 * rate - 4 * sigma);  // no more bits than needed
      EXPECT_NEAR(filter->health().estimated_keys, 100000, 2000);
    }
}

TEST(BloomeryClassic, MixHoldsItsRateOnStructuredNumbers) {
  for (const unsigned shift : {0U, 16U, 40U}) {
    auto filter =
        ClassicFilter<BloomeryClassic>::for_goal({50000, 0.01}, {Hasher{Profile::kMix, 3}, true});
    ASSERT_TRUE(filter);
    std::byte raw[8];
    for (std::uint64_t i = 0; i < 50000; ++i) {
      store_le(raw, i << shift);
      filter->insert(raw);
    }
    std::uint64_t maybes = 0;
    for (std::uint64_t i = 50000; i < 250000; ++i) {
      store_le(raw, i << shift);
      maybes += filter->may_contain(raw) ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(maybes) / 200000, 0.011) << shift;
  }
}

}  // namespace
}  // namespace bloomery
