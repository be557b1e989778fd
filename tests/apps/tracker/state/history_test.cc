#include "apps/tracker/state/history.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <random>
#include <set>

#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/tracker_model.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

TrackerModel new_book(CycleGoal goal = {}) {
  return TrackerModel{State{.history = History::starting_at(next_cycle_id(1), 0, goal, "new")}};
}

CycleId id_of(const TrackerModel& tracked) { return tracked.state()->history.current().id; }

TEST(History, ANewTrackerKnowsFromItsSecondCycleOn) {
  TrackerModel tracked = new_book();
  const History& history = tracked.state()->history;
  EXPECT_EQ(history.knows_from(), 2U);
  EXPECT_TRUE(tracked.may_have_changed("a", id_of(tracked)));
  const auto second = tracked.cycle({0, 2}, 0);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->complete);
  EXPECT_EQ(second->knows_from, 2U);
  EXPECT_FALSE(tracked.may_have_changed("a", {2}));
  EXPECT_TRUE(tracked.may_have_changed("a", {1}));
  EXPECT_TRUE(tracked.may_have_changed("a", {0})) << "never scanned";
  EXPECT_TRUE(tracked.may_have_changed("a", {3})) << "a cycle of the future";
  EXPECT_TRUE(tracked.cycle({2, 3}, 0)->complete);
}

TEST(History, AnotherCycleOfTheSameNumberIsNotBelieved) {
  TrackerModel tracked = new_book();
  ASSERT_TRUE(tracked.cycle({0, 2}, 0));
  const CycleId second = id_of(tracked);
  ASSERT_TRUE(tracked.cycle({0, 3}, 0));
  EXPECT_FALSE(tracked.may_have_changed("a", second));
  EXPECT_FALSE(tracked.may_have_changed("a", {2, 0}));
  EXPECT_TRUE(tracked.may_have_changed("a", {2, second.token + 1}));
}

TEST(History, ASkippedNumberIsNoGap) {
  TrackerModel tracked = new_book();
  ASSERT_TRUE(tracked.cycle({0, 5}, 0));
  tracked.mark("a/b");
  tracked.flush();
  ASSERT_TRUE(tracked.cycle({0, 9}, 0));
  EXPECT_TRUE(tracked.may_have_changed("a", {7})) << "cycle 5 lasted until 9 began";
  EXPECT_FALSE(tracked.may_have_changed("c", {7}));
  EXPECT_FALSE(tracked.may_have_changed("a", {9}));
  ASSERT_TRUE(tracked.cycle({7, 9}, 0));
  EXPECT_FALSE(tracked.may_have_changed("c", {7})) << "so cycle 5 is not forgotten before 7 is";
  ASSERT_TRUE(tracked.cycle({9, 9}, 0));
  EXPECT_TRUE(tracked.may_have_changed("c", {7}));
}

TEST(History, NumbersDoNotComeAgain) {
  TrackerModel tracked = new_book();
  ASSERT_TRUE(tracked.cycle({0, 5}, 0));
  const CycleId fifth = id_of(tracked);
  ASSERT_TRUE(tracked.cycle({0, 5}, 0));
  EXPECT_EQ(id_of(tracked), fifth);
  const auto lower = tracked.cycle({0, 4}, 0);
  ASSERT_FALSE(lower);
  EXPECT_EQ(lower.error().code, ErrorCode::kInvalidArgument);
}

TEST(History, KeepsSixteenCyclesBeforeTheCurrentOne) {
  TrackerModel tracked = new_book();
  for (std::uint64_t i = 2; i <= 40; ++i) ASSERT_TRUE(tracked.cycle(tracked.next_request(), 0));
  EXPECT_EQ(tracked.state()->history.past().size(), 16U);
  EXPECT_EQ(tracked.state()->history.knows_from(), 24U);
  EXPECT_FALSE(tracked.may_have_changed("a", {24}));
  EXPECT_TRUE(tracked.may_have_changed("a", {23}));
  EXPECT_EQ(tracked.cycle({.oldest_clean = "a"}, 0)->oldest, 23U);
  tracked.mark("a");
  tracked.flush();
  EXPECT_EQ(tracked.cycle({.oldest_clean = "a"}, 0)->oldest, 40U);
}

TEST(History, WhatWasLostInOneCycleIsScannedOnce) {
  TrackerModel tracked = new_book();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(tracked.cycle(tracked.next_request(), 0));
  tracked.flag_everything("lost");
  EXPECT_EQ(tracked.state()->history.knows_from(), 7U);
  ASSERT_TRUE(tracked.cycle(tracked.next_request(), 0));
  EXPECT_TRUE(tracked.may_have_changed("a", {6}));
  EXPECT_FALSE(tracked.may_have_changed("a", {7}));
}

TEST(History, ACycleStartsAsLargeAsTheOneBeforeItEndedBeing) {
  TrackerModel tracked = new_book();
  ASSERT_TRUE(tracked.cycle(tracked.next_request(), 0));
  for (int i = 0; i < 60'000; ++i) tracked.mark(message("folder/", i));
  tracked.flush();
  ASSERT_TRUE(tracked.cycle(tracked.next_request(), 0));
  EXPECT_EQ(tracked.state()->history.current().filter.goal().first_keys, 32768U);
  ASSERT_TRUE(tracked.cycle(tracked.next_request(), 0));
  EXPECT_EQ(tracked.state()->history.current().filter.goal().first_keys, CycleGoal{}.first_keys);
}

// Random marks and cycles beside an exact model: a path that changed is never denied, and what did
// not change is denied but for the rate.
class Model {
 public:
  void mark(const std::string& clean) {
    for (std::string_view at = clean;; at = parent_of(at)) {
      last_change_[std::string{at}] = current_;
      if (at.empty()) return;
    }
  }
  void begin(std::uint64_t index) { current_ = index; }
  bool changed(const std::string& clean, std::uint64_t since) const {
    const auto found = last_change_.find(clean);
    return found != last_change_.end() && found->second >= since;
  }
  std::uint64_t current() const { return current_; }

 private:
  std::map<std::string, std::uint64_t> last_change_;
  std::uint64_t current_ = 1;
};

std::string random_path(std::mt19937_64& random) {
  std::string path;
  for (auto depth = random() % 5 + 1; depth > 0; --depth)
    path += message(path.empty() ? "" : "/", static_cast<char>('a' + random() % 6), random() % 4);
  return path;
}

TEST(History, RandomMarksAndCyclesNeverDenyAChange) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random{seed};
  std::size_t unchanged = 0;
  std::size_t needless = 0;
  for (int round = 0; round < 20; ++round) {
    TrackerModel tracked = new_book({.rate = 0.02, .first_keys = 64});
    Model model;
    ASSERT_TRUE(tracked.cycle({0, 2}, 0));
    model.begin(2);
    for (int step = 0; step < 3000; ++step) {
      const auto dice = random() % 1000;
      if (dice < 8) {
        const std::uint64_t next = model.current() + 1 + (random() % 8 == 0 ? random() % 3 : 0);
        ASSERT_TRUE(tracked.cycle({0, next}, 0));
        model.begin(next);
      } else if (dice < 10) {
        const auto decoded = decode_state(encode_state(*tracked.state()), {});
        ASSERT_TRUE(decoded) << decoded.error().message;
        tracked = TrackerModel{decoded->snapshot()};
      } else if (dice < 300) {
        const std::string path = random_path(random);
        model.mark(path);
        tracked.mark(random() % 2 == 0 ? path : "//" + path + "/./");
        tracked.flush();
      } else {
        const std::string path = random_path(random);
        const std::uint64_t since = random() % (model.current() + 2);
        const bool answer = tracked.may_have_changed(path, {since});
        if (model.changed(path, since)) {
          ASSERT_TRUE(answer) << path << " since " << since;
        } else if (since >= tracked.state()->history.knows_from() && since <= model.current()) {
          ++unchanged;
          needless += answer ? 1U : 0U;
        }
      }
    }
  }
  ASSERT_GT(unchanged, 1000U);
  // At most seventeen filters are asked, most of them nearly empty.
  EXPECT_LT(static_cast<double>(needless), 0.05 * static_cast<double>(unchanged));
}

TEST(History, AMergeOfCyclesAnswersAsTheyDo) {
  TrackerModel tracked = new_book({.first_keys = 64});
  ASSERT_TRUE(tracked.cycle({0, 2}, 0));
  for (std::uint64_t cycle = 2; cycle < 8; ++cycle) {
    for (int i = 0; i < 100; ++i) tracked.mark(message("c", cycle, "/", i));
    tracked.flush();
    ASSERT_TRUE(tracked.cycle({0, cycle + 1}, 0));
  }
  const History& history = tracked.state()->history;
  const CycleFilter merged = history.merged_from(5);
  for (std::uint64_t cycle = 5; cycle < 8; ++cycle)
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(merged.may_have_changed(message("c", cycle, "/", i)));
  EXPECT_FALSE(merged.may_have_changed("c4"));
  EXPECT_TRUE(history.merged_from(1).everything());
  EXPECT_FALSE(history.merged_from(2).everything());
}

}  // namespace
}  // namespace bloomery::tracker
