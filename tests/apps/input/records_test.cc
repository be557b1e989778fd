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

}  // namespace
}  // namespace bloomery::input
