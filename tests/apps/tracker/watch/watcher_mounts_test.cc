// Filesystems mounted in the watched tree: moved with the folders above them, bound, moved, taken
// away while they are in use.
#include <gtest/gtest.h>

#include "tests/apps/tracker/watch/watching.h"

namespace bloomery::tracker {
namespace {

class WatchingMounts : public Watching {
 protected:
  // Closes two cycles: in the first one everything below the mounts is flagged.
  void settle(Watcher& watcher) {
    next(watcher);
    next(watcher);
  }
  void expect_seen(Watcher& watcher, const Path& file) {
    settle(watcher);
    EXPECT_FALSE(changed(watcher, other())) << "always saying yes would pass too";
    write(file, message("at ", file.string()));
    EXPECT_TRUE(changed(watcher, file)) << file;
    EXPECT_TRUE(changed(watcher, file.parent_path())) << file;
    next(watcher);
    write(file, "again");
    EXPECT_TRUE(changed(watcher, file)) << file;
  }
};

TEST_P(WatchingMounts, AFolderThatHoldsAMountIsRenamed) {
  std::filesystem::create_directories(root() / "a/deep/mp");
  Mounted mounted{"none", root() / "a/deep/mp", "tmpfs"};
  if (!mounted.is_there()) GTEST_SKIP() << "mounting is not permitted";
  std::filesystem::create_directories(root() / "a/deep/mp/inside");
  START_OR_SKIP(watcher, options());
  std::filesystem::rename(root() / "a", root() / "b");
  mounted.is_at(root() / "b/deep/mp");
  EXPECT_TRUE(changed(*watcher, root() / "a/deep/mp/inside"));
  EXPECT_TRUE(changed(*watcher, root() / "b/deep/mp/inside"));
  expect_seen(*watcher, root() / "b/deep/mp/inside/file");
  // Written before the watcher could know where the mount is, in the same cycle.
  next(*watcher);
  watcher->hold_reading(true);
  std::filesystem::rename(root() / "b/deep", root() / "c");
  mounted.is_at(root() / "c/mp");
  write(root() / "c/mp/inside/at once");
  watcher->hold_reading(false);
  EXPECT_TRUE(changed(*watcher, root() / "c/mp/inside/at once"));
  expect_seen(*watcher, root() / "c/mp/inside/file");
}

TEST_P(WatchingMounts, AFolderThatHoldsAMountIsMovedInAndOut) {
  std::filesystem::create_directories(base() / "outside/mp");
  Mounted mounted{"none", base() / "outside/mp", "tmpfs"};
  if (!mounted.is_there()) GTEST_SKIP() << "mounting is not permitted";
  START_OR_SKIP(watcher, options());
  std::filesystem::rename(base() / "outside", root() / "in");
  mounted.is_at(root() / "in/mp");
  expect_seen(*watcher, root() / "in/mp/file");
  std::filesystem::rename(root() / "in", base() / "out");
  mounted.is_at(base() / "out/mp");
  EXPECT_TRUE(changed(*watcher, root() / "in/mp/file"));
  settle(*watcher);
  write(base() / "out/mp/file", "not in the tree");
  EXPECT_FALSE(changed(*watcher, root()));
  // Into a folder that is so new that it is not watched yet.
  watcher->hold_reading(true);
  std::filesystem::create_directories(root() / "new");
  std::filesystem::rename(base() / "out", root() / "new/in");
  mounted.is_at(root() / "new/in/mp");
  watcher->hold_reading(false);
  expect_seen(*watcher, root() / "new/in/mp/file");
}

TEST_P(WatchingMounts, AMountIsMovedBoundAndTakenAway) {
  std::filesystem::create_directories(root() / "one");
  std::filesystem::create_directories(root() / "two");
  std::filesystem::create_directories(root() / "three");
  // Of a shared mount nothing may be moved away.
  Mounted around{root().string(), root(), nullptr, MS_BIND};
  if (!around.is_there()) GTEST_SKIP() << "mounting is not permitted";
  ASSERT_EQ(::mount("none", root().c_str(), nullptr, MS_PRIVATE, nullptr), 0);
  Mounted mounted{"none", root() / "one", "tmpfs"};
  START_OR_SKIP(watcher, options());
  ASSERT_EQ(::mount((root() / "one").c_str(), (root() / "two").c_str(), nullptr, MS_MOVE, nullptr),
            0);
  mounted.is_at(root() / "two");
  expect_seen(*watcher, root() / "two/file");
  expect_seen(*watcher, root() / "one/file");
  {
    Mounted bound{(root() / "two").string(), root() / "three", nullptr, MS_BIND};
    ASSERT_TRUE(bound.is_there());
    expect_seen(*watcher, root() / "three/file");
    expect_seen(*watcher, root() / "two/file");
    settle(*watcher);
    write(root() / "two/by the other name");
    EXPECT_TRUE(changed(*watcher, root() / "three/by the other name"));
    const int used = ::open((root() / "two/file").c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(::umount2((root() / "two").c_str(), MNT_DETACH), 0);
    mounted.is_gone();
    expect_seen(*watcher, root() / "two/file");
    next(*watcher);
    EXPECT_EQ(::write(used, "longer than before", 18), 18);
    EXPECT_TRUE(changed(*watcher, root() / "three/file")) << "it has this name still";
    ::close(used);
  }
  expect_seen(*watcher, root() / "three/file");
}

TEST_P(WatchingMounts, ASubvolumeIsDeletedAsAWhole) {
  const LoopDevice device{folder_ / "image", "mkfs.btrfs -qf", 128 << 20};
  std::filesystem::create_directories(root() / "mounted");
  const Mounted mounted{device.name(), root() / "mounted", "btrfs"};
  if (!mounted.is_there()) GTEST_SKIP() << "an image cannot be mounted here";
  const auto btrfs = [&](const char* what) {
    return std::system(message("PATH=$PATH:/sbin:/usr/sbin; btrfs subvolume ", what, " '",
                               (root() / "mounted/volume").string(), "' >/dev/null")
                           .c_str());
  };
  ASSERT_EQ(btrfs("create"), 0);
  std::filesystem::create_directories(root() / "mounted/volume/in/side");
  START_OR_SKIP(watcher, options());
  ASSERT_EQ(btrfs("delete"), 0);
  EXPECT_TRUE(changed(*watcher, root() / "mounted/volume"));
  EXPECT_TRUE(changed(*watcher, root() / "mounted/volume/in/side"));
  EXPECT_FALSE(changed(*watcher, other()));
  settle(*watcher);
  ASSERT_EQ(btrfs("create"), 0);
  std::filesystem::create_directories(root() / "mounted/volume/in");
  expect_seen(*watcher, root() / "mounted/volume/in/file");
}

INSTANTIATE_TEST_SUITE_P(Both, WatchingMounts,
                         ::testing::Values(WatchChoice::kFanotify, WatchChoice::kInotify),
                         name_of_backend);

}  // namespace
}  // namespace bloomery::tracker
