#include "bloomery/filter/classic/scalable.h"

#include <gtest/gtest.h>

#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/measure.h"
#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

using testing::ManyKeys;
using Scalable = ScalableFilter<BloomeryClassic>;

Scalable make(Goal goal, Growth growth = {}) {
  auto filter = Scalable::for_goal(goal, growth);
  EXPECT_TRUE(filter) << filter.error().message;
  return std::move(*filter);
}

TEST(Scalable, GrowsAndKeepsTheGoal) {
  Scalable filter = make({1000, 0.01});
  const ManyKeys keys{50000};
  std::uint64_t added = 0;
  for (const ByteView key : keys) {
    const auto is_new = filter.insert(key);
    ASSERT_TRUE(is_new);
    added += *is_new ? 1 : 0;
  }
  EXPECT_EQ(filter.layers().size(), 6U);  // 1000 + 2000 + ... + 32000 = 63000
  for (const ByteView key : keys) ASSERT_TRUE(filter.may_contain(key));
  const Health health = filter.health();
  EXPECT_EQ(health.verdict, Verdict::kOk);
  EXPECT_LE(health.error_rate, 0.0105);
  EXPECT_NEAR(health.estimated_keys, 50000, 1000);
  EXPECT_NEAR(measured_rate(filter, 200000, 1), health.error_rate,
              4 * std::sqrt(health.error_rate / 200000));
  EXPECT_EQ(filter.provenance().keys_inserted, added);
  EXPECT_GT(added, 49500U);
}

TEST(Scalable, LayersFollowTheGrowth) {
  const Growth growth{.factor = 3, .tightening = 0.25, .max_layers = 4};
  Scalable filter = make({100, 0.1}, growth);
  ASSERT_TRUE(filter.insert_batch(ManyKeys{1000}.views()));
  ASSERT_EQ(filter.layers().size(), 3U);
  EXPECT_EQ(filter.layers()[0].goal, (Goal{100, 0.1 * 0.75}));
  EXPECT_EQ(filter.layers()[1].goal, (Goal{300, 0.1 * 0.75 * 0.25}));
  EXPECT_EQ(filter.layers()[2].goal, (Goal{900, 0.1 * 0.75 * 0.25 * 0.25}));
  EXPECT_TRUE(filter.layers()[1].full());
  EXPECT_FALSE(filter.layers()[2].full());
  EXPECT_EQ(filter.size_bits(), filter.layers()[0].filter.size_bits() +
                                    filter.layers()[1].filter.size_bits() +
                                    filter.layers()[2].filter.size_bits());
}

TEST(Scalable, BatchesEqualOneAtATime) {
  const ManyKeys present{3000};
  const ManyKeys absent{1000, "absent"};
  for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 31U, 32U, 33U, 1000U, 3000U})
    for (const std::uint64_t first : {10ULL, 100ULL, 100000ULL}) {
      Scalable one = make({first, 0.05});
      Scalable batch = make({first, 0.05});
      const auto keys = present.views().first(size);
      std::vector<std::uint8_t> expected(size);
      std::vector<std::uint8_t> answers(size, 9);
      for (std::size_t i = 0; i < size; ++i) expected[i] = *one.insert(keys[i]) ? 1 : 0;
      const auto added = batch.insert_batch(keys, answers);
      ASSERT_TRUE(added);
      EXPECT_EQ(answers, expected);
      EXPECT_EQ(*added, static_cast<std::size_t>(std::count(answers.begin(), answers.end(), 1)));
      EXPECT_EQ(one, batch);
      batch.may_contain_batch(keys, answers);
      EXPECT_EQ(answers, std::vector<std::uint8_t>(size, 1));
      const auto others = absent.views().first(std::min<std::size_t>(size, 1000));
      expected.resize(others.size());
      answers.assign(others.size(), 9);
      for (std::size_t i = 0; i < others.size(); ++i)
        expected[i] = one.may_contain(others[i]) ? 1 : 0;
      batch.may_contain_batch(others, answers);
      EXPECT_EQ(answers, expected);
    }
}

TEST(Scalable, RefusesNewKeysOnceAllLayersAreFull) {
  Scalable filter = make({10, 0.01}, {.factor = 1, .tightening = 0.5, .max_layers = 2});
  const ManyKeys keys{20};
  ASSERT_EQ(*filter.insert_batch(keys.views()), 20U);
  EXPECT_EQ(filter.insert(bytes_of("one too many")).error().code, ErrorCode::kTooLarge);
  const auto known = filter.insert(keys.views()[3]);
  ASSERT_TRUE(known);
  EXPECT_FALSE(*known);
  EXPECT_FALSE(filter.insert_batch(ManyKeys{5, "more"}.views()));
}

TEST(Scalable, RefusesALayerBeyondAllFilters) {
  Scalable filter = make({1, 0.01}, {.factor = 32768, .tightening = 1e-300, .max_layers = 9});
  ASSERT_TRUE(filter.insert(bytes_of("first")));
  EXPECT_EQ(Scalable::layer_goal({1, 0.01}, {.factor = 32768}, 9).error().code,
            ErrorCode::kTooLarge);
  const auto second = Scalable::layer_goal({1, 0.01}, filter.growth(), 2);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->false_positive_rate, 0);  // no filter has it
}

TEST(Scalable, MergesLayerByLayer) {
  Scalable a = make({100, 0.01});
  Scalable b = make({100, 0.01});
  ASSERT_TRUE(a.insert_batch(ManyKeys{200, "left"}.views()));
  ASSERT_TRUE(b.insert_batch(ManyKeys{50, "right"}.views()));
  EXPECT_EQ(a.merge(b).error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(b.insert_batch(ManyKeys{200, "right"}.views()));
  const Scalable before = a.clone();
  ASSERT_TRUE(a.merge(b));
  EXPECT_FALSE(a == before);
  for (const ByteView key : ManyKeys{200, "left"}) EXPECT_TRUE(a.may_contain(key));
  for (const ByteView key : ManyKeys{200, "right"}) EXPECT_TRUE(a.may_contain(key));
  EXPECT_FALSE(a.may_contain(bytes_of("neither")));
}

TEST(Scalable, ResetLeavesOneEmptyLayer) {
  Scalable filter = make({10, 0.01});
  ASSERT_TRUE(filter.insert_batch(ManyKeys{100}.views()));
  const Scalable copy = filter.clone();
  filter.reset();
  EXPECT_EQ(filter, make({10, 0.01}));
  EXPECT_EQ(filter.health().fill, 0);
  EXPECT_GT(copy.layers().size(), 1U);
}

TEST(Scalable, BadGoalsAndGrowthsAreRefused) {
  EXPECT_FALSE(Scalable::for_goal({0, 0.01}));
  EXPECT_FALSE(Scalable::for_goal({10, 1.0}));
  EXPECT_FALSE(Scalable::for_goal({10, 0.01}, {.factor = 0}));
  EXPECT_FALSE(Scalable::for_goal({10, 0.01}, {.tightening = 1}));
}

}  // namespace
}  // namespace bloomery
