// The table in a Parquet file, from its footer: its columns, and where each row group has their
// pages.
#pragma once
#include "bloomery/base/limits.h"
#include "bloomery/formats/parquet/schema.h"

namespace bloomery {

enum class ParquetCodec : std::uint8_t {
  kNone = 0,
  kSnappy = 1,
  kGzip = 2,
  kLzo = 3,
  kBrotli = 4,
  kLz4 = 5,  // the deprecated one, in the framing of Hadoop
  kZstd = 6,
  kLz4Raw = 7,
};
std::string_view codec_name(ParquetCodec codec);

struct ParquetChunk {       // one column of one row group
  std::uint64_t begin = 0;  // of its first page; checked against the file
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;  // values and nulls
  std::uint64_t nulls = 0;    // of these, as far as its statistics say
  ParquetCodec codec = ParquetCodec::kNone;
  bool is_encrypted = false;
  bool is_elsewhere = false;  // in another file
};

struct ParquetTable {
  std::vector<ParquetColumn> columns;
  std::vector<std::uint64_t> row_group_rows;
  std::vector<ParquetChunk> chunks;  // of each row group, one for each column

  const ParquetChunk& chunk(std::size_t row_group, std::size_t column) const {
    return chunks[row_group * columns.size() + column];
  }
  std::uint64_t rows() const;
  // Values of a column in all row groups; nulls are among them where no statistics count them.
  std::uint64_t values(std::size_t column) const;
};

Result<ParquetTable> read_parquet_table(ByteView file, DecodeLimits limits);

}  // namespace bloomery
