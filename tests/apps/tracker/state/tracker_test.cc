#include "apps/tracker/state/tracker.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

#include "apps/tracker/open_tracker.h"
#include "apps/tracker/state/state_files.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

TrackerOptions in(const std::filesystem::path& folder, bool background = true) {
  return {.folder = folder,
          .background = background,
          .marks_only = true,
          .save_every = std::chrono::hours{1}};
}

// A tracker that knows: its first cycle, in which everything may have changed, is over.
std::unique_ptr<Tracker> knowing(const TrackerOptions& options) {
  auto tracker = Tracker::open(options);
  EXPECT_TRUE(tracker) << tracker.error().message;
  EXPECT_TRUE((*tracker)->next_cycle());
  return std::move(*tracker);
}

TEST(Tracker, MarksAreThereAfterABarrierAndAfterARestart) {
  const ScratchFolder folder;
  CycleId since;
  {
    auto tracker = knowing(in(folder.path()));
    since = tracker->snapshot()->current().id;
    EXPECT_TRUE(tracker->mark("bucket", "a/b/object"));
    EXPECT_TRUE(tracker->mark_below("tree"));
    (void)tracker->barrier();
    EXPECT_TRUE(tracker->may_have_changed("bucket/a", since));
    EXPECT_TRUE(tracker->may_have_changed("tree/x/y", since));
    EXPECT_FALSE(tracker->may_have_changed("bucket/c", since));
    ASSERT_TRUE(tracker->mark("late"));
    ASSERT_TRUE(tracker->close());
  }
  const auto again = Tracker::open(in(folder.path()));
  ASSERT_TRUE(again) << again.error().message;
  const std::string paths[] = {"bucket/a/b", "late", "bucket/c", "/"};
  std::uint8_t answers[4];
  (*again)->may_have_changed(paths, since, answers);
  EXPECT_EQ(std::vector<int>(answers, answers + 4), (std::vector<int>{1, 1, 0, 1}));
  EXPECT_EQ((*again)->default_since().index, 1U);
}

TEST(Tracker, AFullQueueMakesTheCycleEverythingAndSaysSo) {
  const ScratchFolder folder;
  TrackerOptions options = in(folder.path());
  options.queue_bytes = 4096;
  auto tracker = knowing(options);
  const std::string too_long(5000, 'x');
  EXPECT_FALSE(tracker->mark(too_long));
  (void)tracker->barrier();
  const TrackerStatus status = tracker->current_status();
  EXPECT_EQ(status.lost_marks, 1U);
  EXPECT_NE(status.cycles.front().everything.find("queue was full"), std::string::npos);
  EXPECT_EQ(status.knows_from, 3U);
  EXPECT_TRUE(tracker->may_have_changed("anything", {2}));
  ASSERT_TRUE(tracker->next_cycle());
  EXPECT_FALSE(tracker->may_have_changed("anything", {3})) << "and only that cycle";
}

TEST(Tracker, ASecondOwnerIsRefused) {
  const ScratchFolder folder;
  const auto tracker = knowing(in(folder.path()));
  const auto second = Tracker::open(in(folder.path()));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kIo);
  // A reader gets in, and knows that the files are not all.
  TrackerOptions reading = in(folder.path(), false);
  reading.read_only = true;
  const auto reader = Tracker::open(reading);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_TRUE((*reader)->may_have_changed("a", {2}));
}

TEST(Tracker, TheSaverWritesWhatIsDirtyByItself) {
  const ScratchFolder folder;
  TrackerOptions options = in(folder.path());
  options.save_every = std::chrono::milliseconds{1};
  auto tracker = knowing(options);
  tracker->mark("a");
  for (;;) {  // ends when the saver did its work; ctest's timeout ends it otherwise
    const auto bytes = read_file(folder / std::string{kStateFile}, {.max_bytes = 1 << 20});
    ASSERT_TRUE(bytes);
    const auto state = decode_state(*bytes, {});
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_TRUE(state->session_open);
    if (state->history.may_have_changed("a", {2})) break;
    std::this_thread::yield();
  }
  EXPECT_TRUE(read_heartbeat(folder.path()));
}

TEST(Tracker, EveryDriveHasACopyAndTheNewestValidOneWins) {
  const ScratchFolder folder;
  const std::vector<std::string> drives{(folder / "d1").string(), (folder / "d2").string()};
  const auto file = [&](const std::string& drive) {
    return std::filesystem::path{drive} / kStateFile;
  };
  TrackerOptions options = in(folder / "state", false);
  options.drives = drives;
  CycleId since;
  {
    auto tracker = knowing(options);
    since = tracker->snapshot()->current().id;
    tracker->mark("early");
    ASSERT_TRUE(tracker->save());
    std::filesystem::rename(file(drives[0]), folder / "old");
    tracker->mark("late");
    ASSERT_TRUE(tracker->close());
  }
  std::filesystem::rename(folder / "old", file(drives[0]));              // a drive that was away
  std::filesystem::resize_file(file((folder / "state").string()), 100);  // a torn copy
  options.drives = drives;
  {
    const auto tracker = Tracker::open(options);
    ASSERT_TRUE(tracker) << tracker.error().message;
    EXPECT_TRUE((*tracker)->may_have_changed("late", since));
    EXPECT_FALSE((*tracker)->may_have_changed("other", since));
    const TrackerStatus status = (*tracker)->current_status();
    EXPECT_EQ(status.copies, 2U);
    ASSERT_EQ(status.problems.size(), 1U);
    EXPECT_EQ(status.drives.size(), 3U);
  }
  // With every copy lost it says what it does not know, once.
  for (const std::string& drive : drives) std::filesystem::remove(file(drive));
  auto lost = Tracker::open(options);
  ASSERT_TRUE(lost) << lost.error().message;
  EXPECT_TRUE((*lost)->may_have_changed("other", since));
  EXPECT_NE((*lost)->current_status().cycles.front().everything.find("could be read"),
            std::string::npos);
  ASSERT_TRUE((*lost)->cycle({0, 2}));
  EXPECT_TRUE((*lost)->may_have_changed("other", since)) << "another cycle of the same number";
  ASSERT_TRUE((*lost)->cycle({0, 3}));
  EXPECT_FALSE((*lost)->may_have_changed("other", {2}));
}

TEST(Tracker, TheStateRemembersItsDrivesAndRate) {
  const ScratchFolder folder;
  TrackerOptions options = in(folder / "state", false);
  options.drives = std::vector<std::string>{(folder / "d1").string()};
  options.rate = 0.05;
  { ASSERT_TRUE(knowing(options)->close()); }
  auto plain = Tracker::open(in(folder / "state", false));
  ASSERT_TRUE(plain);
  EXPECT_EQ((*plain)->current_status().rate, 0.05);
  EXPECT_EQ((*plain)->current_status().copies, 2U);
  options.rate = 7;
  ASSERT_TRUE((*plain)->close());
}

TEST(Tracker, ARateOutOfReachIsRefused) {
  const ScratchFolder folder;
  TrackerOptions options = in(folder.path(), false);
  options.rate = 0.9;
  const auto tracker = Tracker::open(options);
  ASSERT_FALSE(tracker);
  EXPECT_EQ(tracker.error().code, ErrorCode::kInvalidArgument);
}

TEST(Tracker, NoCopyWrittenIsAnErrorAndTheCycleIsSavedOnRepeating) {
  const ScratchFolder folder;
  TrackerOptions options = in(folder / "state", false);
  auto tracker = Tracker::open(options);
  ASSERT_TRUE(tracker);
  std::filesystem::create_directory(folder / "state" / std::string{kStateFile});
  const auto failed = (*tracker)->cycle({0, 2});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kIo);
  std::filesystem::remove(folder / "state" / std::string{kStateFile});
  const auto repeated = (*tracker)->cycle({0, 2});
  ASSERT_TRUE(repeated) << repeated.error().message;
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "state" / std::string{kStateFile}));
}

TEST(Tracker, WithoutItsWatcherNothingIsKnown) {
  const ScratchFolder folder;
  TrackerOptions watching = in(folder.path());
  watching.watching = true;
  watching.marks_only = false;
  watching.roots = std::vector<std::string>{"/data"};
  watching.now_unix = [] { return 5000; };
  {
    auto tracker = knowing(watching);
    EXPECT_FALSE(tracker->may_have_changed("data/a", {2}));
    ASSERT_TRUE(tracker->next_cycle());
    ASSERT_TRUE(tracker->close());
  }
  {
    auto alone = Tracker::open({.folder = folder.path(), .background = false});
    ASSERT_TRUE(alone);
    EXPECT_EQ((*alone)->settings().roots, *watching.roots);
    EXPECT_TRUE((*alone)->may_have_changed("data/a", {3}));
    EXPECT_NE((*alone)->current_status().cycles.front().everything.find("1970-01-01 01:23:20 UTC"),
              std::string::npos);
    const auto cycle = (*alone)->next_cycle();
    ASSERT_TRUE(cycle);
    EXPECT_FALSE(cycle->complete);
    EXPECT_EQ(cycle->knows_from, 5U);
    ASSERT_TRUE((*alone)->close());
  }
  auto back = Tracker::open(watching);
  ASSERT_TRUE(back);
  EXPECT_TRUE((*back)->may_have_changed("data/a", {4}));
  ASSERT_TRUE((*back)->next_cycle());
  EXPECT_FALSE((*back)->may_have_changed("data/a", {5}));
}

// A child marks and cycles and reports each cycle and mark that was accepted; it is killed at any
// instant. What it acknowledged must not be denied afterwards.
[[noreturn]] void mark_for_ever(const std::filesystem::path& folder, int out) {
  TrackerOptions options = in(folder);
  options.save_every = std::chrono::milliseconds{1};
  auto tracker = Tracker::open(options);
  if (!tracker) ::_exit(1);
  for (std::uint64_t i = 0;; ++i) {
    if (i % 50 == 0) {
      const auto cycle = (*tracker)->next_cycle();
      if (!cycle || ::write(out, &cycle->current, sizeof(CycleId)) != sizeof(CycleId)) ::_exit(1);
    }
    (*tracker)->mark(message("folder", i % 10, "/", i));
  }
}

std::vector<CycleId> kill_a_tracker(const std::filesystem::path& folder,
                                    std::chrono::microseconds after) {
  int told[2];
  if (::pipe(told) != 0) return {};
  const pid_t child = ::fork();
  if (child < 0) return {};  // kill(-1) would mean every process
  if (child == 0) mark_for_ever(folder, told[1]);
  ::close(told[1]);
  std::vector<CycleId> cycles(1);
  EXPECT_EQ(::read(told[0], cycles.data(), sizeof(CycleId)), ssize_t{sizeof(CycleId)});
  // Nothing is waited for here: the instant of the kill is what the test varies.
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  for (CycleId id; ::read(told[0], &id, sizeof id) == ssize_t{sizeof id};) cycles.push_back(id);
  ::close(told[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  return cycles;
}

TEST(Tracker, KilledAtAnyInstantItNeverDeniesAChange) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << '\n' << std::flush;
  std::mt19937_64 random{seed};
  for (int round = 0; round < 30; ++round) {
    const ScratchFolder folder;
    const auto cycles = kill_a_tracker(folder.path(), std::chrono::microseconds{random() % 4000});
    auto tracker = Tracker::open(in(folder.path(), false));
    ASSERT_TRUE(tracker) << tracker.error().message;
    EXPECT_GE((*tracker)->snapshot()->current().id.index, cycles.back().index)
        << "a number that was answered could come again";
    // It marked in the cycle it reported last, and in those before it, fifty times at least.
    EXPECT_TRUE((*tracker)->may_have_changed("folder0", cycles.back()));
    for (const CycleId& cycle : cycles)
      for (int i = 0; i < 10; ++i)
        ASSERT_TRUE((*tracker)->may_have_changed(message("folder", i), cycle)) << cycle.index;
    // After one more cycle it knows again.
    const auto next = (*tracker)->next_cycle();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_FALSE((*tracker)->may_have_changed("folder0", next->current));
  }
}

TEST(TrackerClient, CommandsWorkOnTheFilesWhenNobodyElseDoes) {
  const ScratchFolder folder;
  ClientOptions options{.tracker = in(folder / "state"), .must_exist = true};
  EXPECT_EQ(open_tracker(options).error().code, ErrorCode::kIo);
  options.must_exist = false;
  {
    auto client = open_tracker(options);
    ASSERT_TRUE(client) << client.error().message;
    ASSERT_TRUE((*client)->next_cycle());
    const std::string marked[] = {"a/b"};
    ASSERT_TRUE((*client)->mark(marked, false));
    ASSERT_TRUE((*client)->barrier());
    ASSERT_TRUE((*client)->close());
  }
  options.must_exist = true;
  options.tracker.read_only = true;
  auto client = open_tracker(options);
  ASSERT_TRUE(client) << client.error().message;
  const std::string asked[] = {"a", "c"};
  std::vector<std::uint8_t> answers;
  ASSERT_TRUE((*client)->query(asked, CycleId{2}, answers));
  EXPECT_EQ(answers, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ((*client)->status()->cycles.size(), 2U);
  EXPECT_TRUE((*client)->roots()->empty());
}

}  // namespace
}  // namespace bloomery::tracker
