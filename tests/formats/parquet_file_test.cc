#include "bloomery/formats/parquet_file.h"

#include <filesystem>

#include "bloomery/base/byte_writer.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;

void put_varint(ByteWriter& writer, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) writer.le(static_cast<std::uint8_t>(value | 0x80));
  writer.le(static_cast<std::uint8_t>(value));
}

struct Column {
  std::string name;  // without dots
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> length = {};
};

// A file with `body` after its first magic and a footer of these row groups, written by hand.
Bytes file_of(const Bytes& body, const std::vector<std::vector<Column>>& row_groups) {
  ByteWriter footer;
  footer.le(std::uint8_t{0x49});  // field 4, a list
  footer.le(static_cast<std::uint8_t>(row_groups.size() << 4 | 12));
  for (const auto& columns : row_groups) {
    footer.le(std::uint8_t{0x19});
    footer.le(static_cast<std::uint8_t>(columns.size() << 4 | 12));
    for (const Column& column : columns) {
      footer.put(
          from_hex("3c"
                   "3928"
                   "026e73"));  // field 3, a struct; its field 3: "ns", name
      put_varint(footer, column.name.size());
      footer.put(bytes_of(column.name));
      if (column.offset) {
        footer.le(std::uint8_t{0xb6});  // field 14, i64
        put_varint(footer, *column.offset * 2);
      }
      if (column.length) {
        footer.le(std::uint8_t{0x15});  // field 15, i32
        put_varint(footer, *column.length * 2);
      }
      footer.be(std::uint16_t{0});  // both structs end
    }
    footer.le(std::uint8_t{0});
  }
  footer.le(std::uint8_t{0});
  const Bytes footer_bytes = footer.take();
  ByteWriter file;
  file.put(bytes_of("PAR1"));
  file.put(body);
  file.put(footer_bytes);
  file.le(static_cast<std::uint32_t>(footer_bytes.size()));
  file.put(bytes_of("PAR1"));
  return file.take();
}

Bytes filter_of(const std::vector<std::string>& keys) {
  ParquetFilter filter{SplitBlockFilter{1}};
  for (const auto& key : keys) filter.insert(bytes_of(key));
  return encode_parquet(filter);
}

// Two filters: {"red"} at byte 4 and {"blue"} at byte 51.
Bytes two_filters() {
  Bytes body = filter_of({"red"});
  EXPECT_EQ(body.size(), 47U);
  const Bytes second = filter_of({"blue"});
  body.insert(body.end(), second.begin(), second.end());
  return body;
}

TEST(ParquetFile, AsksAllFiltersOfAColumnOrOfAllColumns) {
  auto file = decode_parquet_file(
      file_of(two_filters(), {{{"a", 4, 47}, {"b", 51}}, {{"a", 51}, {"b", 51}}}), {});
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->chunks.size(), 4U);
  EXPECT_EQ(file->chunks[0].column, "ns.a");
  EXPECT_EQ(file->chunks[3].row_group, 1U);
  EXPECT_EQ(file->columns_with_filters(), (std::vector<std::string>{"ns.a", "ns.b"}));
  EXPECT_TRUE(file->may_contain(bytes_of("red")));
  EXPECT_TRUE(file->may_contain(bytes_of("blue")));
  EXPECT_FALSE(file->may_contain(bytes_of("green")));
  file->column = "ns.b";
  EXPECT_TRUE(file->has_column("ns.b"));
  EXPECT_FALSE(file->may_contain(bytes_of("red")));
  EXPECT_TRUE(file->clone().may_contain(bytes_of("blue")));
  const Description description = describe(*file);
  EXPECT_EQ(description.layers.size(), 4U);
  EXPECT_NEAR(description.health->estimated_keys, 2, 0.1);
  EXPECT_EQ(description.bytes, 128U);
}

TEST(ParquetFile, ARowGroupWithoutAFilterMayHoldAnything) {
  auto file = decode_parquet_file(
      file_of(two_filters(), {{{"a", 4}, {"b", 51}}, {{"a", {}}, {"b", 51}}, {}}), {});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->row_groups, 3U);
  EXPECT_TRUE(file->may_contain(bytes_of("green")));
  EXPECT_EQ(file->health().error_rate, 1);
  file->column = "ns.b";
  EXPECT_FALSE(file->may_contain(bytes_of("green")));
  file->column = "ns.c";
  EXPECT_FALSE(file->has_column("ns.c"));
  EXPECT_TRUE(file->may_contain(bytes_of("green")));
}

TEST(ParquetFile, FiltersThatCannotBeReadAreIgnoredWithAReason) {
  const auto file = decode_parquet_file(
      file_of(two_filters(), {{{"a", 5}, {"b", 100'000}, {"c", 51, 46}, {"d", 51}}}), {});
  ASSERT_TRUE(file) << file.error().message;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(file->chunks[i].filter);
    EXPECT_FALSE(file->chunks[i].why_no_filter.empty());
  }
  EXPECT_EQ(describe(*file).notes.size(), 4U);
  EXPECT_FALSE(file->may_contain(bytes_of("green")));  // only column d is asked
}

TEST(ParquetFile, ManyColumnsOfOneFilterAreCountedEachAgainstTheLimit) {
  std::vector<std::vector<Column>> groups;
  for (int i = 0; i < 14; ++i) groups.push_back(std::vector<Column>(14, Column{"a", 4}));
  DecodeOptions options;
  options.limits.max_bytes = 1 << 20;
  ParquetFilter large{SplitBlockFilter{1024}};
  const Bytes file = file_of(encode_parquet(large), groups);
  EXPECT_EQ(decode_parquet_file(file, options).error().code, ErrorCode::kTooLarge);
  options.limits.max_bytes = 16 << 20;
  const auto read = decode_parquet_file(file, options);
  ASSERT_TRUE(read);
  ASSERT_EQ(describe(*read).layers.size(), 1U);
  EXPECT_EQ(describe(*read).layers[0].name, "196 filters");
}

TEST(ParquetFile, RefusesWhatIsNoParquetFile) {
  Bytes file = file_of({}, {});
  EXPECT_TRUE(looks_like_parquet_file(file));
  const auto empty = decode_parquet_file(file, {});
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->may_contain(bytes_of("anything")));
  file.back() = std::byte{'E'};
  EXPECT_EQ(decode_parquet_file(file, {}).error().code, ErrorCode::kUnsupported);
  file.back() = std::byte{'2'};
  EXPECT_EQ(decode_parquet_file(file, {}).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(decode_parquet_file(ByteView{file}.first(11), {}).error().code, ErrorCode::kTruncated);
}

TEST(ParquetFile, AFooterLongerThanTheFileIsRefused) {
  EXPECT_TRUE(looks_like_parquet_file(bytes_of("PAR1")));
  EXPECT_FALSE(looks_like_parquet_file(bytes_of("PAR")));
  const Bytes good = file_of({}, {});
  for (const std::size_t size : {good.size() - 11, good.size() - 4, good.size(), good.size() + 9}) {
    Bytes bad = good;
    store_le(bad.data() + bad.size() - 8, static_cast<std::uint32_t>(size));
    EXPECT_EQ(decode_parquet_file(bad, {}).error().message,
              message("the footer of the Parquet file says ", size, " bytes, and the file has ",
                      good.size()));
  }
}

TEST(ParquetFile, AsManyAsSixtyFourFiltersAreDescribedOneByOne) {
  for (const std::size_t in_group : {8U, 9U}) {
    const std::vector<std::vector<Column>> groups(8, std::vector<Column>(in_group, {"a", 4}));
    const auto file = decode_parquet_file(file_of(two_filters(), groups), {});
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(describe(*file).layers.size(), in_group == 8 ? 64U : 1U);
  }
  const std::vector<std::vector<Column>> five(13, std::vector<Column>(5, {"a", 4}));
  EXPECT_EQ(describe(*decode_parquet_file(file_of(two_filters(), five), {})).layers.size(), 1U);
  const std::vector<std::vector<Column>> nowhere(13, std::vector<Column>(6, {"a", 100'000}));
  const auto ignored = decode_parquet_file(file_of(two_filters(), nowhere), {});
  EXPECT_EQ(describe(*ignored).notes.size(), 65U);  // of 64 filters, and of the file
}

// A file of two_filters() and a footer given by its bytes.
Result<ParquetFile> with_footer(const std::string& hex) {
  const Bytes footer = from_hex(hex);
  ByteWriter file;
  file.put(bytes_of("PAR1"));
  file.put(two_filters());
  file.put(footer);
  file.le(static_cast<std::uint32_t>(footer.size()));
  file.put(bytes_of("PAR1"));
  return decode_parquet_file(file.take(), {});
}

// Readers skip what they do not know; it must not be taken for what they do, nor shift it.
TEST(ParquetFile, FieldsOfOtherKindsAreSkipped) {
  // In a column chunk: field 1 a struct with a field 14, field 3 the metadata, field 5 as field 1.
  const auto chunk = with_footer(
      "491c191c1ce66600"
      "2c39180161b60800"
      "2ce66600000000");
  ASSERT_TRUE(chunk) << chunk.error().message;
  ASSERT_EQ(chunk->chunks.size(), 1U);
  EXPECT_EQ(chunk->chunks[0].column, "a");
  EXPECT_EQ(chunk->chunks[0].offset, 4U);
  EXPECT_TRUE(chunk->chunks[0].filter);
  const char* const of_no_columns[] = {
      "450200",                          // field 4 is a number
      "49150200",                        // its elements are
      "491c15020000",                    // a row group's field 1 is
      "491c1915020000",                  // its elements are
      "591c191c3c39180161b60800000000",  // row groups in field 5
      "491c291c3c39180161b60800000000",  // columns in field 2
  };
  for (const char* footer : of_no_columns) {
    const auto file = with_footer(footer);
    ASSERT_TRUE(file) << footer << ": " << file.error().message;
    EXPECT_TRUE(file->chunks.empty()) << footer;
  }
  const auto number = with_footer("491c191c3502000000");  // a column's field 3 is a number
  ASSERT_TRUE(number) << number.error().message;
  ASSERT_EQ(number->chunks.size(), 1U);
  EXPECT_FALSE(number->chunks[0].offset);
}

TEST(ParquetFile, SurvivesHostileBytesInFilterAndFooter) {
  const Bytes good = file_of(two_filters(), {{{"a", 4, 47}, {"b", 51}}});
  testing::survive_hostile_bytes(
      good,
      [](ByteView bytes) {
        DecodeOptions options;
        options.limits.max_bytes = 1 << 20;
        return decode_parquet_file(bytes, options);
      },
      [](const ParquetFile& file) {
        (void)file.may_contain(bytes_of("a key"));
        (void)describe(file);
      });
}

TEST(ParquetFile, RealFilesCarryTheFiltersOfTheirValues) {
  const std::string folder = std::string{BLOOMERY_REAL_DIR};
  if (!std::filesystem::exists(folder + "/parquet"))
    GTEST_SKIP() << "the public sample files are not in " << folder;
  const auto golden = testing::golden_json("formats/parquet.json");
  for (const std::size_t i : {1U, 2U}) {
    const auto& one = golden.at("files").at(i);
    SCOPED_TRACE(one.at("file").get<std::string>());
    const auto bytes = read_file(folder + "/" + one.at("file").get<std::string>(), {});
    ASSERT_TRUE(bytes);
    const auto file = decode_parquet_file(*bytes, {});
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->chunks.size(), 1U);
    ASSERT_TRUE(file->chunks[0].filter) << file->chunks[0].why_no_filter;
    EXPECT_EQ(file->chunks[0].offset, one.at("header_offset").get<std::uint64_t>());
    EXPECT_EQ(file->chunks[0].filter->size_bytes(), one.at("numBytes").get<std::size_t>());
    ParquetFilter rebuilt{SplitBlockFilter{file->chunks[0].filter->blocks()}};
    for (const auto& value : one.at("values_utf8"))
      rebuilt.insert(bytes_of(value.get<std::string>()));
    EXPECT_TRUE(rebuilt == *file->chunks[0].filter);
    for (const auto& answer : one.at("answers_utf8"))
      EXPECT_EQ(file->may_contain(bytes_of(answer.at(0).get<std::string>())),
                answer.at(1).get<bool>());
  }
}

}  // namespace
}  // namespace bloomery
