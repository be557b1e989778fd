#include "apps/cli/records/csv.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery::cli {
namespace {

using CsvValues = std::vector<std::string>;

CsvValues csv_values_of(const std::string& text, CsvDialect dialect = {}) {
  CsvRow row{dialect};
  EXPECT_TRUE(row.split(bytes_of(text))) << text;
  CsvValues values;
  for (const CsvField& field : row.fields()) {
    std::vector<std::byte> value;
    row.append_value(field, value);
    values.emplace_back(text_of(value));
    if (!field.doubled) {
      EXPECT_EQ(text_of(row.value(field)), values.back());
    }
  }
  EXPECT_EQ(row.columns(), values.size());
  return values;
}

TEST(CsvRow, UnquotesFields) {
  EXPECT_EQ(csv_values_of("a,\"b\",\"c,d\",\"e\"\"f\",\"g\nh\","),
            (CsvValues{"a", "b", "c,d", "e\"f", "g\nh", ""}));
  EXPECT_EQ(csv_values_of(""), CsvValues{""});
  EXPECT_EQ(csv_values_of("\"\""), CsvValues{""});
  EXPECT_EQ(csv_values_of("\"\"\"\""), CsvValues{"\""});
  EXPECT_EQ(csv_values_of(",,"), (CsvValues{"", "", ""}));
}

TEST(CsvRow, LeavesOutTheReturnAtTheEnd) {
  EXPECT_EQ(csv_values_of("a,b\r"), (CsvValues{"a", "b"}));
  EXPECT_EQ(csv_values_of("a,\"b\"\r"), (CsvValues{"a", "b"}));
  EXPECT_EQ(csv_values_of("a,\"b\r\"\r"), (CsvValues{"a", "b\r"}));
  EXPECT_EQ(csv_values_of("\r"), CsvValues{""});
  EXPECT_EQ(csv_values_of("a\rb,c"), (CsvValues{"a\rb", "c"}));
}

TEST(CsvRow, TakesQuotesOfTsvAsTheyAre) {
  EXPECT_EQ(csv_values_of("\"a\"\tb\"c", {std::byte{'\t'}, false}), (CsvValues{"\"a\"", "b\"c"}));
}

TEST(CsvRow, SplitsFieldsAcrossStepsOfItsSearch) {
  for (std::size_t before = 50; before < 140; ++before) {
    const std::string long_one(before, 'x');
    EXPECT_EQ(csv_values_of(long_one + ",\"a\"\"b\",c"), (CsvValues{long_one, "a\"b", "c"}));
    EXPECT_EQ(csv_values_of("\"" + long_one + "\"\"\",c"), (CsvValues{long_one + "\"", "c"}));
  }
}

TEST(CsvRow, SaysWhatIsWrongAndWhere) {
  const auto fault = [](const std::string& text) {
    CsvRow row{CsvDialect{}};
    EXPECT_FALSE(row.split(bytes_of(text))) << text;
    return row.fault();
  };
  EXPECT_EQ(fault("a,b\"c").kind, CsvFaultKind::kQuoteInside);
  EXPECT_EQ(fault("a,b\"c").offset, 3U);
  EXPECT_EQ(fault("a,\"b\"c,d").kind, CsvFaultKind::kTextAfterQuote);
  EXPECT_EQ(fault("a,\"b\"c,d").offset, 5U);
  EXPECT_EQ(fault("\"a\"\rb").kind, CsvFaultKind::kTextAfterQuote);
  EXPECT_EQ(fault("a,\"b,c\"\"").kind, CsvFaultKind::kUnclosedQuote);
  EXPECT_EQ(fault("a,\"b,c\"\"").offset, 2U);
  EXPECT_EQ(fault(" \"a\"").kind, CsvFaultKind::kQuoteInside);
}

TEST(CsvRow, DoesNotReadBehindWhatItMay) {
  // With a sanitizer, a read behind the row would be found.
  for (std::size_t size = 0; size < 200; ++size) {
    const std::vector<std::byte> row(size, std::byte{','});
    CsvRow split{CsvDialect{}};
    EXPECT_TRUE(split.split(row));
    EXPECT_EQ(split.columns(), size + 1);
  }
}

TEST(CsvRow, BoundsTheMemoryOfARowOfSeparators) {
  const std::vector<std::byte> row(CsvRow::kMaxFields + 10, std::byte{','});
  CsvRow split{CsvDialect{}};
  EXPECT_TRUE(split.split(row));
  EXPECT_EQ(split.columns(), CsvRow::kMaxFields + 11);
  EXPECT_EQ(split.fields().size(), CsvRow::kMaxFields);
}

TEST(CsvField, IsQuotedWhereItMustBe) {
  const auto written = [](std::string_view value, CsvDialect dialect = {}) {
    std::vector<std::byte> to;
    append_as_field(bytes_of(value), dialect, to);
    return std::string{text_of(to)};
  };
  EXPECT_EQ(written("a b"), "a b");
  EXPECT_EQ(written("a,b"), "\"a,b\"");
  EXPECT_EQ(written("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(written("a\nb"), "\"a\nb\"");
  EXPECT_EQ(written("a\rb"), "\"a\rb\"");
  EXPECT_EQ(written("a,b", {std::byte{';'}}), "a,b");
  EXPECT_EQ(written("a\"b", {std::byte{'\t'}, false}), "a\"b");
}

}  // namespace
}  // namespace bloomery::cli
