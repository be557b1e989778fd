#include "apps/cli/filters/fold_search.h"

#include <gmock/gmock.h>

namespace bloomery::cli {
namespace {

using ::testing::ElementsAre;

NativeClassic filter_of(std::uint64_t bits, std::uint32_t keys) {
  NativeClassic native{ClassicFilter<BloomeryClassic>{Shape{bits, 7}}};
  for (std::uint32_t i = 0; i < keys; ++i) native.filter.insert(bytes_of(std::to_string(i)));
  return native;
}

TEST(FoldSearch, DivisorsComeDownwards) {
  EXPECT_THAT(divisors_downwards(12), ElementsAre(12, 6, 4, 3, 2, 1));
  EXPECT_THAT(divisors_downwards(49), ElementsAre(49, 7, 1));
  EXPECT_THAT(divisors_downwards(1), ElementsAre(1));
}

TEST(FoldSearch, FindsTheSmallestFoldThatKeepsTheRate) {
  const AnyFilter large{filter_of(std::uint64_t{1} << 17, 1000)};
  auto folded = smallest_fold(large, 0.01);
  ASSERT_TRUE(folded && *folded);
  // 1000 keys need 9586 bits for 1 %: 2^14 is the smallest power of two above.
  EXPECT_EQ((*folded)->factor, 8U);
  EXPECT_LE((*folded)->description.health->error_rate, 0.01);
  auto smaller = fold(large, 16);
  ASSERT_TRUE(smaller);
  EXPECT_GT(describe(*smaller).health->error_rate, 0.01);
}

TEST(FoldSearch, TheFoldHoldsEveryKey) {
  auto folded = smallest_fold(AnyFilter{filter_of(std::uint64_t{1} << 17, 1000)}, 0.05);
  ASSERT_TRUE(folded && *folded);
  const auto& filter = std::get<NativeClassic>((*folded)->filter).filter;
  for (std::uint32_t i = 0; i < 1000; ++i)
    EXPECT_TRUE(filter.may_contain(bytes_of(std::to_string(i))));
}

TEST(FoldSearch, AFilterThatIsFullAlreadyIsNotFolded) {
  auto folded = smallest_fold(AnyFilter{filter_of(4096, 1000)}, 0.01);
  ASSERT_TRUE(folded);
  EXPECT_FALSE(*folded);
}

TEST(FoldSearch, ALenientRateBecomesTheGoalOfTheFold) {
  NativeClassic strict = filter_of(std::uint64_t{1} << 17, 1000);
  strict.filter.set_provenance({.goal = Goal{1000, 1e-9}, .keys_inserted = 1000});
  auto folded = smallest_fold(AnyFilter{std::move(strict)}, 0.01);
  ASSERT_TRUE(folded && *folded);
  EXPECT_EQ((*folded)->description.goal->false_positive_rate, 0.01);
  EXPECT_EQ((*folded)->description.health->verdict, Verdict::kOk);
}

TEST(FoldSearch, BlockFiltersFoldByAnyDivisorOfTheirBlocks) {
  NativeBlock large{BlockFilter{{3 * 5 * 64, 6}}};
  for (std::uint32_t i = 0; i < 1000; ++i) large.filter.insert(bytes_of(std::to_string(i)));
  const AnyFilter filter{std::move(large)};
  auto folded = smallest_fold(filter, 0.01);
  ASSERT_TRUE(folded && *folded);
  // 1000 keys need about twenty blocks for 1 %.
  const BlockFilter& fold = std::get<NativeBlock>((*folded)->filter).filter;
  EXPECT_EQ((*folded)->factor * fold.block_shape().blocks, 960U);
  EXPECT_GE(fold.block_shape().blocks, 19U);
  EXPECT_LE(fold.block_shape().blocks, 24U);
  EXPECT_EQ((*folded)->description.goal->false_positive_rate, 0.01);
  for (std::uint32_t i = 0; i < 1000; ++i)
    EXPECT_TRUE(fold.may_contain(bytes_of(std::to_string(i))));
}

TEST(FoldSearch, ASeededFilterIsNotFolded) {
  const AnyFilter seeded{NativeBlock{BlockFilter{{64, 6, true}}}};
  const auto folded = smallest_fold(seeded, 0.01);
  ASSERT_FALSE(folded);
  EXPECT_NE(folded.error().message.find("seeded"), std::string::npos);
}

TEST(FoldSearch, AKindThatCannotBeFoldedIsRefused) {
  auto counting = CountingFilter<BloomeryClassic, 4>::for_goal({100, 0.01});
  ASSERT_TRUE(counting);
  const auto folded = smallest_fold(AnyFilter{NativeCounting<4>{std::move(*counting)}}, 0.01);
  ASSERT_FALSE(folded);
  EXPECT_EQ(folded.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace bloomery::cli
