#include "apps/cli/dedup/replay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

constexpr std::byte kLineEnd{'\n'};

// Into the file that is there, as a program does that edits it in place.
void write_at(const std::string& path, std::size_t place, std::string_view text) {
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(static_cast<std::streamoff>(place));
  file << text;
}

Result<std::string> read_through(const Replay& replay, std::size_t piece_bytes = 7) {
  std::string all;
  std::vector<std::byte> piece(piece_bytes);
  for (const OpenFile& open : replay.files()) {
    const auto file = open();
    for (;;) {
      const auto got = file->read(piece);
      if (!got) return got.error();
      if (*got == 0) break;
      all += text_of(ByteView{piece}.first(*got));
    }
  }
  return all;
}

// What lies at a place: the rest of its blocks.
std::string text_at(const Replay& replay, std::uint64_t place) {
  std::vector<std::byte> bytes(2 * BlockSums::kBlockBytes);
  const auto found = replay.read_around(place, bytes);
  if (!found) return found.error().message;
  const std::string text{text_of(ByteView{bytes}.first(found->size))};
  return text.substr(place - found->place) + (found->whole ? "|" : "");
}

TEST(Replay, ReadsEveryFileAgainAndAtAnyPlace) {
  const TemporaryFile plain{"plain text\n"};
  const TemporaryFile packed{::bloomery::testing::zstd("packed\ntext")};
  const auto replay = Replay::open(*find_inputs({plain.path(), packed.path()}), kLineEnd);
  ASSERT_TRUE(replay);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*read_through(*replay), "plain text\npacked\ntext");
  EXPECT_EQ(replay->bytes(), 22U);
  EXPECT_EQ(text_at(*replay, 0), "plain text\n|");
  EXPECT_EQ(text_at(*replay, 6), "text\n|") << "a file ends where it ends";
  EXPECT_EQ(text_at(*replay, 11), "packed\ntext|");
  EXPECT_EQ(text_at(*replay, 18), "text|");
}

TEST(Replay, CountsTheRecordsItCopies) {
  const TemporaryFile plain{"a\nb\n"};
  const TemporaryFile packed{::bloomery::testing::gzip("a\nb\nc")};
  const auto replay = Replay::open(*find_inputs({plain.path(), packed.path()}), kLineEnd);
  ASSERT_TRUE(replay);
  EXPECT_EQ(replay->copied_records(), 3U);
  ASSERT_EQ(replay->plain().size(), 1U);
  EXPECT_EQ(replay->plain()[0].path, plain.path());
}

TEST(Replay, CopiesANamedPipe) {
  const TemporaryFile place{""};
  const std::string path = place.path() + ".pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::jthread writer{[&] { std::ofstream{path} << "through\na pipe\n"; }};
  const auto replay = Replay::open(*find_inputs({path}), kLineEnd);
  ::unlink(path.c_str());
  ASSERT_TRUE(replay);
  EXPECT_EQ(*read_through(*replay), "through\na pipe\n");
}

TEST(Replay, NoticesAFileThatShrinks) {
  const TemporaryFile file{"some text\n"};
  const auto replay = Replay::open(*find_inputs({file.path()}), kLineEnd);
  ASSERT_EQ(::truncate(file.path().c_str(), 4), 0);
  const auto read = read_through(*replay);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, file.path() + ": it became shorter while it was read");
}

constexpr std::size_t kBlock = BlockSums::kBlockBytes;

std::string letters(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 23 + i / 4096 % 3);
  return text;
}

TEST(Replay, ReadsFilesOfManyBlocksInPiecesOfAnySize) {
  for (const std::size_t size : {kBlock - 1, kBlock, kBlock + 1, 5 * kBlock, 5 * kBlock + 7}) {
    const std::string text = letters(size);
    const TemporaryFile file{text};
    const auto replay = Replay::open(*find_inputs({file.path()}), kLineEnd);
    for (const std::size_t piece : {std::size_t{1}, kBlock - 1, kBlock, 3 * kBlock + 5})
      EXPECT_TRUE(*read_through(*replay, piece) == text) << size << " in pieces of " << piece;
    const std::size_t place = size - 1;
    EXPECT_EQ(text_at(*replay, place), text.substr(place) + "|");
  }
}

TEST(Replay, RefusesBytesThatAreNotWhatTheyWere) {
  const std::string text = letters(4 * kBlock);
  const TemporaryFile file{text};
  const auto replay = Replay::open(*find_inputs({file.path()}), kLineEnd);
  ASSERT_TRUE(read_through(*replay));
  write_at(file.path(), 3 * kBlock + 9, "X");
  const std::string changed = file.path() +
                              ": the file changed while it was read, and --exact reads it more "
                              "than once; run it again on a copy that no program changes";
  const auto again = read_through(*replay);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, changed);
  EXPECT_EQ(text_at(*replay, 3 * kBlock), changed);
  EXPECT_EQ(text_at(*replay, kBlock), text.substr(kBlock, 2 * kBlock)) << "these are unchanged";
}

TEST(Replay, NamesTheOptionThatMadeItReadAgain) {
  const TemporaryFile file{letters(2 * kBlock)};
  const auto replay = Replay::open(*find_inputs({file.path()}), kLineEnd, "--keep last");
  ASSERT_TRUE(read_through(*replay));
  write_at(file.path(), kBlock + 9, "X");
  const auto again = read_through(*replay);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("and --keep last reads it more than once"),
            std::string::npos)
      << again.error().message;
}

TEST(Replay, TakesNoNoticeOfWhatIsAppended) {
  const TemporaryFile file{"some text\n"};
  const auto replay = Replay::open(*find_inputs({file.path()}), kLineEnd);
  ASSERT_TRUE(read_through(*replay));
  write_at(file.path(), 10, "more of it\n");
  EXPECT_EQ(*read_through(*replay), "some text\n");
}

}  // namespace
}  // namespace bloomery::cli
