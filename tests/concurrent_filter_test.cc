#include "bloomery/concurrent_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

constexpr Goal kSharedGoal{40'000, 0.01};

template <class T, class Make>
void expect_threads_fill_it(Make make) {
  ConcurrentFilter<T> shared(kSharedGoal);
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&shared, &make, thread] {
      std::vector<T> keys;
      for (int i = thread; i < 40'000; i += kThreads) keys.push_back(make(i));
      const std::size_t half = keys.size() / 2;
      for (std::size_t i = 0; i < half; ++i) shared.insert(keys[i]);
      shared.insert_range(
          std::vector<T>(keys.begin() + static_cast<std::ptrdiff_t>(half), keys.end()));
      for (const T& key : keys) EXPECT_TRUE(shared.may_contain(key));
    });
  for (std::thread& thread : threads) thread.join();

  Filter<T> alone(kSharedGoal);
  for (int i = 0; i < 40'000; ++i) alone.insert(make(i));
  EXPECT_EQ(shared.snapshot(), alone);
  EXPECT_NEAR(shared.health().estimated_keys, 40'000, 400);
  std::vector<std::uint8_t> answers(2);
  shared.may_contain(std::vector<T>{make(1), make(39'999)}, answers);
  EXPECT_EQ(answers, (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ(std::move(shared).into_filter(), alone);
}

TEST(ConcurrentFilter, HoldsTheBitsOfOneThread) {
  expect_threads_fill_it<std::string>([](int i) { return "key " + std::to_string(i); });
  expect_threads_fill_it<std::uint64_t>([](int i) { return static_cast<std::uint64_t>(i) << 32; });
}

TEST(ConcurrentFilter, IsLoadedFromABlockFileOnly) {
  const ScratchFolder folder;
  const auto file = folder.path() / "shared.bloom";
  ConcurrentFilter<std::string> seen(kSharedGoal);
  EXPECT_TRUE(seen.insert("apple"));
  EXPECT_FALSE(seen.insert("apple"));
  ASSERT_TRUE(seen.save(file));
  const auto loaded = ConcurrentFilter<std::string>::load(file);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(loaded->may_contain("apple"));
  EXPECT_FALSE(loaded->may_contain("plum"));
  EXPECT_FALSE(ConcurrentFilter<std::uint64_t>::load(file));

  Filter<std::string> lines({.keys = 100, .false_positive_rate = 1e-6});
  lines.insert("pear");
  ASSERT_TRUE(lines.save(file));
  auto shared = ConcurrentFilter<std::string>::load(file);
  ASSERT_TRUE(shared) << shared.error().message;
  EXPECT_TRUE(shared->may_contain("pear"));
  EXPECT_TRUE(shared->insert("quince"));
  EXPECT_EQ(lines.insert("quince"), true);
  EXPECT_EQ(shared->snapshot(), lines);  // the same bits as one thread sets

  ASSERT_TRUE(Filter<std::string>({.keys = 100, .false_positive_rate = 0.4}).save(file));
  const auto classic = ConcurrentFilter<std::string>::load(file);
  ASSERT_FALSE(classic);
  EXPECT_EQ(classic.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(classic.error().message.starts_with(file.string())) << classic.error().message;
}

// Batches and single keys of several lines set the bits that one thread does.
TEST(ConcurrentFilter, OfALowRateIsTheFilterOfOneThread) {
  for (const double rate : {1e-4, 1e-9}) {
    const Goal goal{1000, rate};
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(i << 20);
    ConcurrentFilter<std::uint64_t> shared(goal);
    Filter<std::uint64_t> alone(goal);
    EXPECT_EQ(shared.insert_range(keys), alone.insert_range(keys));
    EXPECT_EQ(shared.snapshot(), alone);
    EXPECT_EQ(shared.health().error_rate, alone.health().error_rate);
    std::vector<std::uint8_t> answers(keys.size());
    shared.may_contain(keys, answers);
    EXPECT_EQ(answers, std::vector<std::uint8_t>(keys.size(), 1));
    EXPECT_FALSE(shared.may_contain(7));
  }
}

TEST(ConcurrentFilter, TakesAnyGoal) {
  for (const Goal goal : {Goal{0, 0.01}, Goal{100, 0}, Goal{100, 1}, Goal{100, 1e-9}}) {
    ConcurrentFilter<std::uint64_t> filter(goal);
    EXPECT_TRUE(filter.insert(5));
    EXPECT_TRUE(filter.may_contain(5));
  }
  EXPECT_FALSE(ConcurrentFilter<std::string>::for_goal({0, 0.01}));
  EXPECT_FALSE(ConcurrentFilter<std::string>::for_goal({10, 0.01}, Hasher{Profile::kMix}));
}

}  // namespace
}  // namespace bloomery
