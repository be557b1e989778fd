// The watcher on real trees, with each back end.
#include "apps/tracker/watch/watcher.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/state_files.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "tests/apps/tracker/watch/watch_trees.h"
#include "tests/apps/tracker/watch/watching.h"

namespace bloomery::tracker {
namespace {

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
  std::filesystem::rename(other() / "b", base() / "outside");
  EXPECT_TRUE(changed(*watcher, other() / "b"));
  next(*watcher);
  write(base() / "outside/c/file3");
  EXPECT_FALSE(changed(*watcher, other()));
  EXPECT_FALSE(changed(*watcher, root()));
  std::filesystem::rename(base() / "outside", root() / "in");  // and back in
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
  std::filesystem::create_directories(root() / "made/meanwhile");  // no watcher sees it
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
  // Another program on this file system may overflow so small a backlog again.
  bool quiet = false;
  for (int i = 0; i < 100 && !quiet; ++i) {
    next(*watcher);
    quiet = !changed(*watcher, other());
  }
  EXPECT_TRUE(quiet);
  write(other() / "x");
  EXPECT_TRUE(changed(*watcher, other()));
}

TEST_P(Watching, ARootThatIsReplacedIsWatchedAnew) {
  START_OR_SKIP(watcher, options());
  std::filesystem::rename(root(), base() / "away");
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

TEST_P(Watching, ARootThatBecameASymbolicLinkIsFlaggedOrSeenThroughIt) {
  START_OR_SKIP(watcher, options());
  std::filesystem::rename(root(), base() / "away");
  std::filesystem::create_directory_symlink(base() / "away", root());
  next(*watcher);
  for (int cycle = 0; cycle < 3; ++cycle) {
    next(*watcher);
    write(root() / "file", message("cycle ", cycle));
    EXPECT_TRUE(changed(*watcher, root() / "file")) << cycle;
    EXPECT_FALSE(changed(*watcher, other()));
  }
  std::filesystem::remove(root());
  std::filesystem::rename(base() / "away", root());
  next(*watcher);
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, root()));
  write(root() / "file", "and back");
  EXPECT_TRUE(changed(*watcher, root() / "file"));
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
  ASSERT_TRUE(save_file(root() / "state/usage-0123456789abcdef.bloomery", bytes_of("x")));
  ASSERT_TRUE(save_file(root() / "state/usage.json", bytes_of("x")));
  EXPECT_FALSE(changed(*watcher, root())) << "heartbeats, saves, markers and scans";
  write(root() / "state/a user's file");
  EXPECT_TRUE(changed(*watcher, root() / "state"));
}

// Waits until a barrier put its marker into the kernel's queue.
class MarkerAlarm {
 public:
  explicit MarkerAlarm(const Path& state) : queue_{::inotify_init1(IN_CLOEXEC)} {
    EXPECT_GE(::inotify_add_watch(queue_, (state / kMarkerFolder).c_str(), IN_CREATE), 0);
  }
  ~MarkerAlarm() { ::close(queue_); }
  void wait() const {
    char event[4096];
    EXPECT_GT(::read(queue_, event, sizeof event), 0);
  }

 private:
  int queue_;
};

// What changed before a cycle was closed is in that cycle, under the name it had then: also if the
// folder is elsewhere, or nowhere, when the event comes out of the queue.
TEST_P(Watching, AFolderThatMovesOnAfterItsChangeIsFlaggedWhereItWas) {
  std::filesystem::create_directories(root() / "a/d");
  std::filesystem::create_directories(root() / "gone/deep/er");
  START_OR_SKIP(watcher, options());
  watcher->hold_reading(true);
  const MarkerAlarm alarm{folder_ / "state"};
  write(root() / "a/d/file");
  write(root() / "gone/deep/er/file");
  std::thread closing{[&] { next(*watcher); }};
  alarm.wait();
  std::filesystem::rename(root() / "a", root() / "b");
  std::filesystem::remove_all(root() / "gone");
  std::filesystem::create_directories(root() / "a/d");
  watcher->hold_reading(false);
  closing.join();
  const auto history = watcher->snapshot();
  ASSERT_TRUE(history);
  const CycleFilter& closed = history->past().front()->filter;
  EXPECT_FALSE(closed.everything()) << closed.reason();
  EXPECT_TRUE(closed.may_have_changed(clean_path((root() / "a/d").string())));
  EXPECT_TRUE(closed.may_have_changed(clean_path((root() / "gone").string())));
  EXPECT_FALSE(closed.may_have_changed(clean_path(other().string())));
}

TEST_P(Watching, ABarrierThatCannotDrainInTimeIsEverything) {
  WatcherOptions hasty = options();
  hasty.barrier_patience = std::chrono::milliseconds{100};
  START_OR_SKIP(watcher, hasty);
  watcher->hold_reading(true);
  EXPECT_TRUE(changed(*watcher, root() / "anything"));
  EXPECT_EQ(watcher->status()->watch->late_barriers, 1U);
  watcher->hold_reading(false);
  next(*watcher);
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, root()));
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
      if (lies_in(path, base().string())) paths.push_back(clean_path(path));
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

TEST_P(Watching, AFilesystemMountedInTheTreeIsWatchedOrSaidToBeUnseen) {
  std::filesystem::create_directories(root() / "mounted");
  write(root() / "mounted/covered");
  START_OR_SKIP(watcher, options());
  if (::mount("none", (root() / "mounted").c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "mounting is not permitted";
  struct Unmount {
    Path path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } mounted{root() / "mounted"};
  EXPECT_TRUE(changed(*watcher, root() / "mounted/covered"));
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, root()));
  std::filesystem::create_directories(root() / "mounted/a");
  write(root() / "mounted/a/file");
  EXPECT_TRUE(changed(*watcher, root() / "mounted/a"));
  EXPECT_FALSE(changed(*watcher, other()));
  next(*watcher);
  ASSERT_EQ(::umount(mounted.path.c_str()), 0) << "no process holds it";
  EXPECT_TRUE(changed(*watcher, root() / "mounted/a"));
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, root()));
  write(root() / "mounted/covered", "again");
  EXPECT_TRUE(changed(*watcher, root() / "mounted"));
  next(*watcher);
  ASSERT_EQ(::mount(other().c_str(), mounted.path.c_str(), nullptr, MS_BIND, nullptr), 0);
  next(*watcher);
  next(*watcher);
  const auto unseen = watcher->status()->watch->unseen;
  if (GetParam() == WatchChoice::kFanotify) {
    EXPECT_TRUE(unseen.empty());
    EXPECT_FALSE(changed(*watcher, root()));
    write(other() / "by one name");
    EXPECT_TRUE(changed(*watcher, root() / "mounted/by one name")) << "and by the other";
  } else {
    ASSERT_EQ(unseen.size(), 1U);
    EXPECT_TRUE(changed(*watcher, root() / "mounted/anything"));
    EXPECT_FALSE(changed(*watcher, other()));
  }
}

TEST_P(Watching, AFilesystemUnmountedAndMountedAgainAtOnceIsFlaggedAndWatchedAnew) {
  const LoopDevice device{folder_ / "image"};
  std::filesystem::create_directories(root() / "mounted");
  const std::string point = (root() / "mounted").string();
  const auto mount = [&] { return ::mount(device.name().c_str(), point.c_str(), "ext4", 0, ""); };
  if (device.name().empty() || mount() != 0) GTEST_SKIP() << "mounting is not permitted";
  struct Unmount {
    std::string path;
    ~Unmount() { ::umount2(path.c_str(), 0); }
  } mounted{point};
  std::filesystem::create_directories(root() / "mounted/a");
  START_OR_SKIP(watcher, options());
  EXPECT_FALSE(changed(*watcher, root()));
  watcher->hold_reading(true);
  ASSERT_EQ(::umount(point.c_str()), 0);
  ASSERT_EQ(mount(), 0);
  watcher->hold_reading(false);
  write(root() / "mounted/a/file");
  EXPECT_TRUE(changed(*watcher, root() / "mounted/a"));
  EXPECT_FALSE(changed(*watcher, other()));
  next(*watcher);
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, root()));
  write(root() / "mounted/a/file", "again");
  EXPECT_TRUE(changed(*watcher, root() / "mounted/a"));
  EXPECT_TRUE(watcher->close());
}

class WatchingWithInotify : public Watching {};

TEST_P(WatchingWithInotify, WithoutEnoughWatchesTheRestIsFlaggedInEveryCycle) {
  for (int i = 0; i < 20; ++i) std::filesystem::create_directories(root() / message(i, "/deep"));
  WatcherOptions few = options();
  few.most_inotify_watches = 12;
  START_OR_SKIP(watcher, few);
  const auto status = watcher->status();
  EXPECT_GT(status->watch->unseen_count, 5U);
  EXPECT_NE(status->watch->unseen.front().reason.find("max_user_watches"), std::string::npos);
  for (int cycle = 0; cycle < 2; ++cycle) {
    for (int i = 0; i < 20; ++i) write(root() / message(i, "/deep/file"), message(cycle));
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(changed(*watcher, root() / message(i, "/deep")));
    }
    next(*watcher);
  }
  for (int i = 0; i < 15; ++i) std::filesystem::remove_all(root() / message(i));
  next(*watcher);
  next(*watcher);
  next(*watcher);
  EXPECT_EQ(watcher->status()->watch->unseen_count, 0U) << "watches came free";
  EXPECT_FALSE(changed(*watcher, root()));
  write(root() / "19/deep/file", "late");
  EXPECT_TRUE(changed(*watcher, root() / "19/deep"));
}

TEST_P(WatchingWithInotify, AFolderThatMayNotBeReadIsFlaggedUntilItMay) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs to become another user";
  std::filesystem::create_directories(root() / "shut/inside");
  std::filesystem::permissions(root() / "shut", std::filesystem::perms::none);
  for (const Path& path : {folder_.path(), root(), other()})
    std::filesystem::permissions(path, std::filesystem::perms::all);
  const pid_t child = ::fork();  // a process has one user
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(9);
    const auto watcher = start();
    if (!watcher) ::_exit(8);
    if (watcher->status()->watch->unseen_count != 1) ::_exit(7);
    for (int cycle = 0; cycle < 2; ++cycle) {
      if (!changed(*watcher, root() / "shut/inside") || changed(*watcher, other())) ::_exit(6);
      next(*watcher);
    }
    ::_exit(HasFailure() ? 5 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(Inotify, WatchingWithInotify, ::testing::Values(WatchChoice::kInotify));
INSTANTIATE_TEST_SUITE_P(Both, Watching,
                         ::testing::Values(WatchChoice::kFanotify, WatchChoice::kInotify),
                         name_of_backend);

}  // namespace
}  // namespace bloomery::tracker
