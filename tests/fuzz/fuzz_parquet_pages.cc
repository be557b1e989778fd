// A Parquet file: every column of it, page by page, with the codecs of the command.
#include <cstdlib>

#include "apps/input/page_codecs.h"
#include "bloomery/formats/parquet/column_reader.h"

namespace {

using namespace bloomery;

constexpr DecodeLimits kLimits{1 << 20};
constexpr std::uint64_t kMostEntries = 1 << 16;  // few bytes may promise many nulls

void read_column(ByteView file, const ParquetTable& table, std::size_t column) {
  auto reader = ParquetColumnReader::open(file, table, column, input::decompress_page, kLimits);
  if (!reader) return;
  std::uint64_t sum = 0;
  std::uint64_t values_read = 0;
  ParquetValues values;
  for (;;) {
    const auto there = reader->next(values);
    if (!there && there.error().message.empty()) std::abort();
    if (!there || !*there) break;
    const std::size_t count = values.numbers.size() + values.bytes.size();
    if (count == 0 || (!values.places.empty() && values.places.size() != count)) std::abort();
    values_read += count;
    if (reader->position() > file.size()) std::abort();
    for (const std::int64_t number : values.numbers) sum += static_cast<std::uint64_t>(number);
    for (const ByteView bytes : values.bytes)
      for (const std::byte byte : bytes) sum += std::to_integer<std::uint64_t>(byte);
    if (values_read > kMostEntries) break;
  }
  if (sum == UINT64_MAX && values_read == 0) std::abort();  // the bytes were looked at
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file = std::as_bytes(std::span{data, size});
  const auto table = read_parquet_table(file, kLimits);
  if (!table) {
    if (table.error().message.empty()) std::abort();
    return 0;
  }
  for (std::size_t i = 0; i < table->columns.size() && i < 16; ++i) {
    std::uint64_t entries = 0;
    for (std::size_t group = 0; group < table->row_group_rows.size(); ++group) {
      const std::uint64_t more = table->chunk(group, i).entries;
      entries = more > kMostEntries ? kMostEntries + 1 : entries + more;
    }
    if (entries <= kMostEntries) read_column(file, *table, i);
  }
  return 0;
}
