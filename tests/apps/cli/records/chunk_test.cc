#include "apps/cli/records/chunk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace bloomery::cli {
namespace {

// Hands out a text in pieces of a given size, as a pipe does.
ReadBytes in_pieces(const std::string& text, std::size_t piece) {
  return [&text, piece, at = std::size_t{0}](ByteSpan into) mutable -> Result<std::size_t> {
    const std::size_t size = std::min({piece, into.size(), text.size() - at});
    std::ranges::copy(bytes_of(text).subspan(at, size), into.begin());
    at += size;
    return size;
  };
}

struct Read {
  std::vector<std::string> records;
  std::string bytes;  // of all chunks, delimiters included
  std::size_t chunks = 0;
};

Read read_all(const std::string& text, std::size_t piece, std::size_t chunk_bytes) {
  ChunkReader reader{in_pieces(text, piece), std::byte{'\n'}, chunk_bytes};
  Chunk chunk;
  Read read;
  while (*reader.next(chunk)) {
    ++read.chunks;
    for (const ByteView record : chunk.records) read.records.emplace_back(text_of(record));
    const ByteView last = chunk.records.back();
    read.bytes.append(
        reinterpret_cast<const char*>(chunk.buffer.data()),
        static_cast<std::size_t>(last.data() + last.size() + 1 - chunk.buffer.data()));
  }
  EXPECT_FALSE(*reader.next(chunk));
  EXPECT_EQ(reader.bytes_handed_out(), text.size());
  return read;
}

using Records = std::vector<std::string>;

TEST(ChunkReader, GivesTheSameRecordsInPiecesOfAnySize) {
  const std::string text = "a\n\nlonger than a chunk of eight\nb\nlast";
  const Records expected{"a", "", "longer than a chunk of eight", "b", "last"};
  for (std::size_t piece = 1; piece < 45; ++piece)
    for (const std::size_t chunk_bytes : {1, 8, 64, 1000}) {
      const Read read = read_all(text, piece, chunk_bytes);
      EXPECT_EQ(read.records, expected);
      EXPECT_EQ(read.bytes, text + "\n") << "the last record gets its delimiter";
    }
}

TEST(ChunkReader, AddsNoDelimiterWhereThereIsOne) {
  EXPECT_EQ(read_all("a\nb\n", 3, 100).bytes, "a\nb\n");
  EXPECT_EQ(read_all("\n", 3, 100).records, Records{""});
  EXPECT_EQ(read_all("", 3, 100).chunks, 0U);
}

TEST(ChunkReader, DoesNotWaitOnceARecordIsWhole) {
  EXPECT_EQ(read_all("a\nb\nc\n", 2, 1000).chunks, 3U);
}

TEST(ChunkReader, PassesErrorsOn) {
  ChunkReader reader{[](ByteSpan) -> Result<std::size_t> {
                       return Error{ErrorCode::kIo, "no"};
                     },
                     std::byte{'\n'}};
  Chunk chunk;
  EXPECT_FALSE(reader.next(chunk));
}

TEST(ChunkReader, RefusesARowOfCsvWithoutEnd) {
  const std::string text = "a,b\n1,\"" + std::string(1000, 'x');
  input::CsvDialect dialect;
  dialect.max_row_bytes = 500;
  ChunkReader reader{in_pieces(text, 100), {dialect, true}, 64};
  Chunk chunk;
  ASSERT_TRUE(*reader.next(chunk));
  const auto rest = reader.next(chunk);
  ASSERT_FALSE(rest);
  EXPECT_EQ(
      rest.error().message,
      "the row that begins at line 2, byte 5 is longer than 500 bytes; probably a quote in it "
      "is not closed");
}

TEST(ChunkReader, GivesRowsOfCsvInPiecesOfAnySize) {
  const std::string text = "a,b\r\n\"1\n2\",\"\"\"\n\"\r\n3,4";
  const Records expected{"a,b\r", "\"1\n2\",\"\"\"\n\"\r", "3,4\r"};
  for (std::size_t piece = 1; piece < 30; ++piece)
    for (const std::size_t chunk_bytes : {1, 8, 64}) {
      ChunkReader reader{in_pieces(text, piece), {input::CsvDialect{}, true}, chunk_bytes};
      Chunk chunk;
      Records found;
      while (*reader.next(chunk))
        for (const ByteView record : chunk.records) found.emplace_back(text_of(record));
      EXPECT_EQ(found, expected) << "the last row gets the end that the first has";
      EXPECT_EQ(reader.bytes_handed_out(), text.size());
      EXPECT_EQ(reader.lines_handed_out(), 4U);
    }
}

}  // namespace
}  // namespace bloomery::cli
