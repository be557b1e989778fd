#include "bloomery/filter/seeded_spill.h"

#include <gtest/gtest.h>

#include <array>

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
  const auto file = SpillFile::create({});
  ASSERT_TRUE(file) << file.error().message;
  std::array<std::byte, 1> read;
  const auto status = file->read(0, read);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
}

TEST(SpillFile, AFileIsNoFolder) {
  const auto file = SpillFile::create("/dev/null");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kIo);
  EXPECT_NE(file.error().message.find("/dev/null"), std::string::npos);
}

}  // namespace
}  // namespace bloomery::internal
