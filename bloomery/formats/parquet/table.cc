#include "bloomery/formats/parquet/table.h"

#include <array>
#include <numeric>

#include "bloomery/base/message.h"
#include "bloomery/formats/parquet/footer.h"

namespace bloomery {
namespace {

struct ChunkMetadata {
  std::int64_t type = -1;
  std::int64_t codec = 0;
  std::int64_t entries = -1;
  std::int64_t bytes = -1;
  std::int64_t data_page = -1;
  std::int64_t dictionary_page = 0;
  std::int64_t nulls = 0;
  bool is_encrypted = false;
  bool is_elsewhere = false;
  bool has_metadata = false;
};

void read_metadata(ThriftReader& reader, ChunkMetadata& chunk) {
  chunk.has_metadata = true;
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if (id == 12 && type == ThriftType::kStruct) {  // statistics
      reader.read_struct([&](std::int64_t member, ThriftType value) {
        if (member != 3 || value != ThriftType::kI64) return false;
        chunk.nulls = reader.read_integer();
        return true;
      });
      return true;
    }
    if (type != ThriftType::kI32 && type != ThriftType::kI64) return false;
    if (id == 1)
      chunk.type = reader.read_integer();
    else if (id == 4)
      chunk.codec = reader.read_integer();
    else if (id == 5)
      chunk.entries = reader.read_integer();
    else if (id == 7)
      chunk.bytes = reader.read_integer();
    else if (id == 9)
      chunk.data_page = reader.read_integer();
    else if (id == 11)
      chunk.dictionary_page = reader.read_integer();
    else
      return false;
    return true;
  });
}

ChunkMetadata read_chunk(ThriftReader& reader) {
  ChunkMetadata chunk;
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if (id == 1 && type == ThriftType::kBinary) {
      chunk.is_elsewhere = !reader.read_binary().empty();
      return true;
    }
    if (id == 3 && type == ThriftType::kStruct) {
      read_metadata(reader, chunk);
      return true;
    }
    if (id == 8 || id == 9) chunk.is_encrypted = true;
    return false;
  });
  return chunk;
}

// FileMetaData: field 2 the schema, field 4 a list of RowGroup; its field 1 a list of ColumnChunk,
// its field 3 the number of rows; field 3 the number of all rows.
class TableReader {
 public:
  TableReader(ByteView footer, std::uint64_t data_end, std::uint64_t max_bytes)
      : reader_{footer}, data_end_{data_end}, max_bytes_{max_bytes} {}

  Result<ParquetTable> read() {
    bool has_schema = false;
    bool has_groups = false;
    std::int64_t rows = -1;
    reader_.read_struct([&](std::int64_t id, ThriftType type) {
      if (id == 3 && type == ThriftType::kI64) {
        rows = reader_.read_integer();
        return true;
      }
      if (type != ThriftType::kList || failure_) return false;
      if (id == 2) {
        has_schema = true;
        read_schema();
        return true;
      }
      if (id != 4) return false;
      has_groups = true;
      if (!has_schema) fail(ErrorCode::kMalformed, "has row groups before its schema");
      if (!failure_) reader_.read_list([&](ThriftType element) { return row_group(element); });
      return !failure_;
    });
    if (failure_) return *failure_;
    if (reader_.failed()) return reader_.error("the footer of a Parquet file");
    if (!has_schema) fail(ErrorCode::kMalformed, "has no schema");
    if (!has_groups) fail(ErrorCode::kMalformed, "has no list of row groups");
    // A damaged footer may end early, and would pass for that of a smaller table.
    const auto listed = std::accumulate(table_.row_group_rows.begin(), table_.row_group_rows.end(),
                                        std::uint64_t{0});
    if (rows < 0 || static_cast<std::uint64_t>(rows) != listed)
      fail(ErrorCode::kMalformed,
           rows < 0 ? std::string{"has no number of rows"}
                    : message("says ", rows, " rows, and its row groups have ", listed));
    if (failure_) return *failure_;
    return std::move(table_);
  }

 private:
  void fail(ErrorCode code, std::string_view why) {
    if (!failure_) failure_ = Error{code, message("the footer of the Parquet file ", why)};
  }

  void read_schema() {
    auto columns = read_parquet_schema(reader_, max_bytes_);
    if (columns)
      table_.columns = std::move(*columns);
    else
      failure_ = columns.error();
  }

  bool row_group(ThriftType type) {
    if (type != ThriftType::kStruct || failure_) return false;
    const std::size_t before = table_.chunks.size();
    std::int64_t rows = -1;
    reader_.read_struct([&](std::int64_t id, ThriftType field) {
      if (id == 3 && field == ThriftType::kI64) {
        rows = reader_.read_integer();
        return true;
      }
      if (id != 1 || field != ThriftType::kList) return false;
      reader_.read_list([&](ThriftType element) { return column_chunk(element, before); });
      return true;
    });
    if (reader_.failed() || failure_) return true;
    const std::size_t found = table_.chunks.size() - before;
    const std::size_t number = table_.row_group_rows.size();
    if (found != table_.columns.size())
      fail(ErrorCode::kMalformed, message("lists ", found, " columns in row group ", number,
                                          ", and the schema has ", table_.columns.size()));
    if (rows < 0)
      fail(ErrorCode::kMalformed, message("gives row group ", number, " no number of rows"));
    table_.row_group_rows.push_back(static_cast<std::uint64_t>(rows));
    for (std::size_t i = 0; i < found && !failure_; ++i) check_entries(number, i);
    return true;
  }

  void check_entries(std::size_t row_group, std::size_t column) {
    const ParquetChunk& chunk = table_.chunk(row_group, column);
    if (chunk.is_encrypted) return;
    const std::uint64_t rows = table_.row_group_rows.back();
    const bool is_flat = table_.columns[column].repetition == 0;
    if (is_flat ? chunk.entries == rows : chunk.entries >= rows) return;
    fail(ErrorCode::kMalformed,
         message("gives column ", table_.columns[column].path, " in row group ", row_group, " ",
                 chunk.entries, " values for ", rows, " rows"));
  }

  bool column_chunk(ThriftType type, std::size_t first) {
    if (type != ThriftType::kStruct || failure_) return false;
    const ChunkMetadata metadata = read_chunk(reader_);
    if (reader_.failed()) return true;
    const std::size_t column = table_.chunks.size() - first;
    if (column >= table_.columns.size()) {
      fail(ErrorCode::kMalformed, "lists more columns in a row group than its schema has");
      return true;
    }
    if ((table_.chunks.size() + 1) * sizeof(ParquetChunk) > max_bytes_)
      fail(ErrorCode::kTooLarge, message("takes more than the limit of ", max_bytes_, " bytes"));
    if (!failure_) table_.chunks.push_back(checked(metadata, table_.columns[column]));
    return true;
  }

  ParquetChunk checked(const ChunkMetadata& metadata, const ParquetColumn& column) {
    ParquetChunk chunk;
    chunk.is_encrypted = metadata.is_encrypted;
    chunk.is_elsewhere = metadata.is_elsewhere;
    if (chunk.is_encrypted && !metadata.has_metadata) return chunk;
    const auto wrong = [&](std::string_view why) {
      fail(ErrorCode::kMalformed, message("gives column ", column.path, " in row group ",
                                          table_.row_group_rows.size(), " ", why));
      return chunk;
    };
    if (metadata.type != static_cast<std::int64_t>(column.type))
      return wrong("another type than its schema");
    if (metadata.codec < 0 || metadata.codec > static_cast<std::int64_t>(ParquetCodec::kLz4Raw))
      return wrong(message("the unknown compression ", metadata.codec));
    if (metadata.entries < 0) return wrong("no number of values");
    chunk.codec = static_cast<ParquetCodec>(metadata.codec);
    chunk.entries = static_cast<std::uint64_t>(metadata.entries);
    if (metadata.nulls > 0 && metadata.nulls <= metadata.entries)
      chunk.nulls = static_cast<std::uint64_t>(metadata.nulls);
    // Some writers say 0 where there is no dictionary, or place it behind the first data page.
    const bool has_dictionary =
        metadata.dictionary_page > 0 && metadata.dictionary_page < metadata.data_page;
    const std::int64_t begin = has_dictionary ? metadata.dictionary_page : metadata.data_page;
    if (chunk.is_elsewhere || chunk.entries == 0) return chunk;
    if (begin < 0 || metadata.bytes < 0 || static_cast<std::uint64_t>(begin) > data_end_ ||
        static_cast<std::uint64_t>(metadata.bytes) > data_end_ - static_cast<std::uint64_t>(begin))
      return wrong(message("pages at byte ", begin, " of ", metadata.bytes,
                           " bytes, and the data end at byte ", data_end_));
    chunk.begin = static_cast<std::uint64_t>(begin);
    chunk.bytes = static_cast<std::uint64_t>(metadata.bytes);
    return chunk;
  }

  ThriftReader reader_;
  std::uint64_t data_end_;
  std::uint64_t max_bytes_;
  ParquetTable table_;
  std::optional<Error> failure_;
};

}  // namespace

std::string_view codec_name(ParquetCodec codec) {
  constexpr std::array<std::string_view, 8> kNames = {"uncompressed", "snappy", "gzip", "lzo",
                                                      "brotli",       "lz4",    "zstd", "lz4_raw"};
  return kNames.at(static_cast<std::size_t>(codec));
}

std::uint64_t ParquetTable::rows() const {
  return std::accumulate(row_group_rows.begin(), row_group_rows.end(), std::uint64_t{0});
}

std::uint64_t ParquetTable::values(std::size_t column) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < row_group_rows.size(); ++i)
    sum += chunk(i, column).entries - chunk(i, column).nulls;
  return sum;
}

Result<ParquetTable> read_parquet_table(ByteView file, DecodeLimits limits) {
  const auto found = parquet_footer(file);
  if (!found) return found.error();
  // A copy: a mapped file may change under the reader, and names point into the footer.
  if (found->size() > limits.max_bytes)
    return Error{ErrorCode::kTooLarge, message("the footer of the Parquet file has ", found->size(),
                                               " bytes, and the limit is ", limits.max_bytes)};
  const std::vector<std::byte> footer{found->begin(), found->end()};
  const auto data_end = static_cast<std::uint64_t>(found->data() - file.data());
  return TableReader{footer, data_end, limits.max_bytes}.read();
}

}  // namespace bloomery
