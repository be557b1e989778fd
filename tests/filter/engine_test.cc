#include "bloomery/filter/engine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

using testing::ManyKeys;

constexpr Goal kBlockGoal{1000, 0.01};
constexpr Goal kLinesGoal{1000, 1e-6};
constexpr Goal kClassicGoal{1000, 0.4};
const KeyHash kNumbers{Hasher{Profile::kAes, 3}, true};

Engine made(Goal goal, const KeyHash& hash = {}) {
  auto engine = Engine::for_goal(goal, hash);
  EXPECT_TRUE(engine) << engine.error().message;
  return std::move(*engine);
}

std::vector<std::uint64_t> numbers(std::size_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = (i + 1) * 0x9e3779b97f4a7c15;
  return keys;
}

TEST(Engine, TakesTheLayoutThatSuitsTheGoal) {
  EXPECT_NE(made(kBlockGoal).as_block(), nullptr);
  EXPECT_EQ(made(kBlockGoal).as_classic(), nullptr);
  EXPECT_NE(made(kClassicGoal).as_classic(), nullptr);
  EXPECT_EQ(made(kClassicGoal).as_block(), nullptr);
  EXPECT_NE(made(Goal{1000, 1e-13}).as_classic(), nullptr);
  for (const auto& [rate, lines] :
       {std::pair{1e-2, 1U}, {1e-3, 1U}, {1e-4, 2U}, {1e-6, 2U}, {1e-9, 3U}, {1e-12, 4U}}) {
    const Engine engine = made(Goal{1000, rate});
    ASSERT_NE(engine.as_block(), nullptr) << rate;
    EXPECT_EQ(engine.as_block()->block_shape().lines(), lines) << rate;
    EXPECT_EQ(engine.layout_name(), lines > 1 ? "lines" : "block");
  }
}

TEST(Engine, RefusesAGoalThatNoFilterCanMeetAndSaysWhy) {
  EXPECT_EQ(Engine::for_goal({0, 0.01}).error().message, checked(Goal{0, 0.01}).error().message);
  EXPECT_EQ(Engine::for_goal({10, 1.5}).error().message, checked(Goal{10, 1.5}).error().message);
  for (const double rate : {0.01, 1e-6}) {
    const auto engine = Engine::for_goal({UINT64_MAX, rate});
    ASSERT_FALSE(engine) << rate;
    EXPECT_EQ(engine.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Engine, UnitesAndIntersectsEitherLayoutWithItsOwnKind) {
  for (const Goal goal : {kBlockGoal, kLinesGoal, kClassicGoal}) {
    Engine left = made(goal);
    Engine right = made(goal);
    left.insert(bytes_of("left"));
    left.insert(bytes_of("both"));
    right.insert(bytes_of("right"));
    right.insert(bytes_of("both"));
    Engine united = left.clone();
    ASSERT_TRUE(united.merge(right));
    for (const char* key : {"left", "right", "both"})
      EXPECT_TRUE(united.may_contain(bytes_of(key))) << key;
    Engine common = left.clone();
    ASSERT_TRUE(common.intersect(right));
    EXPECT_TRUE(common.may_contain(bytes_of("both")));
    EXPECT_FALSE(common.may_contain(bytes_of("left")));
    EXPECT_FALSE(common.may_contain(bytes_of("right")));
  }
}

TEST(Engine, RefusesToUniteOrIntersectTwoLayouts) {
  for (const bool block_first : {false, true}) {
    Engine one = made(block_first ? kBlockGoal : kClassicGoal);
    one.insert(bytes_of("kept"));
    const Engine before = one.clone();
    const Engine other = made(block_first ? kClassicGoal : kBlockGoal);
    for (const Status& refused : {one.merge(other), one.intersect(other)}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
      EXPECT_NE(refused.error().message.find("block"), std::string::npos);
    }
    EXPECT_EQ(one, before);
  }
}

// Numbers are handed to a classic filter in pieces of 256: whole pieces, and one more or less.
TEST(Engine, BatchesOfAnySizeEqualOneKeyAtATime) {
  for (const Goal goal : {kBlockGoal, kLinesGoal, kClassicGoal})
    for (const std::size_t size : {0U, 1U, 255U, 256U, 257U, 1000U}) {
      const auto keys = numbers(2 * size);
      const auto present = std::span<const std::uint64_t>{keys}.first(size);
      Engine one = made(goal, kNumbers);
      Engine batch = made(goal, kNumbers);
      std::size_t added = 0;
      for (const std::uint64_t key : present) added += one.insert(key) ? 1 : 0;
      EXPECT_EQ(batch.insert_batch(present), added) << size;
      EXPECT_EQ(one, batch) << size;
      EXPECT_EQ(batch.provenance().keys_inserted, added);
      std::vector<std::uint8_t> answers(keys.size(), 9);
      std::vector<std::uint8_t> expected(keys.size());
      for (std::size_t i = 0; i < keys.size(); ++i) expected[i] = one.may_contain(keys[i]) ? 1 : 0;
      EXPECT_EQ(batch.may_contain_batch(std::span<const std::uint64_t>{keys}, answers),
                static_cast<std::size_t>(std::ranges::count(expected, 1)));
      EXPECT_EQ(answers, expected) << size;
    }
}

TEST(Engine, BatchesOfBytesEqualOneKeyAtATime) {
  const ManyKeys keys{500};
  const ManyKeys absent{500, "absent"};
  for (const Goal goal : {kBlockGoal, kLinesGoal, kClassicGoal}) {
    Engine one = made(goal);
    Engine batch = made(goal);
    std::size_t added = 0;
    for (const ByteView key : keys) added += one.insert(key) ? 1 : 0;
    EXPECT_EQ(batch.insert_batch(keys.views()), added);
    EXPECT_EQ(one, batch);
    std::vector<std::uint8_t> answers(keys.size());
    EXPECT_EQ(batch.may_contain_batch(keys.views(), answers), keys.size());
    EXPECT_LT(batch.may_contain_batch(absent.views(), answers), goal == kClassicGoal ? 300U : 20U);
  }
}

TEST(Engine, TellsOfEitherLayoutWhatTheFilterTells) {
  for (const Goal goal : {kBlockGoal, kLinesGoal, kClassicGoal}) {
    Engine engine = made(goal);
    const ManyKeys keys{1000};
    const std::size_t added = engine.insert_batch(keys.views());
    EXPECT_EQ(engine.provenance().goal, goal);
    EXPECT_EQ(engine.provenance().keys_inserted, added);
    EXPECT_EQ(engine.health().verdict, Verdict::kOk);
    EXPECT_NEAR(engine.health().estimated_keys, 1000, 50);
    EXPECT_EQ(engine.size_bytes(), engine.shape().bytes());
    engine.reset();
    EXPECT_EQ(engine, made(goal));
  }
}

}  // namespace
}  // namespace bloomery
