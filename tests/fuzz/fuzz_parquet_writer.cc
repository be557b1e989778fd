// A Parquet file that is written and read again: the input chooses columns, sizes of pages and row
// groups, and the values.
#include <algorithm>
#include <optional>

#include "apps/input/page_codecs.h"
#include "bloomery/base/endian.h"
#include "bloomery/formats/parquet/column_reader.h"
#include "bloomery/formats/parquet/writer.h"
#include "tests/fuzz/require.h"

namespace {

using namespace bloomery;
using fuzz::require;

constexpr DecodeLimits kLimits{1 << 24};

class Choices {
 public:
  explicit Choices(ByteView bytes) : bytes_{bytes} {}
  bool done() const { return bytes_.empty(); }
  unsigned next() {
    if (bytes_.empty()) return 0;
    const auto byte = std::to_integer<unsigned>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  ByteView take(std::size_t size) {
    const ByteView piece = bytes_.first(std::min(size, bytes_.size()));
    bytes_ = bytes_.subspan(piece.size());
    return piece;
  }

 private:
  ByteView bytes_;
};

using Column = std::vector<std::optional<std::string>>;

std::string text_in(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ParquetField field_by(Choices& choices, std::size_t index) {
  constexpr ParquetType kTypes[] = {ParquetType::kBoolean, ParquetType::kInt64,
                                    ParquetType::kByteArray, ParquetType::kFixedBytes};
  const unsigned choice = choices.next();
  ParquetField field{"c" + std::to_string(index), kTypes[choice % 4]};
  field.may_be_null = (choice & 4) != 0;
  field.fixed_bytes = 1 + (choice >> 4);
  if (field.type == ParquetType::kByteArray)
    field.meaning = (choice & 8) != 0 ? ParquetMeaning::kString : ParquetMeaning::kJson;
  if (field.type == ParquetType::kInt64 && (choice & 8) != 0)
    field.meaning = ParquetMeaning::kUnsigned;
  return field;
}

std::optional<std::string> write_value(ParquetWriter& writer, const ParquetField& field,
                                       Choices& choices) {
  const unsigned choice = choices.next();
  if (field.may_be_null && choice % 3 == 0) {
    writer.add_null();
    return std::nullopt;
  }
  if (field.type == ParquetType::kBoolean) {
    writer.add_bool(choice % 2 == 1);
    return std::string(1, static_cast<char>(choice % 2));
  }
  std::string value = text_in(choices.take(choice % 40));
  if (field.type == ParquetType::kInt64) value.resize(8);
  if (field.type == ParquetType::kFixedBytes) value.resize(field.fixed_bytes);
  const ByteView bytes = std::as_bytes(std::span{value});
  if (field.type == ParquetType::kInt64)
    writer.add_number(load_le<std::uint64_t>(bytes.data()));
  else
    writer.add_bytes(bytes);
  return value;
}

Column read_column(ByteView file, const ParquetTable& table, std::size_t index) {
  auto reader = ParquetColumnReader::open(file, table, index, input::decompress_page, kLimits);
  require(reader.has_value());
  Column column(table.rows());
  ParquetValues values;
  for (;;) {
    const auto more = reader->next(values);
    require(more.has_value());
    if (!*more) return column;
    for (std::size_t i = 0; i < values.numbers.size() + values.bytes.size(); ++i) {
      std::string value(8, '\0');
      if (values.numbers.empty())
        value = text_in(values.bytes[i]);
      else if (table.columns[index].type == ParquetType::kBoolean)
        value = std::string(1, static_cast<char>(values.numbers[i]));
      else
        store_le(reinterpret_cast<std::byte*>(value.data()), values.numbers[i]);
      column.at(values.first_place + (values.places.empty() ? i : values.places[i])) = value;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices{std::as_bytes(std::span{data, size})};
  std::vector<ParquetField> fields;
  const std::size_t count = 1 + choices.next() % 5;
  while (fields.size() < count) fields.push_back(field_by(choices, fields.size()));
  ParquetWriterOptions options;
  options.page_bytes = 1 + choices.next();
  options.row_group_bytes = 1 + 16 * choices.next();
  options.row_group_rows = 1 + choices.next();
  std::string file;
  auto writer = ParquetWriter::open(
      fields,
      [&](ByteView bytes) {
        file += text_in(bytes);
        return ok();
      },
      options);
  require(writer.has_value());
  std::vector<Column> written(count);
  while (!choices.done()) {
    for (std::size_t i = 0; i < count; ++i)
      written[i].push_back(write_value(*writer, fields[i], choices));
    require(writer->end_row().has_value());
  }
  require(writer->finish().has_value());
  const ByteView bytes = std::as_bytes(std::span{file});
  const auto table = read_parquet_table(bytes, kLimits);
  require(table && table->columns.size() == count && table->rows() == written[0].size());
  for (std::size_t i = 0; i < count; ++i) require(read_column(bytes, *table, i) == written[i]);
  return 0;
}
