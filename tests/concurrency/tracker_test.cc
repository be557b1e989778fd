// Many threads mark while others ask, begin cycles and save: nothing marked is ever denied.
#include "apps/tracker/state/tracker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "apps/tracker/state/mark_queue.h"
#include "bloomery/base/message.h"
#include "tests/base/scratch_folder.h"
#include "tests/full_run.h"

namespace bloomery::tracker {
namespace {

int rounds() { return testing::full_run() ? 40'000 : 4'000; }

std::string path_of(int thread, int i) {
  return message("thread", thread, "/", i % 37, "/", i % 11, "/file", i);
}

TEST(ConcurrencyTracker, WhatWasMarkedBeforeABarrierIsNeverDenied) {
  const ScratchFolder folder;
  auto tracker = Tracker::open({.folder = folder.path(),
                                .marks_only = true,
                                .save_every = std::chrono::milliseconds{2},
                                .heartbeat_every = std::chrono::milliseconds{1}});
  ASSERT_TRUE(tracker) << tracker.error().message;
  ASSERT_TRUE((*tracker)->next_cycle());
  std::atomic<int> denied = 0;
  std::atomic<int> marking = 4;
  const auto mark = [&](int thread) {
    for (int i = 0; i < rounds(); ++i) {
      const std::string path = path_of(thread, i);
      // The cycle may end at any time: then the mark is in it or in a later one.
      const CycleId since = i % 64 == 0 ? (*tracker)->snapshot()->current().id : CycleId{};
      (*tracker)->mark(path);
      if (since.index == 0) continue;
      (void)(*tracker)->barrier();
      if (!(*tracker)->may_have_changed(path, since)) ++denied;
      if (!(*tracker)->may_have_changed(message("thread", thread), since)) ++denied;
    }
    --marking;
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(mark, i);
    threads.emplace_back([&] {
      while (marking > 0) {
        EXPECT_TRUE((*tracker)->next_cycle());
        (void)(*tracker)->current_status();
        (*tracker)->mark_below("tree");
      }
    });
  }
  EXPECT_EQ(denied, 0);
  (void)(*tracker)->barrier();
  const TrackerStatus status = (*tracker)->current_status();
  EXPECT_EQ(status.lost_marks, 0U);
  EXPECT_GE(status.marks, static_cast<std::uint64_t>(4 * rounds()));
  ASSERT_TRUE((*tracker)->close());
}

TEST(ConcurrencyTracker, AQueueThatOverflowsSaysEverythingInTheSameCycleOrALaterOne) {
  const ScratchFolder folder;
  auto tracker = Tracker::open({.folder = folder.path(),
                                .marks_only = true,
                                .queue_bytes = 512,
                                .save_every = std::chrono::hours{1}});
  ASSERT_TRUE(tracker) << tracker.error().message;
  ASSERT_TRUE((*tracker)->next_cycle());
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<int> denied = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < rounds(); ++i) {
          const CycleId since = (*tracker)->default_since();
          if ((*tracker)->mark(path_of(thread, i))) continue;
          ++refused;
          (void)(*tracker)->barrier();
          if (!(*tracker)->may_have_changed("never marked", since)) ++denied;
        }
      });
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE((*tracker)->next_cycle());
    });
  }
  EXPECT_EQ(denied, 0);
  (void)(*tracker)->barrier();
  EXPECT_EQ((*tracker)->current_status().lost_marks, refused);
  // Four threads against one, with room for eight paths: it overflowed.
  EXPECT_GT(refused, 0U);
}

TEST(ConcurrencyTracker, TheQueueLosesAndInventsNothing) {
  MarkQueue queue{std::size_t{1} << 20};
  std::atomic<int> pushing = 4;
  std::atomic<std::uint64_t> accepted = 0;
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;
  std::uint64_t bytes = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < rounds(); ++i) accepted += queue.push(path_of(thread, i)) ? 1U : 0U;
        --pushing;
        queue.wake();
      });
    MarkQueue::Batch batch;
    for (;;) {
      const std::uint32_t seen = queue.signal();
      const bool last = pushing == 0;
      queue.take(batch);
      lost += batch.lost();
      batch.for_each([&](std::string_view path, MarkQueue::Reach) {
        ++taken;
        bytes += path.starts_with("thread") ? 0U : 1U;
      });
      if (!batch.empty()) continue;
      if (last) break;
      queue.wait(seen);
    }
  }
  EXPECT_EQ(taken, accepted);
  EXPECT_EQ(taken + lost, static_cast<std::uint64_t>(4 * rounds()));
  EXPECT_EQ(bytes, 0U);
}

}  // namespace
}  // namespace bloomery::tracker
