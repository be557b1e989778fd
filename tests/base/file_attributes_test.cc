// What save_file keeps of the file it replaces, and what it leaves behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/base/file.h"
#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kNobody = 65534;
constexpr uid_t kSomebody = 12345;

struct stat info_of(const std::filesystem::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info;
}

// The sentence of the error that the save ended with, in a process of another user.
std::string save_as(uid_t user, gid_t group, const std::filesystem::path& path,
                    std::string_view text) {
  int pipe[2];
  if (::pipe(pipe) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0) ::_exit(2);
    const Status saved = save_file(path, bytes_of(text));
    const std::string sentence = saved ? "saved" : saved.error().message;
    ::_exit(::write(pipe[1], sentence.data(), sentence.size()) < 0 ? 1 : 0);
  }
  ::close(pipe[1]);
  std::string sentence(4096, '\0');
  const ssize_t got = ::read(pipe[0], sentence.data(), sentence.size());
  sentence.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  ::close(pipe[0]);
  ::waitpid(child, nullptr, 0);
  return sentence;
}

class SaveFileOwner : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to other users";
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  }
  ScratchFolder folder_;
};

TEST_F(SaveFileOwner, KeepsOwnerGroupAndModeWhereRootSaves) {
  const auto path = folder_ / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  ASSERT_EQ(::chown(path.c_str(), kNobody, kSomebody), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(save_file(path, bytes_of("new")));
  const struct stat info = info_of(path);
  EXPECT_EQ(info.st_uid, kNobody);
  EXPECT_EQ(info.st_gid, kSomebody);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

TEST_F(SaveFileOwner, RefusesToMakeAnothersFileTheUsersOwn) {
  const auto path = folder_ / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  ASSERT_EQ(::chown(path.c_str(), kSomebody, kSomebody), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_THAT(save_as(kNobody, kNobody, path, "new"),
              HasSubstr("file: not written: it belongs to user 12345, and saving would make user "
                        "65534 its owner"));
  EXPECT_EQ(info_of(path).st_uid, kSomebody);
  EXPECT_EQ(info_of(path).st_size, 3);
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(SaveFileOwner, RefusesToChangeAGroupThatItMayNotKeep) {
  const auto path = folder_ / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  ASSERT_EQ(::chown(path.c_str(), kNobody, kSomebody), 0);
  EXPECT_THAT(save_as(kNobody, kNobody, path, "new"), HasSubstr("not written: its group is 12345"));
  EXPECT_EQ(info_of(path).st_gid, kSomebody);
  EXPECT_EQ(save_as(kNobody, kSomebody, path, "new"), "saved");
  EXPECT_EQ(info_of(path).st_gid, kSomebody);
}

TEST_F(SaveFileOwner, SavesAFileOfItsOwn) {
  ASSERT_EQ(save_as(kNobody, kNobody, folder_ / "file", "old"), "saved");
  ASSERT_EQ(save_as(kNobody, kNobody, folder_ / "file", "new one"), "saved");
  EXPECT_EQ(info_of(folder_ / "file").st_uid, kNobody);
  EXPECT_EQ(info_of(folder_ / "file").st_size, 7);
}

// What cannot be read would be lost with the old file: nothing is written instead.
TEST_F(SaveFileOwner, RefusesWhereAnAttributeCannotBeRead) {
  const auto path = folder_ / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  if (::setxattr(path.c_str(), "user.note", "kept", 4, 0) != 0)
    GTEST_SKIP() << "this file system has no user attributes";
  ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0200), 0);
  EXPECT_THAT(save_as(kNobody, kNobody, path, "new"),
              HasSubstr("file: cannot read the extended attribute user.note: Permission denied"));
  EXPECT_EQ(info_of(path).st_size, 3);
  EXPECT_EQ(folder_.entries(), 1u);
}

// Looked at when the first bytes are in it: `stop` is called between pieces.
mode_t mode_while_written(const ScratchFolder& folder, const std::filesystem::path& path) {
  static std::filesystem::path folder_path;
  static std::filesystem::path target;
  static mode_t mode;
  folder_path = folder.path();
  target = path;
  mode = 0;
  const auto look = [] {
    for (const auto& entry : std::filesystem::directory_iterator{folder_path})
      if (entry.path() != target) mode = info_of(entry.path()).st_mode & 07777;
    return false;
  };
  EXPECT_TRUE(save_file(path, bytes_of("bytes"), look));
  return mode;
}

TEST(SaveFileMode, IsTheOwnersAloneWhileAnOldFileIsReplaced) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("old")));
  for (const mode_t mode : {0400u, 0644u, 0666u}) {
    ASSERT_EQ(::chmod((folder / "file").c_str(), mode), 0);
    EXPECT_EQ(mode_while_written(folder, folder / "file") & 0177u, 0u);
    EXPECT_EQ(info_of(folder / "file").st_mode & 07777, mode);
  }
}

TEST(SaveFileAttributes, KeepsUserAttributes) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  if (::setxattr(path.c_str(), "user.note", "kept", 4, 0) != 0)
    GTEST_SKIP() << "this file system has no user attributes";
  ASSERT_EQ(::setxattr(path.c_str(), "user.empty", "", 0, 0), 0);
  ASSERT_EQ(::setxattr(path.c_str(), "user.short", "x", 1, 0), 0);
  ASSERT_TRUE(save_file(path, bytes_of("new")));
  char value[16] = {};
  EXPECT_EQ(::getxattr(path.c_str(), "user.note", value, sizeof value), 4);
  EXPECT_STREQ(value, "kept");
  EXPECT_EQ(::getxattr(path.c_str(), "user.empty", value, sizeof value), 0);
  EXPECT_EQ(::getxattr(path.c_str(), "user.short", value, sizeof value), 1);
  EXPECT_EQ(value[0], 'x');
}

// Version 2, then (tag, permissions, id) of: owner rw, user 12345 r, group -, mask r, others -.
constexpr unsigned char kList[] = {
    2, 0,    0,    0,    1,    0,    6,    0, 0xff, 0xff, 0xff, 0xff, 2,    0,    4,
    0, 0x39, 0x30, 0,    0,    4,    0,    0, 0,    0xff, 0xff, 0xff, 0xff, 0x10, 0,
    4, 0,    0xff, 0xff, 0xff, 0xff, 0x20, 0, 0,    0,    0xff, 0xff, 0xff, 0xff};

TEST(SaveFileAttributes, KeepsTheAccessControlList) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  if (::setxattr(path.c_str(), "system.posix_acl_access", kList, sizeof kList, 0) != 0)
    GTEST_SKIP() << "this file system has no access control lists";
  const mode_t mode = info_of(path).st_mode;
  ASSERT_TRUE(save_file(path, bytes_of("new")));
  unsigned char value[256] = {};
  ASSERT_EQ(::getxattr(path.c_str(), "system.posix_acl_access", value, sizeof value),
            static_cast<ssize_t>(sizeof kList));
  EXPECT_EQ(std::memcmp(value, kList, sizeof kList), 0);
  EXPECT_EQ(info_of(path).st_mode, mode);
}

TEST(SaveFileAttributes, TakesNoListFromTheFolderWhereTheOldFileHasNone) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  if (::setxattr(folder.path().c_str(), "system.posix_acl_default", kList, sizeof kList, 0) != 0)
    GTEST_SKIP() << "this file system has no access control lists";
  ASSERT_TRUE(save_file(path, bytes_of("new")));
  char value[256];
  EXPECT_LT(::getxattr(path.c_str(), "system.posix_acl_access", value, sizeof value), 0);
}

void make_old_file(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  const timespec old[2] = {{.tv_sec = 1'000'000, .tv_nsec = 0},
                           {.tv_sec = 1'000'000, .tv_nsec = 0}};
  EXPECT_EQ(::futimens(fd, old), 0);
  ::close(fd);
}

TEST(SaveFileLeftovers, AreNoneWhereMemoryRunsOutInTheMiddle) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("old")));
  const auto fail = []() -> bool { throw std::bad_alloc{}; };
  EXPECT_THROW((void)save_file(folder / "file", bytes_of("new"), fail), std::bad_alloc);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(SaveFileLeftovers, AreRemovedByTheNextSaveOfTheFile) {
  const ScratchFolder folder;
  // However old or new they are, and whatever mode they had been given.
  make_old_file(folder / ".file.01234567890123456789");
  for (const mode_t mode : {0600u, 0400u, 0200u}) {
    const auto name = ".file.2222222222222222222" + std::to_string(mode / 0200);
    ASSERT_EQ(::close(::open((folder / name).c_str(), O_CREAT | O_WRONLY, mode)), 0);
  }
  ASSERT_TRUE(save_file(folder / "file", bytes_of("x")));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(SaveFileLeftovers, HaveTwoHundredBytesOfALongName) {
  const ScratchFolder folder;
  const std::string name(210, 'n');
  const auto leftover = [&](std::size_t kept) {
    return folder / ("." + name.substr(0, kept) + ".01234567890123456789");
  };
  for (const std::size_t kept : {199U, 200U, 201U}) make_old_file(leftover(kept));
  ASSERT_TRUE(save_file(folder / name, bytes_of("x")));
  EXPECT_TRUE(std::filesystem::exists(leftover(199)));
  EXPECT_FALSE(std::filesystem::exists(leftover(200)));
  EXPECT_TRUE(std::filesystem::exists(leftover(201)));
}

// The save that was killed had given its file the mode of the old one already.
TEST_F(SaveFileOwner, RemovesALeftoverThatItsOwnerMayOnlyWrite) {
  const auto leftover = folder_ / ".file.01234567890123456789";
  make_old_file(leftover);
  ASSERT_EQ(::chown(leftover.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(::chmod(leftover.c_str(), 0200), 0);
  EXPECT_EQ(save_as(kNobody, kNobody, folder_ / "file", "new"), "saved");
  EXPECT_EQ(folder_.entries(), 1u);
}

// A temporary file is locked from its first byte until it has its name: no save takes the one of
// another that is under way.
TEST(SaveFileLeftovers, AreNotMistakenForASaveThatIsUnderWay) {
  const ScratchFolder folder;
  static std::filesystem::path path;
  static bool is_inside;
  path = folder / "file";
  is_inside = false;
  const auto save_meanwhile = [] {
    if (std::exchange(is_inside, true)) return false;
    EXPECT_TRUE(save_file(path, bytes_of("inner")));
    return false;
  };
  EXPECT_TRUE(save_file(path, bytes_of("outer"), save_meanwhile));
  EXPECT_EQ(text_of(*read_file(path, DecodeLimits{})), "outer");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(SaveFileLeftovers, DoNotBreakManySavesAtOnce) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  {
    std::vector<std::jthread> savers;
    for (int i = 0; i < 4; ++i)
      savers.emplace_back([&path] {
        for (int round = 0; round < 200; ++round) {
          const auto saved = save_file(path, bytes_of("bytes"));
          EXPECT_TRUE(saved) << saved.error().message;
        }
      });
  }
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(SaveFileLeftovers, StayWhereTheyMayBeInUseOrSomethingElse) {
  const ScratchFolder folder;
  const auto in_use = folder / ".file.11111111111111111111";
  make_old_file(in_use);
  const int fd = ::open(in_use.c_str(), O_WRONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  make_old_file(folder / ".file.123");
  make_old_file(folder / ".file.0123456789012345678x");
  make_old_file(folder / ".other.01234567890123456789");
  make_old_file(folder / "01234567890123456789");
  ASSERT_TRUE(save_file(folder / "file", bytes_of("x")));
  EXPECT_EQ(folder.entries(), 6u);
  ::close(fd);
}

}  // namespace
}  // namespace bloomery
