#include "apps/cli/records/split.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace bloomery::cli {
namespace {

// The definition: a record is what lies between delimiters.
std::vector<std::string> between_delimiters(const std::string& text, char delimiter) {
  std::vector<std::string> records;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == delimiter) {
      records.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  return records;
}

std::vector<std::string> texts(const std::vector<ByteView>& records) {
  std::vector<std::string> all;
  for (const ByteView record : records) all.emplace_back(text_of(record));
  return all;
}

TEST(SplitRecords, FindsWhatLiesBetweenDelimitersOfAnyDensity) {
  std::mt19937_64 random{1};
  for (const int density : {1, 2, 7, 60, 400})
    for (std::size_t size = 0; size < 300; ++size) {
      std::string text(size, 'x');
      for (char& c : text)
        if (random() % static_cast<unsigned>(density) == 0) c = '\n';
      std::vector<ByteView> records;
      const std::size_t rest = split_records(bytes_of(text), 0, 0, std::byte{'\n'}, records);
      EXPECT_EQ(texts(records), between_delimiters(text, '\n'));
      EXPECT_EQ(rest, text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    }
}

TEST(SplitRecords, TakesAnyByteAsDelimiter) {
  for (const char delimiter : {'\0', '\x7f', '\x80', '\xff'}) {
    std::string text(74, 'a');
    text[70] = text[72] = text[73] = delimiter;
    std::vector<ByteView> records;
    split_records(bytes_of(text), 0, 0, static_cast<std::byte>(delimiter), records);
    EXPECT_EQ(texts(records), between_delimiters(text, delimiter));
  }
}

TEST(SplitRecords, GoesOnWhereTheSearchEndedAndKeepsWhatIsThere) {
  const std::string text = "before\n" + std::string(100, 'x') + "\nafter";
  std::vector<ByteView> records{bytes_of("old")};
  const std::size_t rest = split_records(bytes_of(text), 7, 90, std::byte{'\n'}, records);
  EXPECT_EQ(texts(records), (std::vector<std::string>{"old", std::string(100, 'x')}));
  EXPECT_EQ(text.substr(rest), "after");
}

}  // namespace
}  // namespace bloomery::cli
