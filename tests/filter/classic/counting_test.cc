#include "bloomery/filter/classic/counting.h"

#include <gtest/gtest.h>

#include "bloomery/filter/classic/bloomery_classic.h"
#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

using testing::ManyKeys;

template <class F>
class CountingTest : public ::testing::Test {};
using Filters =
    ::testing::Types<CountingFilter<BloomeryClassic, 2>, CountingFilter<BloomeryClassic, 4>,
                     CountingFilter<BloomeryClassic, 8>>;
TYPED_TEST_SUITE(CountingTest, Filters);

TYPED_TEST(CountingTest, RemovingUndoesInserting) {
  auto filter = TypeParam::for_goal({1000, 0.01});
  ASSERT_TRUE(filter);
  filter->insert_batch(ManyKeys{200}.views());
  const auto before = filter->clone();
  const std::uint64_t stuck = filter->stuck_counters();
  const ManyKeys keys{1, "another"};
  EXPECT_FALSE(filter->may_contain(keys.views()[0]));
  EXPECT_TRUE(filter->insert(keys.views()[0]));
  EXPECT_TRUE(filter->may_contain(keys.views()[0]));
  EXPECT_FALSE(*filter == before);
  EXPECT_TRUE(filter->remove(keys.views()[0]));
  if (filter->stuck_counters() == stuck) {
    EXPECT_EQ(*filter, before);
    EXPECT_FALSE(filter->may_contain(keys.views()[0]));
  }
  EXPECT_EQ(filter->provenance().keys_inserted, 200U);
}

// Ten counters and thirty probes: nearly every probe of a key meets another of the same key.
TYPED_TEST(CountingTest, CoincidingProbesCountOnce) {
  TypeParam filter{Shape{10, 30}};
  const TypeParam empty{Shape{10, 30}};
  filter.insert(bytes_of("a"));
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_LE(TypeParam::Counter::get(filter.bytes(), i), 1U);
  EXPECT_TRUE(filter.remove(bytes_of("a")));
  EXPECT_EQ(filter, empty);
}

TYPED_TEST(CountingTest, RemovingAnAbsentKeyChangesNothing) {
  auto filter = TypeParam::for_goal({1000, 0.01});
  ASSERT_TRUE(filter);
  filter->insert_batch(ManyKeys{500}.views());
  const auto before = filter->clone();
  for (const ByteView key : ManyKeys{500, "absent"}) {
    if (filter->may_contain(key)) continue;
    EXPECT_FALSE(filter->remove(key));
  }
  EXPECT_EQ(*filter, before);
  EXPECT_EQ(filter->provenance(), before.provenance());
}

TYPED_TEST(CountingTest, StuckCountersStay) {
  TypeParam filter{Shape{640, 3}};
  for (unsigned i = 0; i < 300; ++i) filter.insert(bytes_of("often"));
  EXPECT_EQ(filter.stuck_counters(), 3U);
  for (unsigned i = 0; i < 400; ++i) EXPECT_TRUE(filter.remove(bytes_of("often")));
  EXPECT_TRUE(filter.may_contain(bytes_of("often")));
  EXPECT_EQ(filter.stuck_counters(), 3U);
  EXPECT_EQ(filter.provenance().keys_inserted, 0U);
}

TYPED_TEST(CountingTest, BatchesEqualOneAtATime) {
  const ManyKeys present{1000};
  for (const Shape shape : {Shape{9600, 7}, Shape{std::uint64_t{1} << 22, 7}})
    for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 31U, 32U, 33U, 1000U}) {
      TypeParam one{shape};
      TypeParam batch{shape};
      const auto keys = present.views().first(size);
      std::vector<std::uint8_t> expected(size);
      std::vector<std::uint8_t> answers(size, 9);
      for (std::size_t i = 0; i < size; ++i) expected[i] = one.insert(keys[i]) ? 1 : 0;
      EXPECT_EQ(batch.insert_batch(keys, answers),
                static_cast<std::size_t>(std::count(expected.begin(), expected.end(), 1)));
      EXPECT_EQ(answers, expected);
      EXPECT_EQ(one, batch);
      batch.may_contain_batch(keys, answers);
      EXPECT_EQ(answers, std::vector<std::uint8_t>(size, 1));
      const auto half = keys.first(size / 2);
      for (const ByteView key : half) one.remove(key);
      answers.assign(half.size(), 9);
      EXPECT_EQ(batch.remove_batch(half, answers), half.size());
      EXPECT_EQ(answers, std::vector<std::uint8_t>(half.size(), 1));
      EXPECT_EQ(one, batch);
    }
}

TYPED_TEST(CountingTest, ABatchTellsHowManyOfItsKeysWereNew) {
  const ManyKeys keys{300};
  TypeParam filter{Shape{9600, 7}};
  EXPECT_EQ(filter.insert_batch(keys.views()), 300U);
  EXPECT_EQ(filter.insert_batch(keys.views()), 0U);
  EXPECT_EQ(filter.provenance().keys_inserted, 600U);  // each has to be removed twice
}

TYPED_TEST(CountingTest, MergeEqualsInsertingBoth) {
  const ManyKeys left{400, "left"};
  const ManyKeys right{400, "right"};
  TypeParam a{Shape{4000, 7}};
  TypeParam b{Shape{4000, 7}};
  TypeParam both{Shape{4000, 7}};
  a.insert_batch(left.views());
  b.insert_batch(right.views());
  both.insert_batch(left.views());
  both.insert_batch(right.views());
  ASSERT_TRUE(a.merge(b));
  EXPECT_EQ(a, both);
  EXPECT_EQ(a.provenance().keys_inserted, 800U);
  EXPECT_FALSE(a.merge(TypeParam{Shape{4000, 6}}));
  EXPECT_FALSE(a.merge(TypeParam{Shape{4000, 7}, {Hasher{Profile::kAes}, false}}));
}

TYPED_TEST(CountingTest, ItsBitsAreTheClassicFilter) {
  const ManyKeys keys{1000};
  auto counting = TypeParam::for_goal({1000, 0.01});
  auto classic = ClassicFilter<BloomeryClassic>::for_goal({1000, 0.01});
  ASSERT_TRUE(counting && classic);
  counting->insert_batch(keys.views());
  classic->insert_batch(keys.views());
  EXPECT_EQ(counting->to_classic(), *classic);
  EXPECT_EQ(counting->health().fill, classic->health().fill);
  EXPECT_EQ(counting->health().error_rate, classic->health().error_rate);
  EXPECT_NEAR(counting->health().estimated_keys, 1000, 20);
  counting->reset();
  EXPECT_EQ(counting->health().fill, 0);
}

}  // namespace
}  // namespace bloomery
