#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

#include "apps/tracker/open_tracker.h"
#include "apps/tracker/scan/scanned_trees.h"
#include "apps/tracker/state/pace.h"
#include "tests/apps/tracker/scan/memory_tree.h"
#include "tests/base/scratch_folder.h"
#include "tests/full_run.h"

namespace bloomery::tracker {
namespace {

namespace fs = std::filesystem;

TEST(ScannedTrees, APathExistsThereOrItsFolderDoes) {
  const ScratchFolder folder;
  fs::create_directories(folder / "tree" / "a");
  fs::create_directories(folder / "other" / "b");
  const std::vector<ScannedTree> trees{{(folder / "tree").string(), ""},
                                       {(folder / "other").string(), "bucket"}};
  for (const char* known : {"", "a", "a/removed", "removed", "bucket", "bucket/b", "bucket/b/x"})
    EXPECT_TRUE(exists_in_any(known, trees)) << known;
  for (const char* unknown : {"tree/a", "a/x/y", "bucket/a/x"})
    EXPECT_FALSE(exists_in_any(unknown, trees)) << unknown;
  EXPECT_FALSE(exists_in_any("a", {}));
}

// A tree on a disk, a tracker that its changes are marked in, and scans as the command makes them.
class RealTree {
 public:
  RealTree() { fs::create_directories(tree()); }

  fs::path tree() const { return scratch_ / "tree"; }
  fs::path state() const { return scratch_ / "state"; }
  fs::path cache() const { return usage_cache_path(state(), fs::canonical(tree()).string()); }

  void write(const std::string& path, std::size_t size) {
    fs::create_directories((tree() / path).parent_path());
    std::ofstream{tree() / path} << std::string(size, 'x');
    mark(path);
  }
  void mark(const std::string& path) { marks_.push_back(path); }
  void send_marks() {
    const auto access = open_tracker({.tracker = {.folder = state(), .marks_only = true}});
    ASSERT_TRUE(access) << access.error().message;
    ASSERT_TRUE((*access)->mark(marks_, false));
    ASSERT_TRUE((*access)->close());
    marks_.clear();
  }

  ScanRequest request() const {
    return {.folder = tree(),
            .client = {.tracker = {.folder = state(), .marks_only = true}},
            .rules = {.sweep = 0}};
  }
  ScanReport scan(const ScanRequest& request) {
    send_marks();
    auto report = scan_with_tracker(request);
    EXPECT_TRUE(report) << report.error().message;
    return std::move(*report);
  }
  ScanReport scan() { return scan(request()); }

  CountedTree exact() const { return counted_on_disk(tree()); }

 private:
  ScratchFolder scratch_;
  std::vector<std::string> marks_;
};

TEST(Scan, IsExactAndReadsWhatChanged) {
  RealTree tree;
  for (int i = 0; i < 20; ++i) tree.write("a" + std::to_string(i) + "/b/file", 100);
  const ScanReport first = tree.scan();
  EXPECT_EQ(first.all_read_because, "this tree was not scanned before");
  EXPECT_EQ(counted(first.result.cache), tree.exact());
  tree.write("a7/b/more", 5);
  const ScanReport second = tree.scan();
  EXPECT_EQ(second.result.counts.read, 3U);
  EXPECT_EQ(second.all_read_because, "");
  EXPECT_GT(second.cycle.index, first.cycle.index);
  EXPECT_EQ(counted(second.result.cache), tree.exact());
}

TEST(Scan, AChangeThroughAnotherNameOfAFileIsSeenWhereverItsNamesAre) {
  RealTree tree;
  tree.write("a/b/file", 100);
  tree.write("c/d/other", 10);
  tree.write("e/f/third", 10);
  tree.scan();
  // Only the new name's folder is said to have changed; where the first one is, no event says.
  std::filesystem::create_hard_link(tree.tree() / "a/b/file", tree.tree() / "c/d/second");
  tree.mark("c/d/second");
  EXPECT_EQ(tree.scan().result.counts.read, 7U);
  tree.write("c/d/second", 5000);
  const ScanReport report = tree.scan();
  EXPECT_EQ(counted(report.result.cache), tree.exact());
  EXPECT_EQ(report.result.counts.read, 4U);
  // Names outside of the tree are looked for once.
  std::filesystem::create_hard_link(tree.tree() / "e/f/third", tree.state() / "outside");
  tree.mark("e/f/third");
  EXPECT_EQ(tree.scan().all_read_because,
            "files have further names, and the folders of all of them must be known");
  EXPECT_EQ(tree.scan().all_read_because, "");
}

TEST(Scan, ALinkMadeDuringAScanOfEverythingToAFileThatItPassedIsNotTakenForOneOutside) {
  RealTree tree;
  tree.write("a/b/file", 100);
  tree.write("c/d/other", 10);
  ScanRequest request = tree.request();
  request.hooks.before_read = [&](const ScanCounts& counts, std::uint64_t) {
    if (counts.read == 3) {  // the root, a, and a/b
      fs::create_hard_link(tree.tree() / "a/b/file", tree.tree() / "c/d/second");
      tree.mark("c/d/second");
    }
    return true;
  };
  tree.scan(request);
  ASSERT_TRUE(fs::exists(tree.tree() / "c/d/second"));
  EXPECT_EQ(tree.scan().result.counts.read, 5U) << "everything, for the other name";
  tree.write("c/d/second", 5000);
  EXPECT_EQ(counted(tree.scan().result.cache), tree.exact());
  EXPECT_EQ(tree.scan().all_read_because, "");
}

TEST(Scan, NamesThatAreMissingAreStillLookedForAfterAnInterruptionAtOnce) {
  RealTree tree;
  tree.write("a/b/file", 100);
  tree.write("c/d/other", 10);
  tree.scan();
  fs::create_hard_link(tree.tree() / "a/b/file", tree.tree() / "c/d/second");
  tree.mark("c/d/second");
  ScanRequest request = tree.request();
  unsigned walks = 0;
  request.hooks.before_read = [&](const ScanCounts& counts, std::uint64_t) {
    walks += counts.read == 0 ? 1 : 0;
    return walks < 2;
  };
  EXPECT_FALSE(tree.scan(request).result.complete);
  EXPECT_EQ(tree.scan().result.counts.read, 5U);
  tree.write("c/d/second", 5000);
  EXPECT_EQ(counted(tree.scan().result.cache), tree.exact());
}

TEST(Scan, ANameInAFolderThatIsMountedTwiceIsOneName) {
  RealTree tree;
  tree.write("a/x/other", 10);
  tree.write("y/file", 100);
  fs::create_directories(tree.tree() / "b/x");
  const std::string point = (tree.tree() / "b/x").string();
  if (::mount((tree.tree() / "a/x").c_str(), point.c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "mounting is not permitted";
  struct Unmount {
    std::string path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } mounted{point};
  tree.scan();
  fs::create_hard_link(tree.tree() / "y/file", tree.tree() / "a/x/second");
  for (const char* name : {"a/x/second", "b/x/second"}) tree.mark(name);
  EXPECT_EQ(tree.scan().result.counts.read, 6U) << "everything, for the other name";
  tree.write("a/x/second", 5000);
  tree.mark("b/x/second");
  EXPECT_EQ(counted(tree.scan().result.cache), tree.exact());
}

TEST(Scan, ALostOrDamagedCacheMeansThatEverythingIsRead) {
  RealTree tree;
  tree.write("a/b", 10);
  tree.write("c/d", 10);
  tree.scan();
  const auto damage = [&](auto harm) {
    harm();
    const ScanReport report = tree.scan();
    EXPECT_EQ(report.result.counts.read, 3U);
    EXPECT_FALSE(report.all_read_because.empty());
    EXPECT_EQ(counted(report.result.cache), tree.exact());
    EXPECT_EQ(tree.scan().result.counts.read, 0U);
  };
  damage([&] { fs::remove(tree.cache()); });
  damage([&] { fs::resize_file(tree.cache(), fs::file_size(tree.cache()) - 1); });
  damage([&] { fs::resize_file(tree.cache(), 0); });
  damage([&] {
    std::fstream file{tree.cache(), std::ios::in | std::ios::out};
    file.seekp(-3, std::ios::end);
    file << '#';
  });
}

TEST(Scan, ALostStateMeansThatEverythingIsReadOnce) {
  RealTree tree;
  tree.write("a/b", 10);
  for (int i = 0; i < 4; ++i) tree.scan();
  fs::remove(tree.state() / "tracker.bloomery");
  std::ofstream{tree.tree() / "a/unseen"} << "x";
  const ScanReport report = tree.scan();
  EXPECT_EQ(report.result.counts.read, 2U);
  EXPECT_NE(report.all_read_because.find("does not know"), std::string::npos);
  EXPECT_EQ(counted(report.result.cache), tree.exact());
  EXPECT_EQ(tree.scan().result.counts.read, 0U);
}

TEST(Scan, OtherRulesAreAnotherCache) {
  RealTree tree;
  tree.write("a/b", 10);
  tree.scan();
  ScanRequest request = tree.request();
  request.one_file_system = true;
  EXPECT_EQ(tree.scan(request).result.counts.read, 2U);
  EXPECT_EQ(tree.scan(request).result.counts.read, 0U);
  request.prefix = "bucket";
  EXPECT_EQ(tree.scan(request).result.counts.read, 2U);
  tree.mark("bucket/a/b");
  EXPECT_EQ(tree.scan(request).result.counts.read, 2U);
  tree.mark("a/b");
  EXPECT_EQ(tree.scan(request).result.counts.read, 0U) << "that is another key";
}

TEST(Scan, ASecondScanOfATreeIsRefusedWhileOneRuns) {
  RealTree tree;
  tree.write("a/b", 10);
  ScanRequest request = tree.request();
  std::string refused;
  request.hooks.before_read = [&](const ScanCounts&, std::uint64_t) {
    const auto second = scan_with_tracker(tree.request());
    if (!second) refused = second.error().message;
    return true;
  };
  tree.scan(request);
  EXPECT_NE(refused.find("another scan of this tree is running"), std::string::npos);
}

TEST(Scan, MarksMadeWhileItRunsAreForTheNext) {
  RealTree tree;
  tree.write("a/b", 10);
  tree.write("c/d", 10);
  tree.scan();
  tree.write("a/b", 11);
  ScanRequest request = tree.request();
  bool changed = false;
  request.hooks.before_read = [&](const ScanCounts& counts, std::uint64_t) {
    if (counts.read == 1 && !changed) {
      changed = true;
      tree.write("c/d", 12);
      tree.send_marks();
    }
    return true;
  };
  tree.scan(request);
  ASSERT_TRUE(changed);
  EXPECT_EQ(counted(tree.scan().result.cache), tree.exact());
}

TEST(Scan, WithMinioFilesItAsksMinioFilters) {
  RealTree tree;
  tree.write("bucket/a/b", 10);
  tree.write("bucket/c/d", 10);
  ScanRequest request = tree.request();
  request.client.tracker.mode = Mode::kMinioNewest;
  const auto mark = [&](const std::string& path) {
    const auto access = open_tracker(request.client);
    ASSERT_TRUE(access) << access.error().message;
    ASSERT_TRUE((*access)->mark(std::vector{path}, false));
    ASSERT_TRUE((*access)->close());
  };
  ASSERT_TRUE(scan_with_tracker(request));
  std::ofstream{tree.tree() / "bucket/a/more"} << "12345";
  mark("bucket/a/more");
  const auto report = scan_with_tracker(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->result.counts.read, 3U) << "the root, the bucket and the folder";
  EXPECT_EQ(counted(report->result.cache), tree.exact());
}

TEST(ScanTarget, IsWhatTheWatcherCallsIt) {
  const ScratchFolder folder;
  fs::create_directories(folder / "real/sub");
  fs::create_directories(folder / "other");
  fs::create_directory_symlink(folder / "real", folder / "link");
  fs::create_directory_symlink(folder / "other", folder / "real/out");
  const std::string real = (folder / "real").string();
  const std::string link = (folder / "link").string();
  const auto key = [](const Result<ScanTarget>& target) {
    return target ? "/" + target->key : target.error().message;
  };
  EXPECT_EQ(key(scan_target(real + "/sub/", {real}, {})), real + "/sub");
  EXPECT_EQ(key(scan_target(link + "/sub", {real}, {})), real + "/sub");
  EXPECT_EQ(key(scan_target(real + "/sub", {link}, {})), link + "/sub") << "watched by that name";
  EXPECT_EQ(key(scan_target(real, {real}, {})), real);
  EXPECT_EQ(key(scan_target(real + "/sub", {"/"}, {})), real + "/sub");
  EXPECT_EQ(key(scan_target(real, {}, {})), "/");
  EXPECT_EQ(key(scan_target(real, {}, "/a//b/")), "/a/b");
  // Behind the link nothing is watched, though its name lies in the tree; nor above the tree.
  for (const std::string& path :
       {real + "/out", (folder / "other").string(), folder.path().string()})
    EXPECT_NE(key(scan_target(path, {real}, {})).find("outside the watched tree"),
              std::string::npos)
        << path;
  EXPECT_FALSE(scan_target(real, {real}, "prefix"));
  EXPECT_FALSE(scan_target(real + "/nowhere", {}, {}));
}

TEST(Pace, GivesTurnsAtEvenTimesAndNoneInStockAfterAPause) {
  using namespace std::chrono_literals;
  const Pace::Clock::time_point start{1h};
  Pace pace{10};
  EXPECT_EQ(pace.next(start), start);
  EXPECT_EQ(pace.next(start), start + 100ms);
  EXPECT_EQ(pace.next(start + 50ms), start + 200ms);
  EXPECT_EQ(pace.next(start + 10s), start + 10s);
  EXPECT_EQ(pace.next(start + 10s), start + 10s + 100ms);
  Pace none{0};
  EXPECT_EQ(none.next(start), start);
  EXPECT_EQ(none.next(start), start);
}

// Scans that are killed at any moment, changes before, between and after them: the first scan that
// comes to its end is exact.
TEST(Scan, IsExactAfterProcessesThatWereKilledAtAnyMoment) {
  RealTree tree;
  std::mt19937 random{3};
  const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  const auto change = [&] {
    const std::string folder = std::to_string(pick(6)) + "/" + std::to_string(pick(6));
    switch (pick(4)) {
      case 0:
        fs::remove_all(tree.tree() / folder);
        return tree.mark(folder);
      case 1:
        return tree.write(folder + "/deep/er/" + std::to_string(pick(3)), pick(5000));
      default:
        return tree.write(folder + "/" + std::to_string(pick(3)), pick(5000));
    }
  };
  const int rounds = testing::full_run() ? 500 : 40;
  for (int round = 0; round < rounds; ++round) {
    for (unsigned i = pick(5); i > 0; --i) change();
    tree.send_marks();
    const pid_t child = ::fork();
    if (child == 0) {
      ScanRequest request = tree.request();
      request.rules.sweep = 7;
      request.hooks.checkpoint_every = std::chrono::steady_clock::duration::zero();
      request.hooks.checkpoint_pause = 0;
      for (;;)
        if (!scan_with_tracker(request)) ::_exit(1);
    }
    for (unsigned spin = pick(100000); spin > 0; --spin) (void)::getppid();
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a scan failed";
    if (pick(3) == 0) continue;
    const ScanReport report = tree.scan();
    ASSERT_TRUE(is_whole_tree(report.result.cache.body));
    ASSERT_EQ(counted(report.result.cache), tree.exact()) << "round " << round;
  }
}

// As in memory, but with a disk's own ways: each scan beside an exact walk.
TEST(Scan, IsExactOnADiskUnderRandomChanges) {
  RealTree tree;
  std::mt19937 random{8};
  const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  const auto name = [&] {
    static const char* const kNames[] = {"a", "b", "odd\nname", "\xff\xfe", "..."};
    return std::string{kNames[pick(5)]};
  };
  const int rounds = testing::full_run() ? 3000 : 250;
  for (int round = 0; round < rounds; ++round) {
    for (unsigned i = pick(6); i > 0; --i) {
      const std::string folder = name() + "/" + name();
      const std::string other = name() + "/" + name();
      std::error_code ignored;
      switch (pick(6)) {
        case 0:
          fs::remove_all(tree.tree() / folder);
          tree.mark(folder);
          break;
        case 1:
          fs::rename(tree.tree() / folder, tree.tree() / other, ignored);
          tree.mark(folder);
          tree.mark(other);
          break;
        default:
          if (fs::is_directory(tree.tree() / folder / "file")) break;
          tree.write(folder + (pick(2) == 0 ? "/file" : "/" + name() + "/file"), pick(70000));
      }
    }
    ScanRequest request = tree.request();
    request.rules.sweep = pick(2) * 5;
    const ScanReport report = tree.scan(request);
    ASSERT_EQ(counted(report.result.cache), tree.exact()) << "round " << round;
    ASSERT_EQ(report.result.counts.unmarked, 0U) << "round " << round;
  }
}

}  // namespace
}  // namespace bloomery::tracker
