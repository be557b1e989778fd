#include "bloomery/base/new_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

#include "bloomery/base/file.h"
#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

std::string content_of(const std::filesystem::path& path) {
  const auto bytes = read_file(path, {});
  return bytes ? std::string{text_of(*bytes)} : "nothing";
}

TEST(NewFile, TakesItsNameOnlyWhenItIsWhole) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  ASSERT_TRUE(save_file(path, bytes_of("old")));
  ::chmod(path.c_str(), 0640);
  {
    auto made = NewFile::create(path);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_TRUE(made->file().write_at(4, bytes_of("file")));
    ASSERT_TRUE(made->file().write_at(0, bytes_of("new ")));
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(folder.entries(), 2U);
    const auto lock = FileLock::acquire(path);
    ASSERT_TRUE(lock);
    ASSERT_TRUE(made->commit(*lock));
  }
  EXPECT_EQ(content_of(path), "new file");
  EXPECT_EQ(folder.entries(), 1U);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST(NewFile, GoesWithoutACommit) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  {
    auto made = NewFile::create(path);
    ASSERT_TRUE(made);
    ASSERT_TRUE(made->file().write_at(0, bytes_of("lost")));
    NewFile moved = std::move(*made);
    EXPECT_EQ(folder.entries(), 1U);
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(NewFile, DoesNotReplaceAFileThatAppeared) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  auto made = NewFile::create(path);
  ASSERT_TRUE(made);
  ASSERT_TRUE(save_file(path, bytes_of("theirs")));
  EXPECT_FALSE(made->commit(FileLock{}));
  EXPECT_EQ(content_of(path), "theirs");
}

TEST(PositionedFile, ReadsAndWritesAtPlaces) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  EXPECT_FALSE(PositionedFile::open_to_read(path));
  EXPECT_FALSE(PositionedFile::open_to_change(path));
  EXPECT_FALSE(PositionedFile::open_to_read(folder.path()));
  ASSERT_TRUE(save_file(path, bytes_of("0123456789")));
  auto file = PositionedFile::open_to_change(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write_at(3, bytes_of("abc")));
  ASSERT_TRUE(file->set_size(8));
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(*file->size(), 8U);
  EXPECT_EQ(content_of(path), "012abc67");
  const auto reader = PositionedFile::open_to_read(path);
  ASSERT_TRUE(reader);
  std::vector<std::byte> bytes(4);
  ASSERT_TRUE(reader->read_at(4, bytes));
  EXPECT_EQ(text_of(bytes), "bc67");
  const auto past = reader->read_at(5, bytes);
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().code, ErrorCode::kTruncated);
  EXPECT_NE(past.error().message.find(path.string()), std::string::npos);
}

}  // namespace
}  // namespace bloomery
