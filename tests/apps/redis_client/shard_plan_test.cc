#include "apps/redis_client/shard_plan.h"

#include <gtest/gtest.h>

#include "bloomery/formats/native/native.h"

namespace bloomery::redis_client {
namespace {

constexpr Goal kGoal{1'000'000, 0.01};

ShardPlan made(Goal goal = kGoal, std::uint32_t shards = 12) {
  auto plan = ShardPlan::make(goal, shards, 3);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return plan ? *plan : ShardPlan{};
}

std::string refusal(const ShardFields& fields) {
  const auto plan = ShardPlan::parse(fields);
  EXPECT_FALSE(plan);
  return plan ? "" : plan.error().message;
}

TEST(ShardPlan, IsTheFilterOfAFileForTheSameGoal) {
  const auto file =
      create_native({.sizing = {.keys = kGoal.keys, .rate = kGoal.false_positive_rate}});
  ASSERT_TRUE(file);
  const BlockFilter& filter = std::get<NativeBlock>(*file).filter;
  EXPECT_EQ(made().shape, filter.block_shape());
  EXPECT_EQ(made().hasher, filter.hash().hasher);
}

TEST(ShardPlan, ComesBackFromItsFields) {
  for (ShardPlan plan : {made(), made({2'000'000'000'000, 0.001}, 16384), made({1000, 0.25}, 1)})
    for (const ShardState state :
         {ShardState::kCreating, ShardState::kLoading, ShardState::kReady}) {
      plan.state = state;
      const auto again = ShardPlan::parse(plan.fields());
      ASSERT_TRUE(again);
      EXPECT_TRUE(again->same_filter(plan));
      EXPECT_EQ(again->id, plan.id);
      EXPECT_EQ(again->state, state);
    }
  EXPECT_NE(made().id, made().id);
}

TEST(ShardPlan, EveryKeyBelongsToThePartOfItsBlock) {
  const ShardPlan plan = made(kGoal, 7);
  std::vector<int> count(7);
  for (int i = 0; i < 7000; ++i) {
    const std::string key = "key:" + std::to_string(i);
    const std::uint32_t shard = plan.shard_of(bytes_of(key));
    const std::uint64_t block = block::block_of(plan.hasher(bytes_of(key)).low, plan.shape.blocks);
    ASSERT_TRUE(blocks_of(plan.part(shard), plan.shape.blocks).holds(block));
    ++count[shard];
  }
  for (const int of_one : count) EXPECT_NEAR(of_one, 1000, 200);
}

TEST(ShardPlan, RefusesFieldsThatAreNoFilter) {
  const ShardFields good = made().fields();
  const auto with = [&](const char* name, const char* value) {
    ShardFields fields = good;
    fields[name] = value;
    return fields;
  };
  for (const auto& [name, value] : good) {
    ShardFields fields = good;
    fields.erase(name);
    EXPECT_NE(refusal(fields).find(name), std::string::npos) << name;
  }
  EXPECT_NE(refusal(with("version", "2")).find("only 1 is known"), std::string::npos);
  EXPECT_NE(refusal(with("tags", "other")).find("tags"), std::string::npos);
  EXPECT_NE(refusal(with("state", "gone")).find("state"), std::string::npos);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"keys", "0"},
                                                                  {"keys", "x"},
                                                                  {"rate", "1.5"},
                                                                  {"rate", "nan"},
                                                                  {"blocks", "0"},
                                                                  {"blocks", "99999999999999999"},
                                                                  {"probes", "9"},
                                                                  {"shards", "0"},
                                                                  {"shards", "16385"},
                                                                  {"hash", "md5"},
                                                                  {"hash", "siphash"},
                                                                  {"hash", "mix"},
                                                                  {"seed", "-1"},
                                                                  {"blocks", "11"}})
    EXPECT_FALSE(refusal(with(name, value)).empty()) << name << " " << value;
}

TEST(ShardPlan, RefusesGoalsThatNoServerMeets) {
  EXPECT_FALSE(ShardPlan::make({1000, 0.3}, 1, 1));  // a server lowers it
  EXPECT_FALSE(ShardPlan::make({10, 0.01}, 12, 3));  // fewer blocks than shards
  EXPECT_FALSE(ShardPlan::make({0, 0.01}, 1, 1));
  EXPECT_FALSE(ShardPlan::make(kGoal, 16385, 1));
}

TEST(AutomaticShards, FourOnEachPrimaryAndAtMost64MiBInOne) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  EXPECT_EQ(automatic_shards(kMiB, 1), 4U);
  EXPECT_EQ(automatic_shards(kMiB, 3), 12U);
  EXPECT_EQ(automatic_shards(12 * 64 * kMiB, 3), 12U);
  EXPECT_EQ(automatic_shards(12 * 64 * kMiB + 1, 3), 15U);
  EXPECT_EQ(automatic_shards(64 * 1024 * 1024 * kMiB, 7), 16384U);
  EXPECT_EQ(automatic_shards(64, 3), 1U);  // one block
}

TEST(ShardKeys, HaveTheNameAndATag) {
  EXPECT_EQ(metadata_key("seen"), "seen:{seen}:meta");
  const auto keys = shard_keys("seen", 3);
  const auto tags = shard_tags(3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(keys[i], "seen:{" + tags[i] + "}");
}

}  // namespace
}  // namespace bloomery::redis_client
