#include "apps/input/records.h"

#include <gtest/gtest.h>

#include "tests/apps/cli/temporary_file.h"

namespace bloomery::input {
namespace {

using ::bloomery::testing::TemporaryFile;

std::vector<std::string> records_of(const std::string& bytes, char delimiter = '\n') {
  const TemporaryFile file{bytes};
  auto input = Input::open(file.path());
  RecordReader reader{*input, static_cast<std::byte>(delimiter)};
  std::vector<std::string> all;
  for (;;) {
    const auto batch = reader.next();
    EXPECT_TRUE(batch);
    if (batch->empty()) return all;
    EXPECT_LE(batch->size(), RecordReader::kBatchRecords);
    for (const ByteView record : *batch) all.emplace_back(text_of(record));
  }
}

using Records = std::vector<std::string>;

TEST(RecordReader, NeedsNoTerminatorAtTheEnd) {
  EXPECT_EQ(records_of("a\nb\n"), (Records{"a", "b"}));
  EXPECT_EQ(records_of("a\nb"), (Records{"a", "b"}));
}

TEST(RecordReader, KeepsEmptyRecords) {
  EXPECT_EQ(records_of(""), Records{});
  EXPECT_EQ(records_of("\n"), (Records{""}));
  EXPECT_EQ(records_of("\n\na\n\n"), (Records{"", "", "a", ""}));
}

TEST(RecordReader, TakesAnyByte) {
  const std::string odd("\0\xff\r\x80", 4);
  EXPECT_EQ(records_of(odd + "\n" + odd), (Records{odd, odd}));
  EXPECT_EQ(records_of(std::string("a\nb\0c", 5), '\0'), (Records{"a\nb", "c"}));
  EXPECT_EQ(records_of("a,b,", ','), (Records{"a", "b"}));
}

TEST(RecordReader, HasNoLengthLimit) {
  const std::string huge(std::size_t{9} << 20, 'x');
  EXPECT_EQ(records_of("before\n" + huge + "\nafter"), (Records{"before", huge, "after"}));
}

TEST(RecordReader, SplitsAlikeAcrossBuffersAndBatches) {
  std::string text;
  Records expected;
  for (unsigned i = 0; i < 60'000; ++i) {
    expected.emplace_back(i % 97, static_cast<char>('a' + i % 26));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(records_of(text), expected);
}

TEST(RecordReader, SplitsRowsOfCsvAcrossBuffersAndBatches) {
  std::string text = "a,b\r\n";
  Records expected{"a,b\r"};
  for (int i = 0; i < 40'000; ++i) {
    const std::string text_of_row =
        std::to_string(i) + ",\"line\nof \"\"" + std::string(40, 'x') + "\"";
    expected.push_back(text_of_row);
    text += text_of_row + "\n";
  }
  const TemporaryFile file{text};
  auto input = Input::open(file.path());
  RecordReader reader{*input, RecordEnds{CsvDialect{}, true}};
  Records all;
  for (;;) {
    const auto batch = reader.next();
    ASSERT_TRUE(batch);
    if (batch->empty()) break;
    EXPECT_LE(batch->size(), RecordReader::kBatchRecords);
    const std::byte* const first = batch->front().data();
    // Every row but the header is two lines.
    EXPECT_EQ(reader.lines_before(first), all.empty() ? 0 : all.size() * 2 - 1);
    EXPECT_EQ(text.substr(reader.bytes_before(first), batch->front().size()),
              text_of(batch->front()));
    for (const ByteView record : *batch) all.emplace_back(text_of(record));
  }
  EXPECT_EQ(all, expected);
  RecordCounter counter{RecordEnds{CsvDialect{}, true}};
  counter.add(bytes_of(text));
  EXPECT_EQ(counter.records(), 40'000U);
}

TEST(RecordReader, RefusesARowWithoutEnd) {
  const TemporaryFile file{"a,b\n1,\"" + std::string(3'000'000, 'x')};
  auto input = Input::open(file.path());
  CsvDialect dialect;
  dialect.max_row_bytes = 1000;
  RecordReader reader{*input, RecordEnds{dialect, true}};
  ASSERT_TRUE(reader.next());
  const auto rest = reader.next();
  ASSERT_FALSE(rest);
  EXPECT_EQ(rest.error().message,
            file.path() +
                ": row 2: the row that begins at line 2, byte 5 is longer than 1000 "
                "bytes; probably a quote in it is not closed");
}

}  // namespace
}  // namespace bloomery::input
