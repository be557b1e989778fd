#include "bloomery/filter/seeded/spill.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "tests/base/scratch_folder.h"

namespace bloomery::internal {
namespace {

TEST(SpillFile, ReadsBackWhatWasAppendedAndHasNoName) {
  const ScratchFolder folder;
  auto file = SpillFile::create(folder.path());
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->append(bytes_of("first ")));
  ASSERT_TRUE(file->append(bytes_of("second")));
  EXPECT_EQ(file->size_bytes(), 12U);
  EXPECT_EQ(folder.entries(), 0U);
  const SpillFile moved = *std::move(file);
  std::array<std::byte, 8> read;
  ASSERT_TRUE(moved.read(4, read));
  EXPECT_EQ(text_of(read), "t second");
}

TEST(SpillFile, ReadingPastTheEndIsAnError) {
  const auto file = SpillFile::create("");
  ASSERT_TRUE(file) << file.error().message;
  std::array<std::byte, 1> read;
  errno = EACCES;
  const auto status = file->read(0, read);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("it ends before what was written"), std::string::npos);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
}

TEST(SpillFile, AFileIsNoFolder) {
  const auto file = SpillFile::create("/dev/null");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kIo);
  EXPECT_NE(file.error().message.find("/dev/null"), std::string::npos);
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
}

TEST(SpillFile, HoldsOneDescriptorWhateverFailedBefore) {
  const ScratchFolder folder;
  const auto before = open_files();
  for (const int error : {EINVAL, EISDIR, EOPNOTSUPP, ENOENT}) {
    errno = error;
    const auto file = SpillFile::create(folder.path());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(open_files(), before + 1) << error;
  }
  EXPECT_EQ(open_files(), before);
}

// A service may run without standard input: its place is the first that is free.
TEST(SpillFile, MayHaveDescriptorZero) {
  const int kept = ::dup(0);
  ::close(0);
  {
    auto file = SpillFile::create("");
    EXPECT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file && file->append(bytes_of("bytes")));
  }
  const bool closed = ::fcntl(0, F_GETFD) < 0;
  if (kept >= 0) {
    ::dup2(kept, 0);
    ::close(kept);
  }
  EXPECT_TRUE(closed);
}

}  // namespace
}  // namespace bloomery::internal
