#include "apps/cli/records/csv_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/cli/records/keys.h"

namespace bloomery::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CsvOptions choosing(const std::string& list) {
  CsvOptions options;
  if (!list.empty()) options.choices = *parse_columns(list);
  return options;
}

// Of one file with this header.
Result<CsvColumns> columns_of(const std::string& header, const CsvOptions& options) {
  CsvFiles files{options};
  files.begin("a.csv");
  std::vector<ByteView> rows{bytes_of(header)};
  if (auto looked = files.look(rows); !looked) return looked.error();
  return *files.columns();
}

TEST(ParseColumns, TakesNamesNumbersAndQuotedNames) {
  const auto choices = *parse_columns("email,2,3-,\"a,b\",#4");
  ASSERT_EQ(choices.size(), 5U);
  EXPECT_FALSE(choices[0].range);
  EXPECT_EQ(choices[1].range->first, 2U);
  EXPECT_TRUE(choices[2].range);
  EXPECT_EQ(choices[3].text, "a,b");
  EXPECT_FALSE(choices[4].may_be_name);
  EXPECT_FALSE(parse_columns("#x"));
  EXPECT_FALSE(parse_columns("a,,b"));
  EXPECT_FALSE(parse_columns("\"a"));
  EXPECT_TRUE(parse_columns("\"#x\",\"\""));
}

TEST(CsvFiles, LooksColumnsUpInTheOrderOfTheList) {
  const auto chosen = [](const std::string& list) {
    return columns_of("id,email,3,\"user id\"", choosing(list))->chosen;
  };
  EXPECT_THAT(chosen("email,id"), ElementsAre(1, 0));
  EXPECT_THAT(chosen("user id,1"), ElementsAre(3, 0));
  EXPECT_THAT(chosen("4"), ElementsAre(3));
  EXPECT_THAT(chosen("3"), ElementsAre(2)) << "a name wins over a number";
  EXPECT_THAT(chosen("2-4,id,1"), ElementsAre(1, 2, 3, 0)) << "each once";
  EXPECT_THAT(chosen(""), ElementsAre(0, 1, 2, 3));
}

TEST(CsvFiles, RefusesACrInsideOfTheFirstRow) {
  for (const std::string header : {"a,b\r1,2", "a\r", "\"a\"\r1,2", "a,b\r1,x\"y", "\r,a"}) {
    const auto columns = columns_of(header, choosing(""));
    EXPECT_EQ(!columns, header != "a\r") << header;
    if (!columns) {
      EXPECT_THAT(columns.error().message, HasSubstr("a CR without LF follows")) << header;
    }
  }
  EXPECT_TRUE(columns_of("\"a\rb\",c\r", choosing("")));
  EXPECT_THAT(columns_of("a\"", choosing("")).error().message, HasSubstr("malformed"));
}

TEST(CsvFiles, NamesTheColumnsThatThereAre) {
  EXPECT_EQ(columns_of("id,email", choosing("emial")).error().message,
            "a.csv: its header has no column 'emial'; its columns are: id, email; did you mean "
            "`email`?");
}

TEST(CsvFiles, LetsANumberSignMeanTheNumber) {
  EXPECT_THAT(columns_of("a,3,c", choosing("3"))->chosen, ElementsAre(1));
  EXPECT_THAT(columns_of("a,3,c", choosing("#3"))->chosen, ElementsAre(2));
  EXPECT_THAT(columns_of("a,3,c", choosing("#2-3"))->chosen, ElementsAre(1, 2));
}

TEST(CsvFiles, RefusesWhatIsNotThereOrThereTwice) {
  const auto error = [](const std::string& header, const std::string& list) {
    return columns_of(header, choosing(list)).error().message;
  };
  EXPECT_EQ(error("a,b", "c"), "a.csv: its header has no column 'c'; its columns are: a, b");
  EXPECT_THAT(error("a,b", "3"), HasSubstr("it has no column 3, only 2"));
  EXPECT_THAT(error("a,b,a", "a"), HasSubstr("#1 or #3"));
  EXPECT_THAT(error("a,b\"", "a"), HasSubstr("a.csv: row 1 (line 1, byte 4): the header is"));
}

TEST(CsvFiles, KeepsTheHeaderOfTheFirstFile) {
  CsvFiles files{choosing("b")};
  files.begin("empty.csv");
  EXPECT_EQ(files.preamble(), nullptr);
  files.begin("a.csv");
  std::vector<ByteView> rows{bytes_of("\xef\xbb\xbf"
                                      "a,\"b\"\r"),
                             bytes_of("1,2\r")};
  ASSERT_TRUE(files.look(rows));
  EXPECT_EQ(rows.size(), 1U);
  files.begin("b.csv");
  rows = {bytes_of("b,a"), bytes_of("3,4")};
  ASSERT_TRUE(files.look(rows));
  EXPECT_THAT(files.columns()->chosen, ElementsAre(0));
  EXPECT_EQ(files.preamble()->mark, "\xef\xbb\xbf");
  EXPECT_EQ(files.preamble()->header, "a,\"b\"\r\n");
  EXPECT_EQ(files.preamble()->chosen, "\"b\"\r\n");
}

TEST(CsvFiles, RefusesOtherColumnsWhereAllAreTheKey) {
  CsvFiles files{choosing("")};
  files.begin("a.csv");
  std::vector<ByteView> rows{bytes_of("a,b")};
  ASSERT_TRUE(files.look(rows));
  files.begin("b.csv");
  rows = {bytes_of("b,a")};
  const auto looked = files.look(rows);
  ASSERT_FALSE(looked);
  EXPECT_THAT(looked.error().message, HasSubstr("differs from that of a.csv"));
}

TEST(CsvFiles, CountsColumnsByTheFirstGoodRowWithoutAHeader) {
  CsvOptions options = choosing("2");
  options.has_header = false;
  CsvFiles files{options};
  files.begin("a.csv");
  std::vector<ByteView> rows{
      bytes_of("\xef\xbb\xbf"
               "a\"b")};
  ASSERT_TRUE(files.look(rows));
  EXPECT_EQ(files.columns()->count, 0U);
  EXPECT_EQ(text_of(rows.front()), "a\"b") << "the mark is no part of a row";
  rows = {bytes_of("1,2,3")};
  ASSERT_TRUE(files.look(rows));
  EXPECT_EQ(files.columns()->count, 3U);
  EXPECT_EQ(rows.size(), 1U);
}

struct CsvKeys {
  std::vector<std::string> keys;
  std::vector<std::size_t> malformed;
};
CsvKeys csv_keys_of(const std::string& header, const std::string& list,
                    const std::vector<std::string>& rows, OnError on_error = OnError::kSkip) {
  RecordOptions options;
  options.csv = choosing(list);
  options.csv->on_error = on_error;
  KeyReader reader{options, ByteOrder::kLittle};
  reader.use_columns(std::make_shared<CsvColumns>(*columns_of(header, *options.csv)));
  std::vector<ByteView> views;
  for (const std::string& row : rows) views.push_back(bytes_of(row));
  CsvKeys result;
  const auto keys = reader.keys(views);
  for (const ByteView key : keys ? *keys : reader.keys_before())
    result.keys.emplace_back(text_of(key));
  for (const auto& row : reader.malformed()) result.malformed.push_back(row.record);
  return result;
}

TEST(KeyReader, UnquotesOneColumn) {
  EXPECT_THAT(csv_keys_of("a,b", "b", {"1,x", "1,\"x\"", "1,\"x\"\"y\"", "1,\"p,q\"", "1,"}).keys,
              ElementsAre("x", "x", "x\"y", "p,q", ""));
}

TEST(KeyReader, JoinsColumnsSoThatNoTwoChoicesOfValuesAreEqual) {
  EXPECT_THAT(
      csv_keys_of("a,b", "a,b", {"x,y", "\"x\",y", "\"x,y\",z", "x,\"y,z\"", "\"q\"\"\",\"\""})
          .keys,
      ElementsAre("x,y", "x,y", "\"x,y\",z", "x,\"y,z\"", "\"q\"\"\","));
  EXPECT_THAT(csv_keys_of("a,b", "b,a", {"x,y"}).keys, ElementsAre("y,x"));
}

TEST(KeyReader, NamesMalformedRowsAndGoesOn) {
  const auto skipped = csv_keys_of("a,b", "a", {"x,y", "x", "x,y,z", "\"x\"y,z", "z,1"});
  EXPECT_THAT(skipped.keys, ElementsAre("x", "", "", "", "z"));
  EXPECT_THAT(skipped.malformed, ElementsAre(1, 2, 3));
  const auto stopped = csv_keys_of("a,b", "a", {"x,y", "x", "z,1"}, OnError::kStop);
  EXPECT_THAT(stopped.keys, ElementsAre("x"));
  EXPECT_THAT(stopped.malformed, ElementsAre(1));
}

}  // namespace
}  // namespace bloomery::cli
