#include "bloomery/formats/foreign_filter.h"

#include "bloomery/formats/go_bloom.h"
#include "tests/formats/golden.h"

namespace bloomery {
namespace {

TEST(ForeignFilter, SwappedWordsAreReversedWordByWordAndBack) {
  const auto from = testing::from_hex("0001020304050607f0f1f2f3f4f5f6f7");
  std::vector<std::byte> to(16);
  copy_swapped_words(from, to);
  EXPECT_EQ(testing::to_hex(to), "0706050403020100f7f6f5f4f3f2f1f0");
  std::vector<std::byte> back(16);
  copy_swapped_words(to, back);
  EXPECT_EQ(back, from);
}

TEST(ForeignFilter, EndOfOnesIsOnePastTheHighestBit) {
  EXPECT_EQ(end_of_ones({}), 0U);
  std::vector<std::byte> bits(24);
  EXPECT_EQ(end_of_ones(bits), 0U);
  bits[0] = std::byte{1};
  EXPECT_EQ(end_of_ones(bits), 1U);
  bits[7] = std::byte{0x80};
  EXPECT_EQ(end_of_ones(bits), 64U);
  bits[8] = std::byte{0x02};
  EXPECT_EQ(end_of_ones(bits), 66U);
  bits[23] = std::byte{0x40};
  EXPECT_EQ(end_of_ones(bits), 191U);
}

TEST(ForeignFilter, AGoalNeedsKeysAndRateAndNothingElse) {
  SizingRequest sizing{.keys = 5, .rate = 0.5};
  ASSERT_TRUE(requested_goal(sizing, "x"));
  EXPECT_EQ(*requested_goal(sizing, "x"), (Goal{5, 0.5}));
  sizing.bits = 64;
  EXPECT_EQ(requested_goal(sizing, "x").error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(requested_goal({.keys = 5, .rate = 0.5, .probes = 3}, "x"));
  EXPECT_FALSE(requested_goal({.keys = 5, .rate = 0.5, .bits_per_key = 10.0}, "x"));
  EXPECT_FALSE(requested_goal({.keys = 5, .rate = 0.5, .blocks = 3}, "x"));
  EXPECT_FALSE(requested_goal({.keys = 5}, "x"));
  EXPECT_FALSE(requested_goal({.rate = 0.5}, "x"));
}

TEST(ForeignFilter, AnEmptyFilterBeyondTheLimitIsRefused) {
  const Shape shape{1024, 3};
  ASSERT_TRUE(empty_filter<GoBloom>(shape, Goal{9, 0.1}, {.max_bytes = 128}));
  EXPECT_EQ(empty_filter<GoBloom>(shape, Goal{9, 0.1}, {.max_bytes = 128})->provenance().goal,
            (Goal{9, 0.1}));
  EXPECT_EQ(empty_filter<GoBloom>(shape, {}, {.max_bytes = 127}).error().code,
            ErrorCode::kTooLarge);
  const Error wrong{ErrorCode::kInvalidArgument, "why"};
  EXPECT_EQ(empty_filter<GoBloom>(wrong, {}, {}).error().message, "why");
}

}  // namespace
}  // namespace bloomery
