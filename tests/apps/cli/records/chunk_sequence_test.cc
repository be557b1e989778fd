#include "apps/cli/records/chunk_sequence.h"

#include <gtest/gtest.h>

#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

Globals silent() {
  Globals globals;
  globals.progress = When::kNever;
  return globals;
}

TEST(ChunkSequence, CountsRecordsAndBytesOverAllFiles) {
  const TemporaryFile first{"one\ntwo"};
  const TemporaryFile none{""};
  const TemporaryFile packed{::bloomery::testing::gzip("three\n")};
  Progress progress{silent(), std::nullopt};
  ChunkSequence sequence{files_to_open(*find_inputs({first.path(), none.path(), packed.path()})),
                         {RecordOptions{}, ByteOrder::kLittle},
                         progress};
  Chunk chunk;
  std::vector<std::string> found;
  while (*sequence.fill(chunk))
    for (std::size_t i = 0; i < chunk.records.size(); ++i)
      found.push_back(std::to_string(chunk.first_index + i) + "@" +
                      std::to_string(chunk.place_of(i)) + " " +
                      std::string{text_of(chunk.keys[i])});
  EXPECT_EQ(found, (std::vector<std::string>{"0@0 one", "1@4 two", "2@7 three"}));
  EXPECT_EQ(sequence.records(), 3U);
  EXPECT_EQ(sequence.bytes(), 13U);
}

TEST(ChunkSequence, NamesTheRecordThatIsNoKey) {
  const TemporaryFile good{"ab\n"};
  const TemporaryFile bad{"ab\ncd\nxyz\n"};
  RecordOptions options;
  options.hex = true;
  Progress progress{silent(), std::nullopt};
  ChunkSequence sequence{files_to_open(*find_inputs({good.path(), bad.path()})),
                         {options, ByteOrder::kLittle},
                         progress};
  Chunk chunk;
  ASSERT_TRUE(*sequence.fill(chunk));
  // What comes before it passes all stages first.
  ASSERT_TRUE(*sequence.fill(chunk));
  EXPECT_EQ(chunk.records.size(), 2U);
  EXPECT_EQ(text_of(chunk.keys[1]), "\xcd");
  ASSERT_TRUE(chunk.failed);
  EXPECT_TRUE(
      chunk.failed->message.starts_with(bad.path() + ": record 3 (byte 1 of the record): "));
}

TEST(ChunkSequence, MarksRecordsWithoutAKey) {
  const TemporaryFile file{"a\tb\nc\nd\te\n"};
  RecordOptions options;
  options.fields = *parse_fields("2");
  options.missing = MissingKey::kSkip;
  Progress progress{silent(), std::nullopt};
  ChunkSequence sequence{
      files_to_open(*find_inputs({file.path()})), {options, ByteOrder::kLittle}, progress};
  Chunk chunk;
  ASSERT_TRUE(*sequence.fill(chunk));
  EXPECT_TRUE(chunk.has_key_at(0));
  EXPECT_FALSE(chunk.has_key_at(1));
  EXPECT_EQ(sequence.skipped(), 1U);
  EXPECT_EQ(sequence.records(), 3U);
}

// Reads on from behind the second record of the first file, plain or compressed.
TEST(ChunkSequence, GoesOnWithinPlainAndCompressedFiles) {
  const std::string text = "one\ntwo\nthree\nfour\n";
  const TemporaryFile plain{text};
  const TemporaryFile packed{::bloomery::testing::gzip(text)};
  const TemporaryFile next{"five"};
  Progress progress{silent(), std::nullopt};
  for (const std::string& path : {plain.path(), packed.path()}) {
    const auto inputs = *find_inputs({path, next.path()});
    ChunkSequence input{files_from(inputs, {0, 8, 2}), {{}, ByteOrder::kLittle}, progress};
    Chunk chunk;
    std::string read;
    std::uint64_t number = 0;
    while (*input.next(chunk)) {
      if (read.empty()) number = chunk.number_in_file;
      for (const ByteView record : chunk.records) read += std::string{text_of(record)} + ".";
    }
    EXPECT_EQ(read, "three.four.five.");
    EXPECT_EQ(number, 2U);
    const auto end = files_from(inputs, {1, 0, 0});
    EXPECT_EQ(end.size(), 1U);
  }
}

}  // namespace
}  // namespace bloomery::cli
