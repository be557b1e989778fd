#include "apps/tracker/scan/disk_folder_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

std::unique_ptr<FolderReader> reader_of(const std::filesystem::path& root,
                                        DiskReaderOptions options = {}) {
  auto reader = open_folder_tree(root, options);
  EXPECT_TRUE(reader) << reader.error().message;
  return std::move(*reader);
}

void write_file(const std::filesystem::path& path, std::size_t size) {
  std::ofstream{path} << std::string(size, 'x');
}

TEST(DiskFolderReader, CountsRegularFilesAsFindDoes) {
  const ScratchFolder folder;
  write_file(folder / "plain", 100);
  write_file(folder / "odd\nname\xff", 1);
  std::filesystem::create_hard_link(folder / "plain", folder / "link");
  std::filesystem::create_symlink(folder / "plain", folder / "symlink");
  std::filesystem::create_directory(folder / "sub\xfe");
  std::filesystem::create_directory_symlink(folder / "sub\xfe", folder / "dirlink");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  ASSERT_EQ(::truncate((folder / "odd\nname\xff").c_str(), 1 << 30), 0) << "mostly a hole";
  const auto reader = reader_of(folder.path());
  Listing listing;
  ASSERT_EQ(reader->read(listing), FolderOutcome::kRead);
  EXPECT_EQ(listing.own.objects, 3U);
  EXPECT_EQ(listing.own.bytes, 200U + (1 << 30));
  EXPECT_EQ(listing.own.sizes[size_class(100)], 2U);
  ASSERT_EQ(listing.folders.size(), 1U);
  EXPECT_EQ(listing.folders.front().name, "sub\xfe");
  EXPECT_NE(listing.folders.front().identity, 0U);
  write_file(folder / "later", 5);
  ASSERT_EQ(reader->read(listing), FolderOutcome::kRead) << "from its beginning again";
  EXPECT_EQ(listing.own.objects, 4U);
}

TEST(DiskFolderReader, TheNewestChangeIsThatOfAFileOrOfTheFolder) {
  const ScratchFolder folder;
  write_file(folder / "file", 1);
  const timespec future[2] = {{4'000'000'000, 0}, {4'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder / "file").c_str(), future, 0), 0);
  Listing listing;
  ASSERT_EQ(reader_of(folder.path())->read(listing), FolderOutcome::kRead);
  EXPECT_EQ(listing.own.newest_unix, 4'000'000'000);
}

TEST(DiskFolderReader, WhatIsGoneOrNoFolderAnyMoreIsGone) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "a/b");
  write_file(folder / "file", 1);
  std::filesystem::create_directory_symlink(folder / "a", folder / "link");
  const auto reader = reader_of(folder.path());
  Listing listing;
  for (const char* name : {"never", "file", "link"}) {
    reader->enter(name);
    EXPECT_EQ(reader->read(listing), FolderOutcome::kGone) << name;
    reader->leave();
  }
  reader->enter("a");
  reader->enter("b");
  ASSERT_EQ(reader->read(listing), FolderOutcome::kRead);
  std::filesystem::remove_all(folder / "a");
  EXPECT_EQ(reader->read(listing), FolderOutcome::kGone) << "removed while it was open";
  reader->leave();
  reader->leave();
  EXPECT_EQ(reader->read(listing), FolderOutcome::kRead);
}

TEST(DiskFolderReader, WhatMayNotBeReadIsSaidToBeSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const ScratchFolder folder;
  ::chmod(folder.path().c_str(), 0755);
  std::filesystem::create_directory(folder / "closed");
  std::filesystem::create_directory(folder / "listed");
  write_file(folder / "listed/file", 5);
  ::chmod((folder / "closed").c_str(), 0700);
  ::chmod((folder / "listed").c_str(), 0744);  // names, but nothing of the files
  const auto reader = reader_of(folder.path());
  ::setfsuid(65534);  // of this thread, and its rights with it
  Listing listing;
  FolderOutcome outcomes[2];
  std::string problems[2];
  for (int i = 0; i < 2; ++i) {
    reader->enter(i == 0 ? "closed" : "listed");
    outcomes[i] = reader->read(listing);
    problems[i] = listing.problem;
    reader->leave();
  }
  ::setfsuid(0);
  EXPECT_EQ(outcomes[0], FolderOutcome::kUnreadable);
  EXPECT_EQ(problems[0], "Permission denied");
  EXPECT_EQ(outcomes[1], FolderOutcome::kUnreadable);
  EXPECT_EQ(problems[1], "file: Permission denied");
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"})
    ++count;
  return count;
}

// Longer than any path may be, with a folder beside the way at every step.
TEST(DiskFolderReader, GoesDeeperThanPathsAreLongWithFewFoldersOpen) {
  constexpr int kDepth = 300;
  const ScratchFolder folder;
  const std::string name(200, 'n');
  int fd = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(::mkdirat(fd, name.c_str(), 0755), 0);
    ASSERT_EQ(::mkdirat(fd, "beside", 0755), 0);
    const int below = ::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY);
    ::close(fd);
    fd = below;
  }
  ::close(fd);
  const std::size_t before = open_descriptors();
  const auto reader = reader_of(folder.path(), {.open_folders = 8});
  Listing listing;
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(reader->read(listing), FolderOutcome::kRead) << i;
    ASSERT_EQ(listing.folders.size(), 2U) << i;
    reader->enter(name);
  }
  EXPECT_LE(open_descriptors(), before + 8);
  for (int i = kDepth; i > 0; --i) {
    reader->leave();
    reader->enter("beside");
    ASSERT_EQ(reader->read(listing), FolderOutcome::kRead) << i;
    reader->leave();
  }
  EXPECT_LE(open_descriptors(), before + 8);
  for (int i = 0; i < kDepth; ++i) reader->enter(name);
  EXPECT_EQ(reader->read(listing), FolderOutcome::kRead) << "all the way at once";
}

TEST(DiskFolderReader, AFolderThatIsMovedMeanwhileDoesNotLeadElsewhere) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "a/b");
  std::filesystem::create_directories(folder / "elsewhere");
  write_file(folder / "elsewhere/file", 5);
  const auto reader = reader_of(folder.path(), {.open_folders = 2});
  Listing listing;
  reader->enter("a");
  ASSERT_EQ(reader->read(listing), FolderOutcome::kRead);
  reader->enter("b");
  ASSERT_EQ(reader->read(listing), FolderOutcome::kRead) << "and a is closed";
  std::filesystem::rename(folder / "a/b", folder / "elsewhere/b");
  reader->leave();
  ASSERT_EQ(reader->read(listing), FolderOutcome::kRead);
  EXPECT_EQ(listing.own.objects, 0U) << "this is a, and not what b is in now";
}

TEST(DiskFolderReader, ARootThatIsNoFolderIsAnErrorWithItsName) {
  const ScratchFolder folder;
  write_file(folder / "file", 1);
  const auto reader = open_folder_tree(folder / "file");
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find("file: cannot open the folder"), std::string::npos);
}

}  // namespace
}  // namespace bloomery::tracker
