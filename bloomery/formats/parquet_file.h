// A .parquet file (parquet-format 2.10), read for its Bloom filters: one for each column of each
// row group that was written with one.
#pragma once
#include <string>

#include "bloomery/formats/parquet.h"

namespace bloomery {

struct ParquetColumnChunk {  // one column of one row group
  std::size_t row_group = 0;
  std::string column;                   // names joined by dots
  std::optional<std::uint64_t> offset;  // of its filter; empty: it was written without one
  std::optional<std::uint64_t> length;  // of header and bits; older writers do not say
  std::optional<ParquetFilter> filter;
  std::string why_no_filter;  // a sentence, where there is an offset and yet no filter

  ParquetColumnChunk clone() const;
};

// Many readers or one writer. The file need not outlive it.
struct ParquetFile {
  ParquetFile() = default;
  ParquetFile(ParquetFile&&) noexcept = default;  // copied by clone() only, like its filters
  ParquetFile& operator=(ParquetFile&&) noexcept = default;

  std::vector<ParquetColumnChunk> chunks;  // in the order of the file
  std::size_t row_groups = 0;
  std::uint64_t file_bytes = 0;
  // All columns, with a filter or without; none where the schema cannot be read.
  std::vector<ColumnDescription> columns;
  // Which column a question is about; empty asks every column that has a filter somewhere.
  std::string column;

  // "Maybe" if any row group may hold the key in such a column. A row group whose filter is missing
  // may hold anything.
  bool may_contain(ByteView key) const;
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;
  bool has_column(std::string_view name) const;
  std::vector<std::string> columns_with_filters() const;
  Health health() const;  // all filters that a question asks, together
  ParquetFile clone() const;
};

bool looks_like_parquet_file(ByteView bytes);
// The limit holds for all filters and the list of columns together.
Result<ParquetFile> decode_parquet_file(ByteView file, const DecodeOptions& options);
Description describe(const ParquetFile& file);

}  // namespace bloomery
