#include "apps/redis/command/reserve_options.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery::redis_module {
namespace {

using List = std::vector<std::string_view>;

NativeReserve parsed(const List& words, bool from_primary = false) {
  EXPECT_TRUE(asks_for_native_type(words));
  const auto result = parse_native_reserve(words, Settings{}, from_primary);
  const auto* wanted = std::get_if<NativeReserve>(&result);
  EXPECT_NE(wanted, nullptr);
  return wanted == nullptr ? NativeReserve{{{0, 0}, 0}} : *wanted;
}
Refusal refused(const List& words, bool from_primary = false) {
  EXPECT_TRUE(asks_for_native_type(words));
  const auto result = parse_native_reserve(words, Settings{}, from_primary);
  const auto* refusal = std::get_if<Refusal>(&result);
  EXPECT_NE(refusal, nullptr);
  return refusal == nullptr ? Refusal::kNoMemory : *refusal;
}

TEST(RedisReserveOptions, OnlyFiveWordsAskForOurOwnType) {
  for (const List& words :
       {List{"0.01", "10"}, List{"0.01", "10", "EXPANSION", "2"}, List{"0.01", "10", "NONSCALING"},
        List{"0.01", "10", "JUNK", "SLICES", "START"}, List{"0.01", "10", "EXPANSION", "SECRET"},
        List{"COUNTING", "WINDOW"}, List{"0.01", "10", "SECRETBYTES"}})
    EXPECT_FALSE(asks_for_native_type(words)) << words.back();
  for (const List& words :
       {List{"0.01", "10", "counting"}, List{"x", "y", "WINDOW"}, List{"0.01", "10", "A", "Secret"},
        List{"0.01", "10", "EXPANSION", "2", "LAYOUT", "BLOCK"},
        List{"0.01", "10", "PART", "0", "1"}})
    EXPECT_TRUE(asks_for_native_type(words)) << words.back();
}

TEST(RedisReserveOptions, EachOptionFixesItsPartOfThePlan) {
  const NativeReserve counting = parsed({"0.01", "10", "COUNTING"});
  EXPECT_EQ(counting.plan, (LayeredPlan{{10, 0.01}, 2, LayerKind::kCounting}));
  EXPECT_FALSE(counting.draws_secret);
  EXPECT_EQ(parsed({"0.5", "10", "layout", "block", "EXPANSION", "4"}).plan,
            (LayeredPlan{{10, 0.25}, 4, LayerKind::kBlock}));
  EXPECT_EQ(parsed({"0.01", "10", "NONSCALING", "WINDOW", "60"}).plan,
            (LayeredPlan{{10, 0.01}, 0, LayerKind::kClassic, TimeWindow{60'000, 8}}));
  EXPECT_EQ(parsed({"0.01", "10", "SLICES", "2", "LAYOUT", "BLOCK", "WINDOW", "1"}).plan,
            (LayeredPlan{{10, 0.01}, 2, LayerKind::kBlock, TimeWindow{1000, 2}}));
  const NativeReserve secret = parsed({"0.01", "10", "SECRET", "COUNTING", "EXPANSION", "0"});
  EXPECT_TRUE(secret.draws_secret);
  EXPECT_EQ(secret.plan, (LayeredPlan{{10, 0.01}, 0, LayerKind::kCounting}));
}

TEST(RedisReserveOptions, TheFirstWordsAreRefusedAsThePeerDoes) {
  EXPECT_EQ(refused({"x", "10", "COUNTING"}), Refusal::kReserveBadRate);
  EXPECT_EQ(refused({"1", "10", "COUNTING"}), Refusal::kReserveRateRange);
  EXPECT_EQ(refused({"0.1", "x", "COUNTING"}), Refusal::kReserveBadKeys);
  EXPECT_EQ(refused({"0.1", "0", "COUNTING"}), Refusal::kReserveKeysRange);
  EXPECT_EQ(refused({"0.1", "1", "COUNTING", "EXPANSION"}), Refusal::kReserveNoExpansion);
  EXPECT_EQ(refused({"0.1", "1", "COUNTING", "EXPANSION", "x"}), Refusal::kReserveBadExpansion);
  EXPECT_EQ(refused({"0.1", "1", "COUNTING", "EXPANSION", "32769"}),
            Refusal::kReserveExpansionRange);
  EXPECT_EQ(refused({"0.1", "1", "COUNTING", "EXPANSION", "1", "NONSCALING"}),
            Refusal::kNonScalingExpands);
}

TEST(RedisReserveOptions, WhatContradictsItselfIsRefusedWithItsReason) {
  EXPECT_EQ(refused({"0.1", "1", "COUNTING", "JUNK"}), Refusal::kNativeUnknownOption);
  EXPECT_EQ(refused({"0.1", "1", "COUNTING", "counting"}), Refusal::kNativeRepeatedOption);
  for (const std::string_view bad : {"0", "-1", "2147483648", "x", "1.5"})
    EXPECT_EQ(refused({"0.1", "1", "WINDOW", bad}), Refusal::kNativeBadWindow) << bad;
  EXPECT_EQ(refused({"0.1", "1", "WINDOW"}), Refusal::kNativeBadWindow);
  for (const std::string_view bad : {"1", "65", "x"})
    EXPECT_EQ(refused({"0.1", "1", "WINDOW", "9", "SLICES", bad}), Refusal::kNativeBadSlices)
        << bad;
  EXPECT_EQ(refused({"0.1", "1", "SECRET", "SLICES", "4"}), Refusal::kNativeBadSlices);
  EXPECT_EQ(refused({"0.1", "1", "LAYOUT"}), Refusal::kNativeBadLayout);
  EXPECT_EQ(refused({"0.1", "1", "LAYOUT", "CLASSIC"}), Refusal::kNativeBadLayout);
  EXPECT_EQ(refused({"0.1", "1", "LAYOUT", "BLOCK", "COUNTING"}), Refusal::kNativeCountingBlock);
  EXPECT_EQ(refused({"0.1", "1", "WINDOW", "1", "COUNTING"}), Refusal::kNativeCountingWindow);
}

TEST(RedisReserveOptions, OnlyAPrimaryTellsSecretsAndTimes) {
  Secret secret;
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::byte>(i * 17);
  const std::string text = secret_text(secret);
  EXPECT_EQ(text, "00112233445566778899aabbccddeeff");
  const List words{"0.1", "1", "SECRET", "SECRETBYTES", text, "WINDOW", "5", "START", "77"};
  EXPECT_EQ(refused(words), Refusal::kNativeFromPrimaryOnly);
  const NativeReserve told = parsed(words, true);
  EXPECT_EQ(told.plan.secret, secret);
  EXPECT_FALSE(told.draws_secret);
  EXPECT_EQ(told.secret_at, 4U);
  EXPECT_EQ(told.start, 77);
  EXPECT_EQ(refused({"0.1", "1", "WINDOW", "5", "START", "77"}), Refusal::kNativeFromPrimaryOnly);
  for (const List& bad :
       {List{"0.1", "1", "SECRET", "SECRETBYTES", "00"}, List{"0.1", "1", "SECRET", "SECRETBYTES"},
        List{"0.1", "1", "COUNTING", "SECRETBYTES", text}, List{"0.1", "1", "SECRET", "START", "1"},
        List{"0.1", "1", "WINDOW", "5", "START", "-1"}})
    EXPECT_EQ(refused(bad, true), Refusal::kNativeFromPrimaryOnly);
}

TEST(RedisReserveOptions, APartIsOfTheFilterThatAFileHolds) {
  const NativeReserve part =
      parsed({"0.01", "5000000000000", "LAYOUT", "BLOCK", "PART", "3", "12"});
  ASSERT_TRUE(part.plan.part);
  EXPECT_EQ(part.plan.goal, (Goal{5'000'000'000'000, 0.01}));  // more than one key may hold
  EXPECT_EQ(part.plan.expansion, 0U);
  EXPECT_EQ(part.plan.part->part, (Part{3, 12}));
  EXPECT_EQ(part.plan.part->profile, Profile::kXxh3_64);  // as a file's
  EXPECT_EQ(parsed({"0.01", "1000000", "part", "0", "12", "layout", "block", "EXPANSION", "0"})
                .plan.part->profile,
            Profile::kXxh3_64);
}

TEST(RedisReserveOptions, APartTakesItsNumberAndNoOtherOption) {
  for (const List& words : {List{"0.01", "99", "LAYOUT", "BLOCK", "PART"},
                            List{"0.01", "99", "LAYOUT", "BLOCK", "PART", "1"},
                            List{"0.01", "99", "LAYOUT", "BLOCK", "PART", "2", "2"},
                            List{"0.01", "99", "LAYOUT", "BLOCK", "PART", "-1", "2"},
                            List{"0.01", "99", "LAYOUT", "BLOCK", "PART", "0", "0"},
                            List{"0.01", "99", "LAYOUT", "BLOCK", "PART", "0", "1048577"},
                            List{"0.01", "99", "LAYOUT", "BLOCK", "PART", "x", "2"}})
    EXPECT_EQ(refused(words), Refusal::kNativeBadPart) << words.back();
  for (const List& words :
       {List{"0.01", "9999", "PART", "0", "2"}, List{"0.01", "9999", "PART", "0", "2", "COUNTING"},
        List{"0.01", "9999", "LAYOUT", "BLOCK", "PART", "0", "2", "SECRET"},
        List{"0.01", "9999", "LAYOUT", "BLOCK", "PART", "0", "2", "WINDOW", "9"},
        List{"0.01", "9999", "LAYOUT", "BLOCK", "PART", "0", "2", "EXPANSION", "2"}})
    EXPECT_EQ(refused(words), Refusal::kNativePartAlone) << words.back();
  EXPECT_EQ(refused({"0.01", "10", "LAYOUT", "BLOCK", "PART", "0", "1000"}),
            Refusal::kNativePartShape);
}

}  // namespace
}  // namespace bloomery::redis_module
