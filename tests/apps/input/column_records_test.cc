// Columns of Parquet files that other writers made, codecs included.
#include "apps/input/column_records.h"

#include <gtest/gtest.h>

#include "tests/formats/golden.h"

namespace bloomery::input {
namespace {

struct Column {
  std::vector<std::string> values;
  std::uint64_t nulls = 0;
  std::vector<std::uint64_t> numbers;  // of the values, nulls counted
};

Result<Column> read_column(const std::string& file, const std::string& column) {
  InputOptions options;
  options.column = column;
  auto records = ColumnRecords::open(BLOOMERY_GOLDEN_DIR "/parquet/" + file, options);
  if (!records) return records.error();
  Column read;
  for (;;) {
    const auto batch = records->next();
    if (!batch) return batch.error();
    if (batch->records.empty()) break;
    for (std::size_t i = 0; i < batch->records.size(); ++i) {
      read.values.emplace_back(text_of(batch->records[i]));
      read.numbers.push_back(batch->first_number + (batch->places.empty() ? i : batch->places[i]));
    }
  }
  read.nulls = records->nulls();
  return read;
}

TEST(ColumnRecords, AreThoseThatOtherWritersWrote) {
  const auto golden = testing::golden_json("parquet/values.json");
  std::size_t columns = 0;
  for (const auto& one : golden.at("columns")) {
    const auto file = one.at("file").get<std::string>();
    const auto column = one.at("column").get<std::string>();
    SCOPED_TRACE(file + " " + column);
    const auto read = read_column(file, column);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->values, one.at("values").get<std::vector<std::string>>());
    if (column != "colour") {  // an empty list counts too
      EXPECT_EQ(read->nulls, one.at("nulls").get<std::uint64_t>());
    }
    ++columns;
  }
  EXPECT_EQ(columns, 7U);
}

TEST(ColumnRecords, AreCountedWithTheNullsBetweenThem) {
  using Numbers = std::vector<std::uint64_t>;
  for (const char* file : {"parquet-wasm.parquet", "parquetjs.parquet"}) {
    EXPECT_EQ(read_column(file, "id")->numbers, (Numbers{1, 2, 4, 5, 6})) << file;
    EXPECT_EQ(read_column(file, "city")->numbers, (Numbers{1, 3, 4, 5, 6})) << file;
  }
}

TEST(ColumnRecords, NameTheColumnsThereAre) {
  const auto read = read_column("parquetjs.parquet", "colours");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("id, city, price, colour"), std::string::npos)
      << read.error().message;
}

}  // namespace
}  // namespace bloomery::input
