#include "apps/redis/server/arguments.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery::redis_module {
namespace {

using List = std::vector<std::string_view>;

Refusal reserve_refusal(const List& words) {
  const auto parsed = parse_reserve(words, {});
  const auto* refusal = std::get_if<Refusal>(&parsed);
  EXPECT_NE(refusal, nullptr);
  return refusal == nullptr ? Refusal::kNoMemory : *refusal;
}
NewFilter reserved(const List& words, const Settings& settings = {}) {
  const auto parsed = parse_reserve(words, settings);
  EXPECT_TRUE(std::holds_alternative<NewFilter>(parsed));
  const auto* filter = std::get_if<NewFilter>(&parsed);
  return filter == nullptr ? NewFilter{} : *filter;
}
Insertion inserted(const List& words, const Settings& settings = {}) {
  const auto parsed = parse_insert(words, settings);
  EXPECT_TRUE(std::holds_alternative<Insertion>(parsed));
  const auto* insertion = std::get_if<Insertion>(&parsed);
  return insertion == nullptr ? Insertion{} : *insertion;
}
Refusal insert_refusal(const List& words) {
  const auto parsed = parse_insert(words, {});
  const auto* refusal = std::get_if<Refusal>(&parsed);
  EXPECT_NE(refusal, nullptr);
  return refusal == nullptr ? Refusal::kNoMemory : *refusal;
}

TEST(ReserveArguments, TakesTheExpansionFromTheSettingsUnlessGiven) {
  const Settings settings{.expansion = 5};
  EXPECT_EQ(reserved({"0.01", "10"}, settings).expansion, 5U);
  EXPECT_EQ(reserved({"0.01", "10", "expansion", "3"}, settings).expansion, 3U);
  EXPECT_EQ(reserved({"0.01", "10", "NonScaling"}, settings).expansion, 0U);
  EXPECT_EQ(reserved({"0.01", "10", "EXPANSION", "0"}, settings).expansion, 0U);
}

TEST(ReserveArguments, LowersARateAboveAQuarter) {
  EXPECT_EQ(reserved({"0.9", "10"}).goal, (Goal{10, 0.25}));
  EXPECT_EQ(reserved({"0.2", "1073741824"}).goal, (Goal{std::uint64_t{1} << 30, 0.2}));
}

TEST(ReserveArguments, IgnoresWordsThatAreNoOption) {
  EXPECT_EQ(reserved({"0.01", "10", "JUNK", "MORE"}).expansion, 2U);
}

TEST(ReserveArguments, RefusesInThePeersOrder) {
  EXPECT_EQ(reserve_refusal({"x", "x", "EXPANSION"}), Refusal::kReserveBadRate);
  EXPECT_EQ(reserve_refusal({"2", "x", "EXPANSION"}), Refusal::kReserveRateRange);
  EXPECT_EQ(reserve_refusal({"0.1", "x", "EXPANSION"}), Refusal::kReserveBadKeys);
  EXPECT_EQ(reserve_refusal({"0.1", "0", "EXPANSION"}), Refusal::kReserveKeysRange);
  EXPECT_EQ(reserve_refusal({"0.1", "1", "EXPANSION"}), Refusal::kReserveNoExpansion);
  EXPECT_EQ(reserve_refusal({"0.1", "1", "EXPANSION", "x"}), Refusal::kReserveBadExpansion);
  EXPECT_EQ(reserve_refusal({"0.1", "1", "EXPANSION", "99999", "NONSCALING"}),
            Refusal::kNonScalingExpands);
  EXPECT_EQ(reserve_refusal({"0.1", "1", "EXPANSION", "99999"}), Refusal::kReserveExpansionRange);
  EXPECT_EQ(reserve_refusal({"0.1"}), Refusal::kArity);
  EXPECT_EQ(reserve_refusal({"0.1", "1", "a", "b", "c", "d"}), Refusal::kArity);
}

TEST(InsertArguments, AreReadUntilItems) {
  const Insertion insertion =
      inserted({"CAPACITY", "7", "error", "0.9", "EXPANSION", "3", "NOCREATE", "ITEMS", "ITEMS"});
  EXPECT_EQ(insertion.filter.goal, (Goal{7, 0.25}));
  EXPECT_EQ(insertion.filter.expansion, 3U);
  EXPECT_FALSE(insertion.may_create);
  EXPECT_EQ(insertion.first_key, 8U);
}

TEST(InsertArguments, HaveTheSettingsForDefaults) {
  const Settings settings{.error_rate = 0.1, .initial_size = 9, .expansion = 4};
  const Insertion insertion = inserted({"ITEMS", "a"}, settings);
  EXPECT_EQ(insertion.filter.goal, (Goal{9, 0.1}));
  EXPECT_EQ(insertion.filter.expansion, 4U);
  EXPECT_TRUE(insertion.may_create);
}

TEST(InsertArguments, MayBeShortened) {
  const Insertion insertion = inserted({"c", "10", "er", "0.1", "ex", "4", "noc", "i", "a"});
  EXPECT_EQ(insertion.filter.goal, (Goal{10, 0.1}));
  EXPECT_EQ(insertion.filter.expansion, 4U);
  EXPECT_FALSE(insertion.may_create);
  EXPECT_EQ(inserted({"e", "7", "I", "a"}).filter.expansion, 7U);
  EXPECT_EQ(inserted({"n", "i", "a"}).filter.expansion, 0U);
  EXPECT_EQ(inserted({"NO", "i", "a"}).filter.expansion, 0U);
  EXPECT_EQ(insert_refusal({"itemsx", "a"}), Refusal::kUnknownArgument);
  EXPECT_EQ(insert_refusal({"cx", "1", "i", "a"}), Refusal::kUnknownArgument);
}

TEST(InsertArguments, LetNonScalingWinOverAnExpansion) {
  EXPECT_EQ(inserted({"NONSCALING", "EXPANSION", "3", "ITEMS", "a"}).filter.expansion, 0U);
  EXPECT_EQ(inserted({"EXPANSION", "3", "NONSCALING", "ITEMS", "a"}).filter.expansion, 0U);
}

TEST(InsertArguments, AreRefusedWithTheirOwnWords) {
  EXPECT_EQ(insert_refusal({"ERROR", "1", "ITEMS", "a"}), Refusal::kInsertBadRate);
  EXPECT_EQ(insert_refusal({"CAPACITY", "0", "ITEMS", "a"}), Refusal::kInsertBadKeys);
  EXPECT_EQ(insert_refusal({"EXPANSION", "-1", "ITEMS", "a"}), Refusal::kInsertBadExpansion);
  EXPECT_EQ(insert_refusal({"", "ITEMS", "a"}), Refusal::kUnknownArgument);
  EXPECT_EQ(insert_refusal({"NOCREATE", "ITEMS"}), Refusal::kArity);
  EXPECT_EQ(insert_refusal({"NOCREATE"}), Refusal::kArity);
  EXPECT_EQ(insert_refusal({"NOCREATE", "CAPACITY"}), Refusal::kArity);
}

}  // namespace
}  // namespace bloomery::redis_module
