#include "apps/cli/dedup_replay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

constexpr std::byte kNewline{'\n'};

Result<std::string> read_through(const Replay& replay) {
  std::string all;
  std::vector<std::byte> piece(7);
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

std::string text_at(const Replay& replay, std::uint64_t place, std::size_t size) {
  std::vector<std::byte> bytes(size);
  const auto found = replay.read_at(place, bytes);
  return std::string{text_of(ByteView{bytes}.first(found->size))} + (found->whole ? "|" : "");
}

TEST(Replay, ReadsEveryFileAgainAndAtAnyPlace) {
  const TemporaryFile plain{"plain text\n"};
  const TemporaryFile packed{::bloomery::testing::zstd("packed\ntext")};
  const auto replay = Replay::open(*find_inputs({plain.path(), packed.path()}), kNewline);
  ASSERT_TRUE(replay);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*read_through(*replay), "plain text\npacked\ntext");
  EXPECT_EQ(replay->bytes(), 22U);
  EXPECT_EQ(text_at(*replay, 0, 5), "plain");
  EXPECT_EQ(text_at(*replay, 6, 50), "text\n|") << "a file ends where it ends";
  EXPECT_EQ(text_at(*replay, 11, 6), "packed");
  EXPECT_EQ(text_at(*replay, 18, 50), "text|");
}

TEST(Replay, CountsTheRecordsItCopies) {
  const TemporaryFile plain{"a\nb\n"};
  const TemporaryFile packed{::bloomery::testing::gzip("a\nb\nc")};
  const auto replay = Replay::open(*find_inputs({plain.path(), packed.path()}), kNewline);
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
  const auto replay = Replay::open(*find_inputs({path}), kNewline);
  ::unlink(path.c_str());
  ASSERT_TRUE(replay);
  EXPECT_EQ(*read_through(*replay), "through\na pipe\n");
}

TEST(Replay, NoticesAFileThatShrinks) {
  const TemporaryFile file{"some text\n"};
  const auto replay = Replay::open(*find_inputs({file.path()}), kNewline);
  ASSERT_EQ(::truncate(file.path().c_str(), 4), 0);
  const auto read = read_through(*replay);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, file.path() + ": it became shorter while it was read");
}

}  // namespace
}  // namespace bloomery::cli
