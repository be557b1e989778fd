#include "apps/input/csv_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace bloomery::input {
namespace {

using Rows = std::vector<std::string>;

// In pieces of this size, as a pipe brings them.
Rows rows_in_pieces(const std::string& text, std::size_t piece, CsvDialect dialect = {},
                    std::size_t most = std::numeric_limits<std::size_t>::max()) {
  RowSplitter splitter{dialect};
  std::vector<ByteView> found;
  Rows rows;
  std::size_t begin = 0;
  std::size_t searched = 0;
  for (std::size_t end = 0; end < text.size();) {
    end = std::min(text.size(), end + piece);
    while (searched < end) {
      found.clear();
      begin = splitter.split(bytes_of(text).first(end), begin, searched, found, most);
      EXPECT_LE(found.size(), most);
      for (const ByteView row : found) rows.emplace_back(text_of(row));
    }
  }
  if (begin < text.size()) rows.push_back(text.substr(begin));
  return rows;
}

// The rule once more, byte by byte.
Rows rows_by_rule(const std::string& text) {
  Rows rows{""};
  bool quoted = false;
  bool at_start = true;
  bool closed = false;
  for (const char c : text) {
    if (c == '\n' && !quoted) {
      rows.emplace_back();
      at_start = true;
      closed = false;
      continue;
    }
    rows.back() += c;
    const bool opens = c == '"' && !quoted && (at_start || closed);
    const bool closes = c == '"' && quoted;
    if (opens) quoted = true;
    if (closes) quoted = false;
    at_start = !quoted && c == ',';
    closed = closes;
  }
  if (rows.back().empty()) rows.pop_back();
  return rows;
}

TEST(RowSplitter, EndsRowsAtNewlinesOutsideOfQuotes) {
  EXPECT_EQ(rows_in_pieces("a,b\n\"x\ny\",\"\"\"\n\"\nlast", 100),
            (Rows{"a,b", "\"x\ny\",\"\"\"\n\"", "last"}));
  EXPECT_EQ(rows_in_pieces("a\r\nb\r\n", 100), (Rows{"a\r", "b\r"}));
  EXPECT_EQ(rows_in_pieces("\n\n", 100), (Rows{"", ""}));
  EXPECT_EQ(rows_in_pieces("", 100), Rows{});
}

TEST(RowSplitter, TakesAQuoteInsideAFieldAsACharacter) {
  EXPECT_EQ(rows_in_pieces("5\" disk\nb\n", 100), (Rows{"5\" disk", "b"}));
  EXPECT_EQ(rows_in_pieces("\"a\"b\"\nc\n", 100), (Rows{"\"a\"b\"", "c"}));
}

TEST(RowSplitter, KnowsNoQuotesInTsv) {
  EXPECT_EQ(rows_in_pieces("\"a\tb\n\"c\n", 100, {std::byte{'\t'}, false}),
            (Rows{"\"a\tb", "\"c"}));
}

TEST(RowSplitter, OpensAQuoteBehindAByteOrderMark) {
  const std::string text = "\xef\xbb\xbf\"a\nb\",c\n1,2\n";
  for (std::size_t piece = 1; piece < 10; ++piece)
    EXPECT_EQ(rows_in_pieces(text, piece), (Rows{"\xef\xbb\xbf\"a\nb\",c", "1,2"}));
  EXPECT_EQ(rows_in_pieces("\xef\xbb\"a\nb\n", 100), (Rows{"\xef\xbb\"a", "b"}));
}

TEST(RowSplitter, FindsTheSameRowsInPiecesOfAnySize) {
  std::mt19937 random{20};
  constexpr std::string_view kBytes = "ab,,\"\"\"\n\r\n";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const std::size_t size = random() % 400;
    // Few quotes make whole steps of 64 bytes; many make malformed ones.
    const bool rare = round % 2 == 0;
    while (text.size() < size)
      text += rare && random() % 8 != 0 ? 'x' : kBytes[random() % kBytes.size()];
    const Rows expected = rows_by_rule(text);
    for (const std::size_t piece :
         {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{65}, std::size_t{1000}})
      ASSERT_EQ(rows_in_pieces(text, piece), expected) << text;
    ASSERT_EQ(rows_in_pieces(text, 1000, {}, 100), expected) << text;
    ASSERT_EQ(rows_in_pieces(text, 1000, {}, 1), expected) << text;
    RowCounter counter{{}};
    counter.add(bytes_of(text).first(text.size() / 2));
    counter.add(bytes_of(text).subspan(text.size() / 2));
    ASSERT_EQ(counter.rows(), expected.size()) << text;
    const auto end = RowSplitter::end_of_row(bytes_of(text), {});
    ASSERT_EQ(text.substr(0, end.value_or(text.size())), expected.empty() ? "" : expected.front());
  }
}

}  // namespace
}  // namespace bloomery::input
