// The watcher on real trees, with each back end.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include "apps/tracker/paths.h"
#include "apps/tracker/state_files.h"
#include "apps/tracker/watcher.h"
#include "bloomery/base/message.h"
#include "tests/apps/tracker/watch_trees.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

using Path = std::filesystem::path;

void write(const Path& path, std::string_view text = "x") { std::ofstream{path} << text; }

class Watching : public testing::TestWithParam<WatchChoice> {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root());
    std::filesystem::create_directories(other());
  }
  Path root() const { return folder_ / "root"; }
  Path other() const { return folder_ / "other"; }
  WatcherOptions options() const {
    return {.tracker = {.folder = folder_ / "state",
                        .roots = std::vector<std::string>{root().string(), other().string()}},
            .backend = GetParam()};
  }

  // A watcher whose first cycle, in which everything may have changed, is over.
  std::unique_ptr<Watcher> start(const WatcherOptions& options) {
    auto watcher = Watcher::start(options);
    if (!watcher) {
      skipped_ = watcher.error().message;
      return nullptr;
    }
    const auto cycle = (*watcher)->next_cycle();
    EXPECT_TRUE(cycle) << cycle.error().message;
    since_ = cycle->current;
    return std::move(*watcher);
  }
  std::unique_ptr<Watcher> start() { return start(options()); }

  bool changed(Watcher& watcher, const Path& path) {
    const std::string asked[] = {clean_path(path.string())};
    std::vector<std::uint8_t> answers;
    EXPECT_TRUE(watcher.query(asked, since_, answers));
    return answers.at(0) != 0;
  }
  void next(Watcher& watcher) {
    const auto cycle = watcher.next_cycle();
    ASSERT_TRUE(cycle) << cycle.error().message;
    since_ = cycle->current;
  }

  ScratchFolder folder_;
  CycleId since_;
  std::string skipped_;
};

#define START_OR_SKIP(watcher, ...)                            \
  auto watcher = start(__VA_ARGS__);                           \
  if (!watcher && GetParam() == WatchChoice::kFanotify)        \
    GTEST_SKIP() << "fanotify is not permitted: " << skipped_; \
  ASSERT_TRUE(watcher) << skipped_

TEST_P(Watching, EveryKindOfChangeIsSeenAndNothingElse) {
  std::filesystem::create_directories(root() / "quiet/deep");
  std::filesystem::create_directories(root() / "d1");
  write(root() / "d1/file");
  START_OR_SKIP(watcher, options());
  EXPECT_FALSE(changed(*watcher, root()));
  const auto seen = [&](const Path& path) {
    const bool yes = changed(*watcher, path) && changed(*watcher, root());
    EXPECT_FALSE(changed(*watcher, root() / "quiet")) << path;
    EXPECT_FALSE(changed(*watcher, other())) << path;
    next(*watcher);
    EXPECT_FALSE(changed(*watcher, root())) << path;
    return yes;
  };
  write(root() / "d1/file", "longer");
  EXPECT_TRUE(seen(root() / "d1/file"));
  EXPECT_EQ(::truncate((root() / "d1/file").c_str(), 2), 0);
  EXPECT_TRUE(seen(root() / "d1/file"));
  EXPECT_EQ(::chmod((root() / "d1/file").c_str(), 0600), 0);
  EXPECT_TRUE(seen(root() / "d1/file"));
  std::filesystem::create_hard_link(root() / "d1/file", root() / "d1/linked");
  EXPECT_TRUE(seen(root() / "d1/linked"));
  std::filesystem::create_symlink("nowhere", root() / "d1/symlink");
  EXPECT_TRUE(seen(root() / "d1/symlink"));
  std::filesystem::rename(root() / "d1/file", root() / "d1/other name");
  EXPECT_TRUE(seen(root() / "d1/file"));
  std::filesystem::remove(root() / "d1/other name");
  EXPECT_TRUE(seen(root() / "d1/other name"));
  std::filesystem::create_directories(root() / "new/a/b/c/d");
  write(root() / "new/a/b/c/d/file");
  EXPECT_TRUE(seen(root() / "new/a/b/c/d/file"));
  write(root() / "new/a/b/c/d/file", "again");
  EXPECT_TRUE(seen(root() / "new/a/b/c/d"));
  std::filesystem::remove_all(root() / "new");
  EXPECT_TRUE(seen(root() / "new"));
}

TEST_P(Watching, ARenamedFolderIsFlaggedOnBothSidesAndWatchedWhereItIs) {
  std::filesystem::create_directories(root() / "a/b/c");
  START_OR_SKIP(watcher, options());
  std::filesystem::rename(root() / "a", root() / "z");
  EXPECT_TRUE(changed(*watcher, root() / "a/b/c"));
  EXPECT_TRUE(changed(*watcher, root() / "z/b/c"));
  EXPECT_FALSE(changed(*watcher, other()));
  next(*watcher);
  write(root() / "z/b/c/file");
  EXPECT_TRUE(changed(*watcher, root() / "z/b/c"));
  EXPECT_FALSE(changed(*watcher, root() / "a"));
  next(*watcher);
  std::filesystem::rename(root() / "z/b", other() / "b");  // across roots
  EXPECT_TRUE(changed(*watcher, root() / "z/b/c"));
  EXPECT_TRUE(changed(*watcher, other() / "b/c/file"));
  next(*watcher);
  write(other() / "b/c/file2");
  EXPECT_TRUE(changed(*watcher, other() / "b/c"));
  EXPECT_FALSE(changed(*watcher, root()));
  next(*watcher);
  std::filesystem::rename(other() / "b", folder_ / "outside");
  EXPECT_TRUE(changed(*watcher, other() / "b"));
  next(*watcher);
  write(folder_ / "outside/c/file3");
  EXPECT_FALSE(changed(*watcher, other()));
  EXPECT_FALSE(changed(*watcher, root()));
  std::filesystem::rename(folder_ / "outside", root() / "in");  // and back in
  EXPECT_TRUE(changed(*watcher, root() / "in/c/file3"));
  next(*watcher);
  write(root() / "in/c/file4");
  EXPECT_TRUE(changed(*watcher, root() / "in/c"));
}

TEST_P(Watching, OddNamesAndDeepTreesAreSeen) {
  START_OR_SKIP(watcher, options());
  for (const std::string& name : {std::string{"new\nline"}, std::string{"\xff\xfe"},
                                  std::string(255, 'n'), std::string{"a (deleted)"}}) {
    std::filesystem::create_directory(root() / name);
    next(*watcher);
    write(root() / name / "file");
    EXPECT_TRUE(changed(*watcher, root() / name)) << name;
    next(*watcher);
  }
  // Deeper than any path that the system takes at once.
  int at = ::open(root().c_str(), O_RDONLY | O_DIRECTORY);
  std::string path = root().string();
  const std::string name(200, 'd');
  for (int depth = 0; depth < 40; ++depth) {
    ASSERT_EQ(::mkdirat(at, name.c_str(), 0777), 0);
    const int below = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY);
    ::close(at);
    at = below;
    path += "/" + name;
  }
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, path));
  ::close(::openat(at, "file", O_WRONLY | O_CREAT, 0666));
  ::close(at);
  EXPECT_TRUE(changed(*watcher, path));
  EXPECT_TRUE(changed(*watcher, root()));
  EXPECT_FALSE(changed(*watcher, other()));
}

TEST_P(Watching, AnOverflowOfTheKernelsQueueIsEverythingAndThenItSeesAgain) {
  START_OR_SKIP(watcher, options());
  watcher->hold_reading(true);
  std::size_t limit = 16384;
  std::ifstream{GetParam() == WatchChoice::kFanotify ? "/proc/sys/fs/fanotify/max_queued_events"
                                                     : "/proc/sys/fs/inotify/max_queued_events"} >>
      limit;
  for (std::size_t i = 0; i < limit; ++i) {
    const Path path = root() / message("f", i);
    ::close(::open(path.c_str(), O_WRONLY | O_CREAT, 0666));
    ::unlink(path.c_str());
  }
  std::filesystem::create_directories(root() / "made/meanwhile");  // nobody hears of it
  watcher->hold_reading(false);
  EXPECT_TRUE(changed(*watcher, other() / "anything"));
  const auto status = watcher->status();
  ASSERT_TRUE(status->watch);
  EXPECT_GE(status->watch->overflows, 1U);
  EXPECT_NE(status->cycles.front().everything.find("full"), std::string::npos);
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, root()));
  write(root() / "made/meanwhile/file");
  EXPECT_TRUE(changed(*watcher, root() / "made/meanwhile"));
  EXPECT_FALSE(changed(*watcher, other()));
}

TEST_P(Watching, MoreThanTheBacklogHoldsIsEverything) {
  WatcherOptions small = options();
  small.backlog_bytes = 2000;
  START_OR_SKIP(watcher, small);
  watcher->hold_reading(true);
  for (int i = 0; i < 1000; ++i) write(root() / message("file", i));
  watcher->hold_reading(false);
  EXPECT_TRUE(changed(*watcher, other() / "anything"));
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, other()));
  write(other() / "x");
  EXPECT_TRUE(changed(*watcher, other()));
}

TEST_P(Watching, ARootThatIsReplacedIsWatchedAnew) {
  START_OR_SKIP(watcher, options());
  std::filesystem::rename(root(), folder_ / "away");
  std::filesystem::create_directories(root() / "new");
  EXPECT_TRUE(changed(*watcher, root() / "new"));
  EXPECT_FALSE(changed(*watcher, other()));
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, root() / "new"));
  write(root() / "new/file");
  EXPECT_TRUE(changed(*watcher, root() / "new"));
  next(*watcher);
  std::filesystem::remove_all(root());
  EXPECT_TRUE(changed(*watcher, root()));
  next(*watcher);
  const auto status = watcher->status();
  EXPECT_EQ(status->watch->unseen_count, 1U);
  EXPECT_TRUE(changed(*watcher, root() / "anything")) << "in every cycle";
  std::filesystem::create_directories(root() / "back");
  next(*watcher);
  next(*watcher);
  EXPECT_EQ(watcher->status()->watch->unseen_count, 0U);
  EXPECT_FALSE(changed(*watcher, root()));
  write(root() / "back/file");
  EXPECT_TRUE(changed(*watcher, root() / "back"));
}

TEST_P(Watching, TheStateInsideARootIsNoChangeOfIt) {
  WatcherOptions inside = options();
  inside.tracker.folder = root() / "state";
  inside.tracker.drives = std::vector<std::string>{(root() / "drive").string()};
  inside.tracker.save_every = std::chrono::milliseconds{1};
  inside.tracker.heartbeat_every = std::chrono::milliseconds{1};
  START_OR_SKIP(watcher, inside);
  ASSERT_TRUE(watcher->save());
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, root())) << "heartbeats, saves and markers";
  write(root() / "state/a user's file");
  EXPECT_TRUE(changed(*watcher, root() / "state"));
}

TEST_P(Watching, WhateverTheTreeGoesThroughNoChangedFolderIsDenied) {
  const char* asked = std::getenv("BLOOMERY_WATCH_CHANGES");
  const std::uint64_t changes = asked == nullptr ? 6000 : std::strtoull(asked, nullptr, 10);
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  START_OR_SKIP(watcher, options());
  const std::vector<Path> roots{root(), other()};
  for (int i = 0; i < 20; ++i)
    for (int k = 0; k < 5; ++k) std::filesystem::create_directories(other() / message(i, "/", k));
  next(*watcher);
  Tree before = tree_of(roots);
  std::uint64_t denied_rightly = 0;
  std::uint64_t folders = 0;
  std::mt19937_64 random{seed};
  std::uint64_t round = 0;  // short ones, in which most folders stay as they are, and long ones
  for (std::uint64_t done = 0; done < changes; done += 2 * round) {
    std::vector<std::thread> threads;
    round = std::uint64_t{1} << random() % 11;
    for (std::uint64_t i = 0; i < 2; ++i)
      threads.emplace_back([&, i] {
        Mutator mutator{roots, seed + done + i};
        for (std::uint64_t k = 0; k < round; ++k) mutator.change();
      });
    for (std::thread& thread : threads) thread.join();
    const Tree after = tree_of(roots);
    std::vector<std::string> paths;
    const auto changed = changed_folders(before, after);
    for (const std::string& path : changed)
      if (lies_in(path, folder_.path().string())) paths.push_back(clean_path(path));
    std::vector<std::uint8_t> answers;
    ASSERT_TRUE(watcher->query(paths, since_, answers));
    for (std::size_t i = 0; i < paths.size(); ++i)
      ASSERT_TRUE(answers[i]) << "seed " << seed << " after " << done << ": " << paths[i];
    paths.clear();
    for (const auto& [path, listing] : after) paths.push_back(clean_path(path));
    ASSERT_TRUE(watcher->query(paths, since_, answers));
    for (const std::uint8_t answer : answers) denied_rightly += answer == 0 ? 1 : 0;
    folders += paths.size();
    next(*watcher);
    before = after;
  }
  std::cout << "of " << folders << " folders " << denied_rightly << " were known to be unchanged, "
            << watcher->status()->watch->overflows << " overflows, "
            << watcher->status()->watch->late_barriers << " late barriers\n";
  EXPECT_GT(denied_rightly, folders / 20) << "always saying yes would pass too";
}

INSTANTIATE_TEST_SUITE_P(Both, Watching,
                         testing::Values(WatchChoice::kFanotify, WatchChoice::kInotify),
                         [](const auto& chosen) {
                           return chosen.param == WatchChoice::kFanotify ? "Fanotify" : "Inotify";
                         });

}  // namespace
}  // namespace bloomery::tracker
