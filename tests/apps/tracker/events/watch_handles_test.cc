// Files opened by their handles, as NFS servers do: the kernel knows no folder of such a file until
// a program looks its name up.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "apps/tracker/events/exports.h"
#include "bloomery/base/file.h"
#include "tests/apps/tracker/watch/watching.h"

namespace bloomery::tracker {
namespace {

struct Handle {
  alignas(file_handle) char bytes[sizeof(file_handle) + MAX_HANDLE_SZ] = {};
  file_handle* get() { return reinterpret_cast<file_handle*>(bytes); }
};

bool find_handle(const Path& file, Handle& handle) {
  handle.get()->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  return ::name_to_handle_at(AT_FDCWD, file.c_str(), handle.get(), &mount, 0) == 0;
}

// The descriptor; -1 with errno where that is not permitted.
int open_handle(const Path& mount, Handle& handle, int flags) {
  const int folder = ::open(mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int fd = ::open_by_handle_at(folder, handle.get(), flags | O_CLOEXEC);
  const int error = errno;
  ::close(folder);
  errno = error;
  return fd;
}

struct Kind {
  const char* name;
  const char* make;
  std::uintmax_t bytes;
};
constexpr Kind kExt4{"ext4", "mkfs.ext4 -qF", 4 << 20};
constexpr Kind kXfs{"xfs", "mkfs.xfs -qf", 300 << 20};
constexpr Kind kBtrfs{"btrfs", "mkfs.btrfs -qf", 128 << 20};

class WatchingHandles : public Watching {
 protected:
  Path point() const { return root() / "mounted"; }
  Path file() const { return point() / "folder/file"; }

  // A filesystem of which the kernel has forgotten every name; the file's handle is known.
  void mount_cold(const Kind& kind, bool two_names = false) {
    device_.emplace(folder_ / message(kind.name, ".image"), kind.make, kind.bytes);
    std::filesystem::create_directories(point());
    {
      const Mounted first{device_->name(), point(), kind.name};
      if (device_->name().empty() || !first.is_there()) {
        why_not_ = message(kind.name, " cannot be mounted from an image here");
        return;
      }
      std::filesystem::create_directories(file().parent_path());
      write(file());
      if (two_names)
        std::filesystem::create_hard_link(file(), file().parent_path() / "second name");
      if (!find_handle(file(), handle_)) why_not_ = message("no handle: ", std::strerror(errno));
    }
    mounted_.emplace(device_->name(), point(), kind.name);
    ASSERT_TRUE(mounted_->is_there());
  }

  std::optional<LoopDevice> device_;
  std::optional<Mounted> mounted_;
  Handle handle_;
  std::string why_not_;
};

TEST_P(WatchingHandles, WhatIsWrittenByHandleIsSeenOrFlagged) {
  for (const Kind& kind : {kExt4, kXfs, kBtrfs}) {
    SCOPED_TRACE(kind.name);
    mounted_.reset();
    why_not_.clear();
    ASSERT_NO_FATAL_FAILURE(mount_cold(kind));
    if (!why_not_.empty()) GTEST_SKIP() << why_not_;
    const Path table = folder_ / "exports";
    WatcherOptions asked = options();
    asked.export_tables = {table};
    // inotify cannot see it, so it must know that the folder is exported.
    write(table, GetParam() == WatchChoice::kInotify
                     ? message("# exported\n", point().string(), "\t*(rw)\n")
                     : std::string{});
    START_OR_SKIP(watcher, asked);
    next(*watcher);
    const bool knows =
        GetParam() == WatchChoice::kFanotify && std::string_view{kind.name} != "btrfs";
    EXPECT_EQ(watcher->status()->watch->unseen_count, knows ? 0U : 1U);
    if (knows) {
      EXPECT_FALSE(changed(*watcher, file()));
    }
    const int fd = open_handle(root() / "mounted", handle_, O_WRONLY | O_APPEND);
    ASSERT_GE(fd, 0) << std::strerror(errno);
    char where[64] = {};
    ASSERT_GT(::readlink(message("/proc/self/fd/", fd).c_str(), where, sizeof where), 0);
    EXPECT_STREQ(where, "/") << "the kernel knows its name: this proves nothing";
    ASSERT_EQ(::write(fd, "by handle", 9), 9);
    EXPECT_TRUE(changed(*watcher, file()));
    EXPECT_TRUE(changed(*watcher, file().parent_path()));
    EXPECT_FALSE(changed(*watcher, other()));
    next(*watcher);
    ASSERT_EQ(::ftruncate(fd, 3), 0);
    EXPECT_TRUE(changed(*watcher, file()));
    next(*watcher);
    ASSERT_EQ(::fchmod(fd, 0600), 0);
    EXPECT_TRUE(changed(*watcher, file()));
    ::close(fd);
    if (!knows) continue;
    // Its name is known by now: the file alone is marked.
    ASSERT_TRUE(std::filesystem::exists(file()));
    next(*watcher);
    const int known = open_handle(root() / "mounted", handle_, O_WRONLY | O_APPEND);
    ASSERT_EQ(::write(known, "by handle", 9), 9);
    ::close(known);
    EXPECT_TRUE(changed(*watcher, file()));
    EXPECT_FALSE(changed(*watcher, point() / "lost+found"));
  }
}

// The same without a mount, where the test's own disk has handles and the caches may be dropped.
TEST_P(WatchingHandles, OnTheDiskOfTheMachine) {
  if (GetParam() == WatchChoice::kInotify) GTEST_SKIP() << "inotify does not see it";
  char name[] = "/var/tmp/bloomery-test-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  base_ = name;
  SetUpRoots();
  write(root() / "file");
  if (!find_handle(root() / "file", handle_))
    GTEST_SKIP() << "no handles: " << std::strerror(errno);
  START_OR_SKIP(watcher, options());
  ::sync();
  std::ofstream drop{"/proc/sys/vm/drop_caches"};
  if (!(drop << 2 << std::flush)) GTEST_SKIP() << "caches may not be dropped";
  const int fd = open_handle(base(), handle_, O_WRONLY);
  if (fd < 0) GTEST_SKIP() << "not permitted: " << std::strerror(errno);
  next(*watcher);
  EXPECT_EQ(::write(fd, "by handle", 9), 9);
  ::close(fd);
  EXPECT_TRUE(changed(*watcher, root() / "file"));
}

// While a new file gets the number of a removed one, the removed one's handle cannot be opened for
// another reason than that it is gone. A busy neighbour would have every scan read everything.
TEST_P(WatchingHandles, FilesThatComeAndGoElsewhereFlagNothing) {
  char name[] = "/var/tmp/bloomery-test-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  base_ = name;
  SetUpRoots();
  START_OR_SKIP(watcher, options());
  const auto write_and_remove = [&](int writer) {
    const Path file = base() / message("elsewhere", writer);
    for (int times = 0; times < 4000; ++times) {
      const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      EXPECT_EQ(::write(fd, "x", 1), 1);
      ::close(fd);
      ::unlink(file.c_str());
    }
  };
  // Other programs share the disk, and may write by handle: one quiet round is enough.
  bool flagged = true;
  for (int round = 0; round < 8 && flagged; ++round) {
    next(*watcher);
    {
      std::vector<std::jthread> writers;
      for (int i = 0; i < 4; ++i) writers.emplace_back(write_and_remove, i);
    }
    flagged = changed(*watcher, other()) || changed(*watcher, root());
  }
  EXPECT_FALSE(flagged);
}

// A file without a name is reported in the folder that it was made for, also after it got a name.
TEST_P(WatchingHandles, AFileThatGotItsNameLaterIsSeenWhereItIs) {
  if (GetParam() == WatchChoice::kInotify) GTEST_SKIP() << "inotify does not see it";
  std::filesystem::create_directories(root() / "made/for");
  START_OR_SKIP(watcher, options());
  const int fd = ::open((root() / "made/for").c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) GTEST_SKIP() << "no files without names: " << std::strerror(errno);
  ASSERT_EQ(::linkat(AT_FDCWD, message("/proc/self/fd/", fd).c_str(), AT_FDCWD,
                     (other() / "named").c_str(), AT_SYMLINK_FOLLOW),
            0);
  EXPECT_TRUE(changed(*watcher, other() / "named"));
  next(*watcher);
  EXPECT_FALSE(changed(*watcher, other()));
  ASSERT_EQ(::write(fd, "late", 4), 4);
  EXPECT_TRUE(changed(*watcher, other() / "named"));
  ::close(fd);
}

// When one of a file's names goes, the kernel says that the file's attributes changed, by its
// handle alone. That is no reason to flag a filesystem; a change of attributes by handle is.
TEST_P(WatchingHandles, ANameThatGoesIsNotTakenForAFileNobodyCanFind) {
  ASSERT_NO_FATAL_FAILURE(mount_cold(kExt4, true));
  if (!why_not_.empty()) GTEST_SKIP() << why_not_;
  START_OR_SKIP(watcher, options());
  std::filesystem::remove(point() / "folder/second name");
  EXPECT_TRUE(changed(*watcher, point() / "folder/second name"));
  EXPECT_FALSE(changed(*watcher, point() / "elsewhere"));
  std::filesystem::create_directory(point() / "new");
  EXPECT_FALSE(changed(*watcher, point() / "elsewhere"));
  if (GetParam() == WatchChoice::kInotify) return;
  next(*watcher);
  const int fd = open_handle(point(), handle_, O_RDONLY);
  ASSERT_EQ(::fchmod(fd, 0600), 0) << std::strerror(errno);
  EXPECT_TRUE(changed(*watcher, file()));
  ::close(fd);
}

INSTANTIATE_TEST_SUITE_P(Both, WatchingHandles,
                         ::testing::Values(WatchChoice::kFanotify, WatchChoice::kInotify),
                         name_of_backend);

TEST(NfsExports, TheirTablesNamePaths) {
  EXPECT_EQ(parse_exports("# a comment\n\n/srv/a  *(rw)\n/srv/b\\040c\thost(ro) \\\n  other(rw)\n"
                          "\"/srv/d e\" *(rw)\n  /srv/f\nnonsense\n/"),
            (std::vector<std::string>{"/srv/a", "/srv/b c", "/srv/d e", "/srv/f", "/"}));
  EXPECT_TRUE(parse_exports("").empty());
}

TEST(NfsExports, PartsOfARootAndBindMountsAreFound) {
  const auto mounts = parse_mounts(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /data rw - xfs /dev/sdb1 rw\n"
      "3 1 8:2 /shared /exports/shared rw - xfs /dev/sdb1 rw\n");
  const auto regions = regions_of(std::vector<std::string>{"/data", "/home"}, mounts);
  const auto paths = [&](const std::string& exported) {
    std::vector<std::string> found;
    for (const auto& subtree : exported_subtrees(regions, std::span{&exported, 1}, mounts))
      found.push_back(subtree.path);
    return found;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(paths("/data"), Paths{"/data"});
  EXPECT_EQ(paths("/data/deep/er"), Paths{"/data/deep/er"});
  EXPECT_EQ(paths("/exports/shared"), Paths{"/data/shared"}) << "the same folders";
  EXPECT_EQ(paths("/"), Paths{"/home"}) << "another filesystem is not exported with it";
  EXPECT_EQ(paths("/elsewhere"), Paths{});
}

}  // namespace
}  // namespace bloomery::tracker
