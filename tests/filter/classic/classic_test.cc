// The properties every classic filter has, held by a dialect of each kind: scaled positions that
// fold neighbours, positions modulo the bits, and a true recurrence.
#include "bloomery/filter/classic/classic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/classic/double_hash.h"
#include "bloomery/hash/xxh.h"
#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

using testing::ManyKeys;

Hash128 both_halves(ByteView key) noexcept { return xxh3_128(key); }
using Modular = DoubleHash<both_halves>;

struct Stepped {
  static constexpr std::string_view kName = "stepped";
  using Digest = Hash128;
  static Digest digest(ByteView key) noexcept { return xxh3_128(key, 1); }
  static Digest next(const Digest& digest) noexcept {
    return {digest.low * 0x9e3779b97f4a7c15 + digest.high, digest.high};
  }
  static std::uint64_t probe(const Digest& digest, std::uint32_t, const Modulus& bits) noexcept {
    return (digest.low >> 7) % bits;
  }
  static Result<Shape> shape_for(Goal goal) { return BloomeryClassic::shape_for(goal); }
  friend bool operator==(const Stepped&, const Stepped&) = default;
};

template <class D>
class ClassicTest : public ::testing::Test {};
constexpr Shape kSmall{9600, 7};
constexpr Shape kLarge{std::uint64_t{1} << 22, 7};  // 512 KiB: batches fetch ahead
constexpr Shape kManyProbes{std::uint64_t{1} << 22, 40};
constexpr Shape kTwoProbes{std::uint64_t{1} << 22, 2};
using Dialects = ::testing::Types<BloomeryClassic, Modular, Stepped>;
TYPED_TEST_SUITE(ClassicTest, Dialects);

TYPED_TEST(ClassicTest, HoldsEveryKeyAndDeniesMostOthers) {
  auto filter = ClassicFilter<TypeParam>::for_goal({1000, 0.01});
  ASSERT_TRUE(filter) << filter.error().message;
  const ManyKeys keys{1000};
  for (const ByteView key : keys) filter->insert(key);
  for (const ByteView key : keys) EXPECT_TRUE(filter->may_contain(key));
  int maybes = 0;
  for (const ByteView key : ManyKeys{20000, "absent"}) maybes += filter->may_contain(key) ? 1 : 0;
  EXPECT_LT(maybes, 20000 * 0.01 + 4 * std::sqrt(200));
  EXPECT_GT(maybes, 0);
  EXPECT_NEAR(filter->health().estimated_keys, 1000, 20);
  EXPECT_EQ(filter->health().verdict, Verdict::kOk);
}

TYPED_TEST(ClassicTest, InsertIsNewExactlyWhenBytesChange) {
  ClassicFilter<TypeParam> filter{Shape{3000, 5}};
  std::uint64_t added = 0;
  for (const ByteView key : ManyKeys{2000}) {
    const auto before = filter.clone();
    const bool was_in = filter.may_contain(key);
    const bool is_new = filter.insert(key);
    EXPECT_EQ(is_new, !(filter == before));
    EXPECT_EQ(is_new, !was_in);
    added += is_new ? 1 : 0;
  }
  EXPECT_EQ(filter.provenance().keys_inserted, added);
  EXPECT_LT(added, 2000U);  // it is so full that some keys were in by chance
}

TYPED_TEST(ClassicTest, AKeyThatIsInIsNotNewInABatch) {
  const ManyKeys keys{300};
  for (const Shape shape : {kSmall, kLarge, kManyProbes, kTwoProbes}) {
    ClassicFilter<TypeParam> filter{shape};
    filter.insert_batch(keys.views().first(100));
    std::vector<std::uint8_t> is_new(keys.size(), 9);
    const std::size_t added = filter.insert_batch(keys.views(), is_new);
    EXPECT_EQ(std::ranges::count(is_new, 0), 300 - static_cast<std::ptrdiff_t>(added));
    EXPECT_EQ(std::ranges::count(std::span{is_new}.first(100), 0), 100);
    EXPECT_GT(added, 190U);
    EXPECT_EQ(filter.insert_batch(keys.views()), 0U);
  }
}

TYPED_TEST(ClassicTest, BatchesEqualOneAtATime) {
  const ManyKeys present{1000};
  const ManyKeys absent{1000, "absent"};
  for (const Shape shape : {kSmall, kLarge, kManyProbes, kTwoProbes})
    for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 31U, 32U, 33U, 1000U}) {
      ClassicFilter<TypeParam> one{shape};
      ClassicFilter<TypeParam> batch{shape};
      ClassicFilter<TypeParam> uncounted{shape};
      const auto keys = present.views().first(size);
      std::vector<std::uint8_t> expected(size);
      std::vector<std::uint8_t> answers(size, 9);
      for (std::size_t i = 0; i < size; ++i) expected[i] = one.insert(keys[i]) ? 1 : 0;
      const std::size_t added = batch.insert_batch(keys, answers);
      EXPECT_EQ(answers, expected);
      EXPECT_EQ(uncounted.insert_batch(keys), added);
      EXPECT_EQ(one, batch);
      EXPECT_EQ(one, uncounted);
      EXPECT_EQ(one.provenance(), batch.provenance());
      const auto others = absent.views().first(size);
      for (std::size_t i = 0; i < size; ++i) expected[i] = one.may_contain(others[i]) ? 1 : 0;
      batch.may_contain_batch(others, answers);
      EXPECT_EQ(answers, expected);
      batch.may_contain_batch(keys, answers);
      EXPECT_EQ(answers, std::vector<std::uint8_t>(size, 1));
    }
}

TYPED_TEST(ClassicTest, FoldingEqualsBuildingSmaller) {
  const ManyKeys keys{500};
  ClassicFilter<TypeParam> large{Shape{19200, 5}};
  large.insert_batch(keys.views());
  for (const std::uint64_t factor : {1ULL, 2ULL, 3ULL, 4ULL, 50ULL, 64ULL}) {
    ClassicFilter<TypeParam> built{Shape{19200 / factor, 5}};
    built.insert_batch(keys.views());
    const auto folded = large.fold(factor);
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_EQ(*folded, built) << factor;
  }
  EXPECT_FALSE(large.fold(0));
  EXPECT_FALSE(large.fold(7));
}

TYPED_TEST(ClassicTest, MergeEqualsInsertingBoth) {
  const ManyKeys left{300, "left"};
  const ManyKeys right{300, "right"};
  ClassicFilter<TypeParam> a{Shape{9600, 7}};
  ClassicFilter<TypeParam> b{Shape{9600, 7}};
  a.insert_batch(left.views());
  b.insert_batch(right.views());
  auto both = a.clone();
  both.insert_batch(right.views());
  EXPECT_FALSE(*a.is_subset_of(b));
  ASSERT_TRUE(a.merge(b));
  EXPECT_EQ(a, both);
  EXPECT_TRUE(*b.is_subset_of(a));
  EXPECT_FALSE(*a.is_subset_of(b));
  EXPECT_FALSE(a.merge(ClassicFilter<TypeParam>{Shape{9600, 6}}));
}

TYPED_TEST(ClassicTest, IntersectionKeepsTheCommonKeys) {
  const ManyKeys common{200, "common"};
  ClassicFilter<TypeParam> a{Shape{19200, 7}};
  ClassicFilter<TypeParam> b{Shape{19200, 7}};
  a.insert_batch(common.views());
  b.insert_batch(common.views());
  a.insert_batch(ManyKeys{300, "left"}.views());
  b.insert_batch(ManyKeys{300, "right"}.views());
  ASSERT_TRUE(a.intersect(b));
  for (const ByteView key : common) EXPECT_TRUE(a.may_contain(key));
  EXPECT_TRUE(*a.is_subset_of(b));
  int kept = 0;
  for (const ByteView key : ManyKeys{300, "left"}) kept += a.may_contain(key) ? 1 : 0;
  EXPECT_LT(kept, 30);
}

TYPED_TEST(ClassicTest, ResetForgetsAndCloneIsIndependent) {
  ClassicFilter<TypeParam> filter{Shape{9600, 7}};
  filter.insert(bytes_of("a"));
  auto copy = filter.clone();
  filter.reset();
  EXPECT_FALSE(filter.may_contain(bytes_of("a")));
  EXPECT_EQ(filter.provenance().keys_inserted, 0U);
  EXPECT_TRUE(copy.may_contain(bytes_of("a")));
  EXPECT_EQ(copy.provenance().keys_inserted, 1U);
}

TEST(Classic, FiltersOfOtherSeedsAreNotMerged) {
  ClassicFilter<BloomeryClassic> a{Shape{640, 3}, {Hasher{Profile::kXxh3, 1}, false}};
  const ClassicFilter<BloomeryClassic> b{Shape{640, 3}, {Hasher{Profile::kXxh3, 2}, false}};
  EXPECT_EQ(a.merge(b).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace bloomery
