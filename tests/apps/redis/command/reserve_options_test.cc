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

TEST(RedisReserveOptions, OnlyFourWordsAskForOurOwnType) {
  for (const List& words :
       {List{"0.01", "10"}, List{"0.01", "10", "EXPANSION", "2"}, List{"0.01", "10", "NONSCALING"},
        List{"0.01", "10", "JUNK", "SLICES", "START"}, List{"0.01", "10", "EXPANSION", "SECRET"},
        List{"COUNTING", "WINDOW"}, List{"0.01", "10", "SECRETBYTES"}})
    EXPECT_FALSE(asks_for_native_type(words)) << words.back();
  for (const List& words :
       {List{"0.01", "10", "counting"}, List{"x", "y", "WINDOW"}, List{"0.01", "10", "A", "Secret"},
        List{"0.01", "10", "EXPANSION", "2", "LAYOUT", "BLOCK"}})
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

}  // namespace
}  // namespace bloomery::redis_module
