#include "bloomery/formats/parquet/writer.h"

#include <gtest/gtest.h>

#include "bloomery/formats/parquet/column_reader.h"
#include "tests/formats/split_mix.h"

namespace bloomery {
namespace {

constexpr DecodeLimits kWrittenLimits{std::uint64_t{1} << 30};

// A column as it was written: nothing is a null, numbers as their bytes.
using WrittenColumn = std::vector<std::optional<std::string>>;

std::string number_bytes(std::uint64_t value) {
  std::string text(8, '\0');
  store_le(reinterpret_cast<std::byte*>(text.data()), value);
  return text;
}

// The stored bytes are the plain ones behind a mark, so that a page that was not compressed fails.
std::string marked(ByteView plain) {
  return 'z' + std::string{reinterpret_cast<const char*>(plain.data()), plain.size()};
}
Status unmarked(ParquetCodec, ByteView stored, ByteSpan plain) {
  if (stored.size() != plain.size() + 1 || stored[0] != std::byte{'z'})
    return Error{ErrorCode::kMalformed, "no mark"};
  std::copy(stored.begin() + 1, stored.end(), plain.begin());
  return ok();
}

WrittenColumn read_again(ByteView file, const ParquetTable& table, std::size_t column) {
  auto reader = ParquetColumnReader::open(file, table, column, unmarked, kWrittenLimits);
  EXPECT_TRUE(reader);
  WrittenColumn all(table.rows());
  const ParquetType type = table.columns[column].type;
  ParquetValues values;
  for (;;) {
    const auto more = reader->next(values);
    EXPECT_TRUE(more) << (more ? "" : more.error().message);
    if (!more || !*more) return all;
    const std::size_t count = values.numbers.size() + values.bytes.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = values.first_place + (values.places.empty() ? i : values.places[i]);
      if (!values.numbers.empty())
        all.at(place) = type == ParquetType::kBoolean
                            ? std::string(1, static_cast<char>(values.numbers[i]))
                            : number_bytes(static_cast<std::uint64_t>(values.numbers[i]));
      else
        all.at(place) = std::string{reinterpret_cast<const char*>(values.bytes[i].data()),
                                    values.bytes[i].size()};
    }
  }
}

TEST(ParquetWriter, IsReadAgainByOurReader) {
  bloomery::testing::SplitMix64 random{7};
  const std::vector<ParquetField> fields{
      {"block", ParquetType::kInt64, 0, ParquetMeaning::kUnsigned},
      {"maybe", ParquetType::kInt64, 0, ParquetMeaning::kNone, true},
      {"flag", ParquetType::kBoolean, 0, ParquetMeaning::kNone, true},
      {"all_there", ParquetType::kBoolean},
      {"hash", ParquetType::kFixedBytes, 5, ParquetMeaning::kNone, true},
      {"text", ParquetType::kByteArray, 0, ParquetMeaning::kString, true},
      {"json", ParquetType::kByteArray, 0, ParquetMeaning::kJson},
      {"never", ParquetType::kByteArray, 0, ParquetMeaning::kNone, true}};
  for (const std::size_t rows : {0U, 1U, 8U, 9U, 1000U, 5003U}) {
    for (const ParquetCodec codec : {ParquetCodec::kNone, ParquetCodec::kSnappy}) {
      std::string file;
      ParquetWriterOptions options;
      options.codec = codec;
      options.compress = marked;
      options.page_bytes = 700;
      options.row_group_rows = 1111;
      auto writer = ParquetWriter::open(
          fields,
          [&](ByteView bytes) {
            file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return ok();
          },
          options);
      ASSERT_TRUE(writer);
      std::vector<WrittenColumn> wanted(fields.size());
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
          const bool null = fields[i].may_be_null && (i == 7 || random.below(3) == 0);
          auto& value = wanted[i].emplace_back();
          if (null) {
            writer->add_null();
          } else if (fields[i].type == ParquetType::kInt64) {
            const std::uint64_t number = random.next();
            writer->add_number(number);
            value = number_bytes(number);
          } else if (fields[i].type == ParquetType::kBoolean) {
            const bool truth = random.below(2) == 1;
            writer->add_bool(truth);
            value = std::string(1, static_cast<char>(truth));
          } else {
            const std::size_t size =
                fields[i].type == ParquetType::kFixedBytes ? 5 : random.below(60);
            value.emplace();
            for (std::size_t k = 0; k < size; ++k) *value += static_cast<char>(random.below(256));
            writer->add_bytes(std::as_bytes(std::span{*value}));
          }
        }
        ASSERT_TRUE(writer->end_row());
      }
      ASSERT_TRUE(writer->finish());
      const ByteView bytes = std::as_bytes(std::span{file});
      const auto table = read_parquet_table(bytes, kWrittenLimits);
      ASSERT_TRUE(table) << table.error().message;
      EXPECT_EQ(table->rows(), rows);
      EXPECT_EQ(table->row_group_rows.size(), (rows + 1110) / 1111);
      ASSERT_EQ(table->columns.size(), fields.size());
      EXPECT_EQ(type_in_words(table->columns[5]), "byte_array (string)");
      EXPECT_TRUE(table->columns[0].is_unsigned);
      for (std::size_t i = 0; i < fields.size(); ++i) {
        EXPECT_EQ(table->columns[i].path, fields[i].name);
        EXPECT_EQ(read_again(bytes, *table, i), wanted[i]) << fields[i].name;
        EXPECT_EQ(table->values(i), rows - static_cast<std::size_t>(std::count(
                                               wanted[i].begin(), wanted[i].end(), std::nullopt)));
      }
    }
  }
}

TEST(ParquetWriter, EndsRowGroupsBySize) {
  std::uint64_t written = 0;
  ParquetWriterOptions options;
  options.row_group_bytes = 10'000;
  auto writer = ParquetWriter::open(
      {{"text", ParquetType::kByteArray}},
      [&](ByteView bytes) {
        written += bytes.size();
        return ok();
      },
      options);
  ASSERT_TRUE(writer);
  const std::vector<std::byte> value(1000);
  for (int i = 0; i < 100; ++i) {
    writer->add_bytes(value);
    ASSERT_TRUE(writer->end_row());
  }
  EXPECT_GE(written, 90'000U);
}

TEST(ParquetWriter, RefusesFieldsThatNoFileCanHave) {
  const auto why = [](std::vector<ParquetField> fields) {
    const auto writer = ParquetWriter::open(std::move(fields), [](ByteView) { return ok(); });
    return writer ? "no error" : writer.error().message;
  };
  EXPECT_EQ(why({}), "a Parquet file has at least one column");
  EXPECT_EQ(why({{"a"}, {"a"}}), "two columns are called 'a'");
  EXPECT_EQ(why({{"a", ParquetType::kFixedBytes}}), "the column 'a' has values of 0 bytes");
}

TEST(ParquetWriter, ReportsAnOutputThatFails) {
  auto writer = ParquetWriter::open({{"a", ParquetType::kByteArray}}, [](ByteView bytes) {
    return bytes.size() == 4 ? ok() : Status{Error{ErrorCode::kIo, "disk full"}};
  });
  ASSERT_TRUE(writer);
  writer->add_bytes({});
  ASSERT_TRUE(writer->end_row());
  const Status finished = writer->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "disk full");
}

}  // namespace
}  // namespace bloomery
