#include "bloomery/base/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "bloomery/base/file.h"
#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr LockWait kNoWait{.timeout = milliseconds{0}};

std::string text_in(const std::filesystem::path& path) {
  const auto bytes = read_file(path, DecodeLimits{});
  return bytes ? std::string{text_of(*bytes)} : "unreadable: " + bytes.error().message;
}

pid_t in_child(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  return child;
}

bool ends_well(pid_t child) {
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST(FileLock, WaitsAMinuteAndSaysSoAfterASecondUnlessToldOtherwise) {
  EXPECT_EQ(LockWait{}.timeout, milliseconds{60'000});
  EXPECT_EQ(LockWait{}.notice_after, milliseconds{1000});
}

TEST(FileLock, KeepsASecondOneOut) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("x")));
  {
    const auto first = FileLock::acquire(folder / "file", kNoWait);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_TRUE(first->held());
    const auto second = FileLock::acquire(folder / "file", kNoWait);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kIo);
    EXPECT_THAT(second.error().message, HasSubstr("file: another process is writing to the file"));
  }
  EXPECT_TRUE(FileLock::acquire(folder / "file", kNoWait));
}

TEST(FileLock, GivesUpAfterItsTimeAndSaysSoMeanwhile) {
  static int notices;
  notices = 0;
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("x")));
  const auto first = FileLock::acquire(folder / "file", kNoWait);
  ASSERT_TRUE(first);
  const auto start = std::chrono::steady_clock::now();
  const auto second =
      FileLock::acquire(folder / "file", {.timeout = milliseconds{200},
                                          .notice = [](std::string_view) { ++notices; },
                                          .notice_after = milliseconds{50}});
  const auto waited = std::chrono::steady_clock::now() - start;
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("after a wait of 0.2 s"));
  EXPECT_GE(waited, milliseconds{200});
  EXPECT_LT(waited, milliseconds{10'000});
  EXPECT_EQ(notices, 1);
}

TEST(FileLock, LocksTheFileThatReplacedTheOneItWaitedFor) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  auto first = FileLock::acquire(path, kNoWait);
  ASSERT_TRUE(first);
  std::string seen;
  std::thread other{[&] {
    const auto second = FileLock::acquire(path);
    if (second && second->compare(path) == FileLock::Names::kLockedFile) seen = text_in(path);
  }};
  std::this_thread::sleep_for(milliseconds{30});
  EXPECT_TRUE(save_file(path, bytes_of("new"), *first));
  *first = FileLock{};
  other.join();
  EXPECT_EQ(seen, "new");
}

TEST(FileLock, IsHeldOnNothingWhereTheFileWentWhileItWaited) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  const auto first = FileLock::acquire(path, kNoWait);
  ASSERT_TRUE(first);
  std::thread remover{[&] {
    std::this_thread::sleep_for(milliseconds{10});
    std::filesystem::remove(path);
  }};
  const auto second = FileLock::acquire(path, {.timeout = milliseconds{10'000}});
  remover.join();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->held());
}

TEST(FileLock, DoesNotWaitForAWriterOfAFileThatWasReplaced) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("old")));
  const auto mapped = WritableMappedFile::open(folder / "file");
  ASSERT_TRUE(mapped);
  ASSERT_TRUE(save_file(folder / "file", bytes_of("new")));  // takes no lock
  EXPECT_TRUE(FileLock::acquire(folder / "file", kNoWait));
}

TEST(FileLock, AndAMappedWriterKeepEachOtherOut) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("some bytes")));
  {
    const auto mapped = WritableMappedFile::open(folder / "file");
    ASSERT_TRUE(mapped);
    EXPECT_FALSE(FileLock::acquire(folder / "file", kNoWait));
  }
  const auto lock = FileLock::acquire(folder / "file", kNoWait);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(WritableMappedFile::open(folder / "file"));
}

TEST(FileLock, IsTheTargetsWhereThePathIsALink) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("x")));
  std::filesystem::create_symlink("file", folder / "link");
  const auto lock = FileLock::acquire(folder / "link", kNoWait);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(FileLock::acquire(folder / "file", kNoWait));
}

TEST(FileLock, RefusesWhatIsNoRegularFileWithoutWaiting) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(FileLock::acquire(folder / "pipe"));
  EXPECT_FALSE(FileLock::acquire(folder.path()));
  EXPECT_FALSE(FileLock::acquire("/dev/null"));
}

TEST(FileLock, IsGoneWithTheProcessThatHeldIt) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("x")));
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = in_child([&] {
    const auto lock = FileLock::acquire(folder / "file");
    if (!lock || ::write(ready[1], "!", 1) != 1) return false;
    ::pause();
    return true;
  });
  ASSERT_GT(child, 0);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(FileLock::acquire(folder / "file", kNoWait));
  ::kill(child, SIGKILL);
  EXPECT_FALSE(ends_well(child));
  EXPECT_TRUE(FileLock::acquire(folder / "file"));
  ::close(ready[0]);
  ::close(ready[1]);
}

// Each of many processes reads the file, appends a line and replaces it, again and again.
bool append_lines(const std::filesystem::path& path, const std::string& line, int times) {
  for (int i = 0; i < times; ++i) {
    const auto lock = FileLock::acquire(path);
    if (!lock || !lock->held()) return false;
    if (!save_file(path, bytes_of(text_in(path) + line + "\n"), *lock)) return false;
  }
  return true;
}

TEST(FileLock, LosesNothingOfWhatManyProcessesSave) {
  constexpr int kProcesses = 8;
  constexpr int kTimes = 50;
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("")));
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i)
    children.push_back(
        in_child([&] { return append_lines(folder / "file", std::to_string(i), kTimes); }));
  for (const pid_t child : children) EXPECT_TRUE(ends_well(child));
  const std::string text = text_in(folder / "file");
  for (int i = 0; i < kProcesses; ++i)
    EXPECT_EQ(std::ranges::count(text, static_cast<char>('0' + i)), kTimes);
}

TEST(SaveFileUnderALock, CreatesAFileOnlyWhereNoOtherProcessDid) {
  const ScratchFolder folder;
  const auto lock = FileLock::acquire(folder / "file", kNoWait);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(lock->held());
  ASSERT_TRUE(save_file(folder / "file", bytes_of("theirs")));
  const Status saved = save_file(folder / "file", bytes_of("ours"), *lock);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kIo);
  EXPECT_THAT(saved.error().message, HasSubstr("another process created the file meanwhile"));
  EXPECT_EQ(text_in(folder / "file"), "theirs");
  EXPECT_EQ(folder.entries(), 1u);
  const auto other = FileLock::acquire(folder / "other", kNoWait);
  ASSERT_TRUE(save_file(folder / "other", bytes_of("ours"), *other));
  EXPECT_EQ(text_in(folder / "other"), "ours");
}

TEST(ReplaceFile, WaitsForTheLockAndCreatesOrReplaces) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  const ByteView first = bytes_of("first");
  const ByteView second = bytes_of("second");
  ASSERT_TRUE(replace_file(path, {&first, 1}));
  {
    const auto lock = FileLock::acquire(path, kNoWait);
    ASSERT_TRUE(lock);
    EXPECT_FALSE(replace_file(path, {&second, 1}, kNoWait));
    EXPECT_EQ(text_in(path), "first");
  }
  ASSERT_TRUE(replace_file(path, {&second, 1}, kNoWait));
  EXPECT_EQ(text_in(path), "second");
}

TEST(SaveFileUnderALock, DoesNotReplaceAFileThatTookThePlaceOfTheLockedOne) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("old")));
  const auto lock = FileLock::acquire(folder / "file", kNoWait);
  ASSERT_TRUE(lock);
  ASSERT_TRUE(save_file(folder / "file", bytes_of("theirs")));
  EXPECT_FALSE(save_file(folder / "file", bytes_of("ours"), *lock));
  EXPECT_EQ(text_in(folder / "file"), "theirs");
  std::filesystem::remove(folder / "file");
  EXPECT_TRUE(save_file(folder / "file", bytes_of("ours"), *lock));
  EXPECT_EQ(text_in(folder / "file"), "ours");
}

}  // namespace
}  // namespace bloomery
