// Columns of small Parquet files that are written byte by byte: pages, levels, checksums, damage.
#include "bloomery/formats/parquet/column_reader.h"

#include "tests/formats/hostile.h"
#include "tests/formats/parquet/make_file.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::MadeFile;
using testing::MadePage;

Status no_codec(ParquetCodec codec, ByteView, ByteSpan) {
  return Error{ErrorCode::kUnsupported, message("no ", codec_name(codec))};
}

struct Read {
  std::vector<std::string> values;
  std::vector<std::uint64_t> places;
  std::uint64_t nulls = 0;
};

Result<Read> read_all(ByteView file, DecodeLimits limits = {}) {
  const auto table = read_parquet_table(file, limits);
  if (!table) return table.error();
  if (table->columns.empty()) return Error{ErrorCode::kMalformed, "no columns"};
  auto reader = ParquetColumnReader::open(file, *table, 0, no_codec, limits);
  if (!reader) return reader.error();
  Read read;
  ParquetValues values;
  for (;;) {
    const auto there = reader->next(values);
    if (!there) return there.error();
    if (!*there) break;
    const std::size_t before = read.values.size();
    for (const std::int64_t number : values.numbers) read.values.push_back(std::to_string(number));
    for (const ByteView bytes : values.bytes) read.values.emplace_back(text_of(bytes));
    for (std::size_t i = 0; i < read.values.size() - before; ++i)
      read.places.push_back(values.first_place + (values.places.empty() ? i : values.places[i]));
  }
  read.nulls = reader->nulls();
  return read;
}

std::string why(const MadeFile& file, DecodeLimits limits = {}) {
  const auto read = read_all(file.bytes(), limits);
  return read ? "read" : read.error().message;
}

using Strings = std::vector<std::string>;

const Bytes kTwo = from_hex("0100000000000000feffffffffffffff");

MadeFile two_numbers() { return {.pages = {{.entries = 2, .bytes = kTwo}}, .rows = 2}; }

TEST(ParquetColumnReader, ReadsPlainPages) {
  const auto read = read_all(two_numbers().bytes());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->values, (Strings{"1", "-2"}));
  MadeFile twice = two_numbers();
  twice.pages.push_back(twice.pages[0]);
  twice.rows = 4;
  EXPECT_EQ(read_all(twice.bytes())->values, (Strings{"1", "-2", "1", "-2"}));
}

TEST(ParquetColumnReader, LeavesNullsOut) {
  // Definition levels 1 0 1 1 0: a packed group of one bit each.
  for (const int version : {0, 3}) {
    Bytes bytes = version == 0 ? from_hex("02000000030d") : from_hex("030d");
    const Bytes values = from_hex("010000000000000002000000000000000300000000000000");
    bytes.insert(bytes.end(), values.begin(), values.end());
    const MadeFile file{.repetition = 1,
                        .pages = {{.type = version,
                                   .entries = 5,
                                   .bytes = bytes,
                                   .definition_bytes = version == 3 ? 2 : 0}},
                        .rows = 5};
    const auto read = read_all(file.bytes());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->values, (Strings{"1", "2", "3"}));
    EXPECT_EQ(read->places, (std::vector<std::uint64_t>{0, 2, 3}));
    EXPECT_EQ(read->nulls, 2U);
  }
}

TEST(ParquetColumnReader, ReadsEveryElementOfAList) {
  // Two rows, [1, -2] and []: repetition 0 1 0, definition 1 1 0.
  Bytes bytes = from_hex(
      "020000000302"
      "020000000303");
  bytes.insert(bytes.end(), kTwo.begin(), kTwo.end());
  MadeFile file{.repetition = 2, .pages = {{.entries = 3, .bytes = bytes}}, .rows = 3};
  const auto read = read_all(file.bytes());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->values, (Strings{"1", "-2"}));
}

// The values "a" and "bb".
const MadePage kCityDictionary{.type = 2,
                               .entries = 2,
                               .bytes = from_hex("0100000061"
                                                 "020000006262")};

TEST(ParquetColumnReader, ReadsDictionaries) {
  const MadeFile file{.type = 6,
                      .name = "city",
                      .pages = {kCityDictionary,
                                {.entries = 3,
                                 .encoding = 8,
                                 .bytes = from_hex("0103"
                                                   "02")}},
                      .rows = 3};
  const auto read = read_all(file.bytes());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->values, (Strings{"a", "bb", "a"}));
  MadeFile second = file;
  second.pages.insert(second.pages.begin(), second.pages[0]);
  EXPECT_EQ(why(second), "column city: row group 0, page 1: it is a second dictionary");
}

TEST(ParquetColumnReader, VerifiesChecksums) {
  MadeFile file = two_numbers();
  file.pages[0].crc = testing::crc_of_page(kTwo);
  EXPECT_EQ(why(file), "read");
  *file.pages[0].crc ^= 1;
  EXPECT_EQ(why(file),
            "column id: row group 0, page 0: its checksum is wrong: the file is damaged");
}

TEST(ParquetColumnReader, CountsValues) {
  MadeFile more = two_numbers();
  more.rows = 3;
  EXPECT_EQ(why(more), "column id: row group 0: 1 values are missing after page 1");
  MadeFile fewer = two_numbers();
  fewer.rows = 1;
  EXPECT_EQ(
      why(fewer),
      "column id: row group 0, page 0: it has 2 values, and only 1 are left of the row group");
}

TEST(ParquetColumnReader, NamesWhatItDoesNotRead) {
  MadeFile file = two_numbers();
  file.pages[0].encoding = 42;
  EXPECT_EQ(why(file), "column id: row group 0, page 0: the encoding number 42 is not supported");
  file = two_numbers();
  file.is_encrypted = true;
  EXPECT_EQ(why(file), "column id: it is encrypted");
  file = two_numbers();
  file.elsewhere = "other.parquet";
  EXPECT_EQ(
      why(file),
      "column id: its data are in another file, which the footer names; that is not supported");
  file = two_numbers();
  file.type = 3;
  EXPECT_EQ(why(file),
            "column id: values of type int96, a deprecated form of timestamps, are not "
            "supported");
  file = two_numbers();
  file.repetition = 1;
  file.pages[0].level_encoding = 4;
  EXPECT_EQ(why(file),
            "column id: row group 0, page 0: levels in the deprecated encoding BIT_PACKED "
            "are not supported");
  file = two_numbers();
  file.codec = 6;
  EXPECT_EQ(why(file), "column id: row group 0, page 0: no zstd");
}

TEST(ParquetColumnReader, ChecksSizesBeforeItAllocates) {
  MadeFile file = two_numbers();
  file.codec = 1;
  file.pages[0].plain_bytes = 2'000'000'000;
  EXPECT_EQ(why(file, {.max_bytes = 1 << 20}),
            "column id: row group 0, page 0: it decompresses to 2000000000 bytes, and the limit is "
            "1048576");
  EXPECT_EQ(why(file, {.max_bytes = std::uint64_t{1} << 40}),
            "column id: row group 0, page 0: 16 bytes of snappy cannot decompress to 2000000000");
  file = two_numbers();
  file.pages[0].entries = INT32_MAX;
  file.rows = INT32_MAX;
  EXPECT_EQ(why(file), "column id: row group 0, page 0: its values end before the last one");
}

TEST(ParquetTable, RefusesOtherFiles) {
  Bytes encrypted = two_numbers().bytes();
  encrypted[encrypted.size() - 1] = std::byte{'E'};
  EXPECT_EQ(read_all(encrypted).error().message, "the footer of the Parquet file is encrypted");
  EXPECT_EQ(read_all(bytes_of("a,b\n1,2\n3,4\n5,6")).error().message,
            "a Parquet file begins and ends with PAR1");
}

TEST(ParquetTable, SurvivesHostileBytes) {
  const MadeFile file{.type = 6,
                      .repetition = 1,
                      .pages = {kCityDictionary,
                                {.entries = 3,
                                 .encoding = 8,
                                 .bytes = from_hex("02000000"
                                                   "0307"
                                                   "0103"
                                                   "02")}},
                      .rows = 3};
  ASSERT_EQ(read_all(file.bytes())->values, (Strings{"a", "bb", "a"}));
  testing::survive_hostile_bytes(
      file.bytes(), [](ByteView bytes) { return read_all(bytes, {.max_bytes = 1 << 20}); },
      [](const Read& read) { EXPECT_LE(read.values.size(), 64U); });
}

TEST(ParquetSchema, FindsColumnsByPath) {
  std::vector<ParquetColumn> columns(4);
  columns[0].path = "a";
  columns[1].path = "a.b";
  columns[2].path = "tags.list.element";
  columns[3].path = "tagset";
  using Found = std::vector<std::size_t>;
  EXPECT_EQ(find_parquet_columns(columns, "a"), Found{0});
  EXPECT_EQ(find_parquet_columns(columns, "a.b"), Found{1});
  EXPECT_EQ(find_parquet_columns(columns, "tags"), Found{2});
  EXPECT_EQ(find_parquet_columns(columns, "tags.list"), Found{2});
  EXPECT_EQ(find_parquet_columns(columns, "tag"), Found{});
  EXPECT_EQ(find_parquet_columns(columns, ""), Found{});
}

}  // namespace
}  // namespace bloomery
