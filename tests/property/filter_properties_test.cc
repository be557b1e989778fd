// Every filter and dialect against what all of them must obey, with keys that rapidcheck makes up
// and shrinks; it prints its seed.
#include <rapidcheck.h>

#include "tests/filter/many_keys.h"
#include "tests/property/every_filter.h"
#include "tests/property/measured_rate.h"

namespace bloomery::testing {
namespace {

// Few distinct letters and short keys: repeated keys, empty ones and prefixes of each other.
class MadeUpKeys {
 public:
  MadeUpKeys()
      : texts_{*rc::gen::container<std::vector<std::string>>(
            rc::gen::oneOf(rc::gen::string<std::string>(),
                           rc::gen::container<std::string>(rc::gen::inRange('a', 'd'))))} {
    for (const std::string& text : texts_) views_.push_back(bytes_of(text));
  }
  MadeUpKeys(const MadeUpKeys&) = delete;  // the views point into the texts
  MadeUpKeys& operator=(const MadeUpKeys&) = delete;
  KeyList views() const { return views_; }

 private:
  std::vector<std::string> texts_;
  std::vector<ByteView> views_;
};

void expect_none(const Violations& violations) {
  if (!violations.empty()) RC_FAIL(violations.front());
}

template <class F>
class FilterProperties : public ::testing::Test {
 protected:
  MakeFilter<F> make_;
};
template <class F>
class BitFilterProperties : public FilterProperties<F> {};
template <class F>
class CountingProperties : public FilterProperties<F> {};
TYPED_TEST_SUITE(FilterProperties, EveryFilter, FilterName);
TYPED_TEST_SUITE(BitFilterProperties, BitFilters, FilterName);
TYPED_TEST_SUITE(CountingProperties, CountingFilters, FilterName);

TYPED_TEST(FilterProperties, NoKeyThatIsInIsDenied) {
  EXPECT_TRUE(rc::check([this] {
    const MadeUpKeys keys;
    expect_none(check_no_false_negatives(this->make_, keys.views()));
  }));
  const ManyKeys many{1000};
  EXPECT_EQ(check_no_false_negatives(this->make_, many.views()), Violations{});
}

TYPED_TEST(FilterProperties, InsertionOnlySetsBitsAndSaysWhetherItDid) {
  EXPECT_TRUE(rc::check([this] {
    const MadeUpKeys keys;
    expect_none(check_insertion(this->make_, keys.views()));
  }));
  const ManyKeys many{400};
  EXPECT_EQ(check_insertion(this->make_, many.views()), Violations{});
}

TYPED_TEST(FilterProperties, MergeEqualsInsertingBoth) {
  EXPECT_TRUE(rc::check([this] {
    const MadeUpKeys first;
    const MadeUpKeys second;
    expect_none(check_merge(this->make_, first.views(), second.views()));
  }));
}

TYPED_TEST(BitFilterProperties, IntersectKeepsCommonKeys) {
  EXPECT_TRUE(rc::check([this] {
    const MadeUpKeys common;
    const MadeUpKeys first;
    const MadeUpKeys second;
    expect_none(check_intersect(this->make_, common.views(), first.views(), second.views()));
  }));
}

TYPED_TEST(BitFilterProperties, AFoldEqualsTheFilterBuiltSmaller) {
  EXPECT_TRUE(rc::check([this] {
    const MadeUpKeys keys;
    expect_none(check_fold(this->make_, keys.views()));
  }));
}

TYPED_TEST(BitFilterProperties, AFilterOfFewerKeysIsASubset) {
  EXPECT_TRUE(rc::check([this] {
    const MadeUpKeys keys;
    const MadeUpKeys more;
    expect_none(check_subset(this->make_, keys.views(), more.views()));
  }));
}

TEST(RedisBloomProperties, AFilterOfFewerKeysIsASubset) {
  EXPECT_TRUE(rc::check([] {
    const MadeUpKeys keys;
    const MadeUpKeys more;
    const MakeFilter<RedisBloomFilter> make;
    expect_none(check_subset(make, keys.views(), more.views()));
  }));
}

TYPED_TEST(FilterProperties, ABatchEqualsOneKeyAtATime) {
  for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 31U, 32U, 33U, 1000U}) {
    const ManyKeys keys{size};
    for (const std::uint64_t scale : {std::uint64_t{1}, kMiddleScale, kLargeScale})
      EXPECT_EQ(check_batch(this->make_, keys.views(), scale), Violations{});
  }
}

TYPED_TEST(CountingProperties, RemovalUndoesInsertion) {
  EXPECT_TRUE(rc::check([this] {
    const MadeUpKeys stay;
    const MadeUpKeys go;
    expect_none(check_removal(this->make_, stay.views(), go.views()));
  }));
  const ManyKeys stay{20};  // so few and distinct that no counter sticks and the check is made
  const ManyKeys go{20, "go"};
  auto filter = this->make_(kMiddleScale);
  insert_all(filter, stay.views());
  insert_all(filter, go.views());
  ASSERT_EQ(filter.stuck_counters(), 0U);
  EXPECT_EQ(check_removal(this->make_, stay.views(), go.views()), Violations{});
}

// Two dialects' bits lie, and are kept as their peers made them: go-bloom's hashes share a bit, and
// in a large filter LevelDB's one 32-bit hash shows.
template <class F>
constexpr bool kBitsLie =
    std::same_as<F, ClassicFilter<GoBloom>> || std::same_as<F, ClassicFilter<LevelDb>>;

TYPED_TEST(FilterProperties, TheMeasuredRateIsTheExpectedOne) {
  if constexpr (kBitsLie<TypeParam>)
    GTEST_SKIP() << "this dialect's false-positive rate is above that of its bits";
  const std::uint64_t seed = 20'260'101;
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  EXPECT_EQ(check_rate(this->make_, seed), Violations{});
}

}  // namespace
}  // namespace bloomery::testing
