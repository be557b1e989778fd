#include "bloomery/formats/parquet/writer.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "bloomery/base/endian.h"
#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/parquet/footer.h"
#include "bloomery/formats/parquet/thrift_writer.h"
#include "bloomery/formats/parquet/values.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostValueBytes = std::size_t{1} << 30;  // pages are smaller than 2 GiB

ByteView bytes_in(std::string_view text) { return std::as_bytes(std::span{text}); }

template <class Number>
void append_number(std::string& out, Number value) {
  std::byte bytes[sizeof value];
  store_le(bytes, value);
  out.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

// Bits, the lowest first, of a list whose elements are 0 or not.
template <class Bits>
std::string packed(const Bits& bits) {
  std::string out((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) out[i / 8] = static_cast<char>(out[i / 8] | 1 << (i % 8));
  return out;
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7fU) | 0x80U);
  out += static_cast<char>(value);
}

// Definition levels 0 and 1 in the hybrid encoding: one run, of equal levels or of packed bits.
std::string levels_of(const std::vector<bool>& there) {
  std::string run;
  const auto present = static_cast<std::size_t>(std::count(there.begin(), there.end(), true));
  if (present == 0 || present == there.size()) {
    append_varint(run, there.size() << 1U);
    run += static_cast<char>(present == 0 ? 0 : 1);
  } else {
    const std::string bits = packed(there);
    append_varint(run, bits.size() << 1U | 1U);
    run += bits;
  }
  std::string out;
  append_number(out, static_cast<std::uint32_t>(run.size()));
  return out + run;
}

constexpr auto encoding_number(ParquetEncoding encoding) {
  return static_cast<std::int64_t>(encoding);
}

// The schema's element of a column, with both ways to say what its values mean: readers older than
// logical types know the converted ones.
ThriftWriter schema_element(const ParquetField& field) {
  constexpr int kUtf8 = 0;
  constexpr int kUint64 = 14;
  constexpr int kJson = 19;
  ThriftWriter element;
  element.i32(1, static_cast<std::int64_t>(field.type));
  if (field.type == ParquetType::kFixedBytes) element.i32(2, field.fixed_bytes);
  element.i32(3, field.may_be_null ? 1 : 0).binary(4, field.name);
  switch (field.meaning) {
    case ParquetMeaning::kNone:
      break;
    case ParquetMeaning::kUnsigned:
      element.i32(6, kUint64)
          .structure(10, ThriftWriter{}.structure(10, ThriftWriter{}.i8(1, 64).boolean(2, false)));
      break;
    case ParquetMeaning::kString:
      element.i32(6, kUtf8).structure(10, ThriftWriter{}.structure(1, ThriftWriter{}));
      break;
    case ParquetMeaning::kJson:
      element.i32(6, kJson).structure(10, ThriftWriter{}.structure(12, ThriftWriter{}));
      break;
  }
  return element;
}

}  // namespace

Result<ParquetWriter> ParquetWriter::open(std::vector<ParquetField> fields, ParquetSink sink,
                                          ParquetWriterOptions options) {
  if (fields.empty()) return invalid_argument("a Parquet file has at least one column");
  std::set<std::string_view> names;
  for (const ParquetField& field : fields) {
    if (!names.insert(field.name).second)
      return invalid_argument(message("two columns are called '", field.name, "'"));
    if (field.type == ParquetType::kFixedBytes && field.fixed_bytes == 0)
      return invalid_argument(message("the column '", field.name, "' has values of 0 bytes"));
  }
  ParquetWriter writer{std::move(fields), std::move(sink), std::move(options)};
  if (Status s = writer.put(kParquetMagic); !s) return s.error();
  return writer;
}

ParquetWriter::ParquetWriter(std::vector<ParquetField> fields, ParquetSink sink,
                             ParquetWriterOptions options)
    : fields_{std::move(fields)},
      sink_{std::move(sink)},
      options_{std::move(options)},
      columns_(fields_.size()) {}

ParquetWriter::Column& ParquetWriter::next_column(bool there) {
  assert(next_ < fields_.size() && (there || fields_[next_].may_be_null));
  Column& column = columns_[next_++];
  column.there.push_back(there);
  if (!there) ++column.nulls;
  return column;
}

void ParquetWriter::add_null() { static_cast<void>(next_column(false)); }

void ParquetWriter::add_bool(bool value) {
  assert(next_ < fields_.size() && fields_[next_].type == ParquetType::kBoolean);
  next_column(true).values += static_cast<char>(value);
}

void ParquetWriter::add_number(std::uint64_t bits) {
  assert(next_ < fields_.size() && fields_[next_].type == ParquetType::kInt64);
  append_number(next_column(true).values, bits);
}

void ParquetWriter::add_bytes(ByteView bytes) {
  const bool is_fixed = fields_[next_].type == ParquetType::kFixedBytes;
  assert(is_fixed ? bytes.size() == fields_[next_].fixed_bytes
                  : fields_[next_].type == ParquetType::kByteArray);
  std::string& values = next_column(true).values;
  if (!is_fixed) append_number(values, static_cast<std::uint32_t>(bytes.size()));
  values.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status ParquetWriter::end_row() {
  assert(next_ == fields_.size());
  next_ = 0;
  ++rows_;
  ++row_group_rows_;
  std::size_t held = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (column.values.size() > kMostValueBytes)
      return Error{ErrorCode::kTooLarge,
                   message("row ", rows_, ", column '", fields_[i].name,
                           "': the value is larger than a page of a Parquet file can be")};
    if (column.values.size() >= options_.page_bytes) end_page(fields_[i], column);
    held += column.values.size() + column.chunk.size();
  }
  if (row_group_rows_ < options_.row_group_rows && held < options_.row_group_bytes) return ok();
  return end_row_group();
}

void ParquetWriter::end_page(const ParquetField& field, Column& column) {
  if (column.there.empty()) return;
  std::string plain = field.may_be_null ? levels_of(column.there) : std::string{};
  plain += field.type == ParquetType::kBoolean ? packed(column.values) : column.values;
  const bool is_plain = options_.codec == ParquetCodec::kNone;
  const std::string stored = is_plain ? plain : options_.compress(bytes_in(plain));
  const auto entries = static_cast<std::int64_t>(column.there.size());
  const std::string header = ThriftWriter{}
                                 .i32(1, 0)  // a data page
                                 .i32(2, static_cast<std::int64_t>(plain.size()))
                                 .i32(3, static_cast<std::int64_t>(stored.size()))
                                 .structure(5, ThriftWriter{}
                                                   .i32(1, entries)
                                                   .i32(2, encoding_number(ParquetEncoding::kPlain))
                                                   .i32(3, encoding_number(ParquetEncoding::kRle))
                                                   .i32(4, encoding_number(ParquetEncoding::kRle)))
                                 .done();
  column.chunk += header;
  column.chunk += stored;
  column.plain_bytes += header.size() + plain.size();
  column.entries += column.there.size();
  column.values.clear();
  column.there.clear();
}

Status ParquetWriter::end_row_group() {
  if (row_group_rows_ == 0) return ok();
  RowGroup group{row_group_rows_, {}};
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    end_page(fields_[i], column);
    group.chunks.push_back(
        {written_, column.chunk.size(), column.plain_bytes, column.entries, column.nulls});
    if (Status s = put(column.chunk); !s) return s;
    column = Column{};
  }
  row_groups_.push_back(std::move(group));
  row_group_rows_ = 0;
  return ok();
}

Status ParquetWriter::finish() {
  if (Status s = end_row_group(); !s) return s;
  std::string end = footer();
  if (end.size() > UINT32_MAX) return Error{ErrorCode::kTooLarge, "the footer is too large"};
  append_number(end, static_cast<std::uint32_t>(end.size()));
  end += kParquetMagic;
  return put(end);
}

Status ParquetWriter::put(std::string_view bytes) {
  written_ += bytes.size();
  return sink_(bytes_in(bytes));
}

std::string ParquetWriter::footer() const {
  std::vector<ThriftWriter> schema;
  schema.push_back(
      ThriftWriter{}.binary(4, "schema").i32(5, static_cast<std::int64_t>(fields_.size())));
  for (const ParquetField& field : fields_) schema.push_back(schema_element(field));
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  std::vector<ThriftWriter> groups;
  for (const RowGroup& group : row_groups_) {
    std::vector<ThriftWriter> chunks;
    std::uint64_t plain = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const Chunk& chunk = group.chunks[i];
      plain += chunk.plain_bytes;
      ThriftWriter metadata;
      metadata.i32(1, static_cast<std::int64_t>(fields_[i].type))
          .i32s(2,
                {encoding_number(ParquetEncoding::kPlain), encoding_number(ParquetEncoding::kRle)})
          .binaries(3, {fields_[i].name})
          .i32(4, static_cast<std::int64_t>(options_.codec))
          .i64(5, number(chunk.entries))
          .i64(6, number(chunk.plain_bytes))
          .i64(7, number(chunk.bytes))
          .i64(9, number(chunk.begin))
          .structure(12, ThriftWriter{}.i64(3, number(chunk.nulls)));
      chunks.push_back(ThriftWriter{}.i64(2, number(chunk.begin)).structure(3, metadata));
    }
    groups.push_back(
        ThriftWriter{}.structures(1, chunks).i64(2, number(plain)).i64(3, number(group.rows)));
  }
  return ThriftWriter{}
      .i32(1, 1)
      .structures(2, schema)
      .i64(3, number(rows_))
      .structures(4, groups)
      .binary(6, options_.created_by)
      .done();
}

}  // namespace bloomery
