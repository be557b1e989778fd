// Tests of the tests: the property and golden suites must find nothing in a right filter and
// something in each wrong one.
#include <gtest/gtest-spi.h>

#include "tests/broken/broken_filters.h"
#include "tests/filter/many_keys.h"
#include "tests/formats/golden.h"
#include "tests/property/measured_rate.h"

namespace bloomery::testing {
namespace {

template <class F>
struct Make {
  F operator()(std::uint64_t scale) const {
    if constexpr (std::derived_from<F, RightLines>)
      return F{BlockShape{4 * scale, 16}};
    else if constexpr (std::derived_from<F, BlockFilter>)
      return F{BlockShape{4 * scale, 5}};
    else
      return F{Shape{640 * scale, 5}};
  }
};

void append(Violations& all, Violations more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

template <class F>
Violations property_violations() {
  const Make<F> make;
  const ManyKeys keys{300};
  const ManyKeys more{300, "more"};
  const ManyKeys common{50, "common"};
  Violations all = check_no_false_negatives(make, keys.views());
  append(all, check_insertion(make, keys.views()));
  append(all, check_merge(make, keys.views(), more.views()));
  append(all, check_intersect(make, common.views(), keys.views(), more.views()));
  append(all, check_fold(make, keys.views()));
  append(all, check_subset(make, keys.views(), more.views()));
  append(all, check_batch(make, keys.views(), 1));
  append(all, check_batch(make, keys.views(), kLargeScale));
  append(all, check_rate(make, 1));
  return all;
}

template <class F>
Result<F> decode_as(ByteView bytes, const SizingRequest& sizing) {
  auto right = decode_go_bloom(bytes, {.sizing = sizing});
  if (!right) return right.error();
  return F{std::move(*right)};
}

// The golden check itself, its failures caught: how many there were over all of go-bloom's filters.
template <class F>
int golden_violations() {
  ::testing::TestPartResultArray caught;
  const auto golden = golden_json("formats/gobloom.json");
  for (const auto& one : golden.at("filters")) {
    SizingRequest sizing;
    sizing.keys = std::stoull(one.at("params").at("n").template get<std::string>());
    sizing.rate = std::stod(one.at("params").at("p").template get<std::string>());
    const Shape shape = *GoBloom::shape_for({*sizing.keys, *sizing.rate});
    const auto encode = [](const F& filter) {
      const ByteView bits = filter.bytes().first(static_cast<std::size_t>(filter.size_bits() / 8));
      return Bytes{bits.begin(), bits.end()};
    };
    const ::testing::ScopedFakeTestPartResultReporter reporter{
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &caught};
    check_golden(
        one, F{shape}, [&](ByteView bytes) { return decode_as<F>(bytes, sizing); }, encode);
  }
  return caught.size();
}

bool names(const Violations& violations, std::string_view property) {
  return std::ranges::any_of(violations, [&](const std::string& violation) {
    return violation.find(property) != std::string::npos;
  });
}

TEST(Broken, TheSuitesFindNothingInARightFilter) {
  EXPECT_EQ(property_violations<Right<BloomeryClassic>>(), Violations{});
  EXPECT_EQ(golden_violations<Right<GoBloom>>(), 0);
}

TEST(Broken, AFilterThatIsAlwaysTrueIsCaught) {
  const Violations found = property_violations<AlwaysTrue<BloomeryClassic>>();
  EXPECT_TRUE(names(found, "the measured rate"));
  EXPECT_TRUE(names(found, "a key is new though it may be contained"));
  EXPECT_GT(golden_violations<AlwaysTrue<GoBloom>>(), 0);
}

TEST(Broken, AFilterThatSkipsTheLastProbeIsCaughtByItsBytes) {
  EXPECT_GT(golden_violations<SkipsLastProbe<GoBloom>>(), 0);
}

TEST(Broken, AModulusThatIsOffByOneIsCaught) {
  EXPECT_TRUE(names(property_violations<OffByOneModulus<GoBloom>>(), "a fold differs"));
  EXPECT_GT(golden_violations<OffByOneModulus<GoBloom>>(), 0);
}

TEST(Broken, AMergeThatIsAndIsCaught) {
  EXPECT_TRUE(names(property_violations<MergeIsAnd<BloomeryClassic>>(), "merge differs"));
}

TEST(Broken, AFilterThatLosesEveryHundredthKeyIsCaught) {
  const Violations found = property_violations<LosesEveryHundredth<BloomeryClassic>>();
  EXPECT_TRUE(names(found, "a key that is in is denied"));
  EXPECT_TRUE(names(found, "insert misreports"));
}

TEST(Broken, ABatchThatAnswersThePreviousKeyIsCaught) {
  const Violations found = property_violations<BatchAnswersThePreviousKey<BloomeryClassic>>();
  EXPECT_TRUE(names(found, "a batch answers otherwise"));
}

TEST(BrokenBlock, TheSuitesFindNothingInARightFilter) {
  EXPECT_EQ(property_violations<RightBlock>(), Violations{});
}

TEST(BrokenBlock, ABlockThatIsOffByOneIsCaught) {
  EXPECT_TRUE(names(property_violations<BlockIsOffByOne>(), "a fold differs"));
}

TEST(BrokenBlock, AFilterThatIgnoresThePatternsIsCaught) {
  EXPECT_TRUE(names(property_violations<BlockIgnoresPatterns>(), "the measured rate"));
}

TEST(BrokenBlock, AFilterWhoseBitsFollowFromThePlaceIsCaught) {
  EXPECT_TRUE(names(property_violations<BlockUsesThePlaceTwice>(), "the measured rate"));
}

TEST(BrokenBlock, AMergeThatIsAndIsCaught) {
  EXPECT_TRUE(names(property_violations<BlockMergeIsAnd>(), "merge differs"));
}

TEST(BrokenBlock, ABatchThatSkipsItsLastKeyIsCaught) {
  const Violations inserts = property_violations<BlockSkipsTheLastInsert>();
  EXPECT_TRUE(names(inserts, "a batch inserts otherwise"));
  EXPECT_TRUE(names(inserts, "a batch sets other bits"));
  EXPECT_TRUE(names(property_violations<BlockSkipsTheLastLookup>(), "a batch answers otherwise"));
}

TEST(BrokenLines, TheSuitesFindNothingInARightFilter) {
  EXPECT_EQ(property_violations<RightLines>(), Violations{});
}

TEST(BrokenLines, AFilterThatUsesOneLineForTwoIsCaught) {
  EXPECT_TRUE(names(property_violations<LinesUseTheFirst>(), "the measured rate"));
}

TEST(BrokenLines, ABatchThatAsksOneLineIsCaught) {
  EXPECT_TRUE(names(property_violations<LinesBatchAsksTheFirst>(), "a batch answers otherwise"));
}

TEST(BrokenLines, AMergeThatIsAndIsCaught) {
  EXPECT_TRUE(names(property_violations<LinesMergeIsAnd>(), "merge differs"));
}

}  // namespace
}  // namespace bloomery::testing
