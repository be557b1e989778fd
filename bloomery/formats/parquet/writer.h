// Writes a Parquet file of flat columns: plain encoding, data pages of version 1, one data page or
// more for each column of a row group, nulls by definition levels.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bloomery/formats/parquet/table.h"

namespace bloomery {

// What the values of a column mean, besides their type.
enum class ParquetMeaning : std::uint8_t { kNone, kUnsigned, kString, kJson };

struct ParquetField {
  std::string name;
  ParquetType type = ParquetType::kByteArray;  // kBoolean, kInt64, kByteArray or kFixedBytes
  std::uint32_t fixed_bytes = 0;               // of kFixedBytes; not 0
  ParquetMeaning meaning = ParquetMeaning::kNone;
  bool may_be_null = false;
};

// Appends bytes to the file.
using ParquetSink = std::function<Status(ByteView)>;
// The bytes of a page, compressed. Libraries of compression are the caller's.
using ParquetCompress = std::function<std::string(ByteView plain)>;

struct ParquetWriterOptions {
  ParquetCodec codec = ParquetCodec::kNone;
  ParquetCompress compress = {};           // where the codec is another one
  std::size_t page_bytes = 1 << 20;        // a page ends after the value that reaches them
  std::size_t row_group_bytes = 32 << 20;  // held in memory until the row group is written
  std::uint64_t row_group_rows = 122'880;
  std::string created_by = "bloomery";
};

// A row is begun by its first column and ended by end_row(). After an error the file is useless.
class ParquetWriter {
 public:
  // kInvalidArgument for fields that no file can have: none, two of one name, fixed bytes of 0.
  static Result<ParquetWriter> open(std::vector<ParquetField> fields, ParquetSink sink,
                                    ParquetWriterOptions options = {});

  // The next column of the row. Precondition: it has that type, or may be null.
  void add_null();
  void add_bool(bool value);
  void add_number(std::uint64_t bits);
  void add_bytes(ByteView bytes);  // kFixedBytes: exactly so many
  Status end_row();                // Precondition: every column was added
  // The last row group and the footer. Precondition: the first call.
  Status finish();

  std::uint64_t rows() const { return rows_; }

 private:
  struct Column {
    std::string values;             // of the page, encoded; booleans a byte each until then
    std::vector<bool> there;        // of the page: which entries are values
    std::string chunk;              // pages that are finished
    std::uint64_t plain_bytes = 0;  // of these, as if they were not compressed
    std::uint64_t entries = 0;      // in these
    std::uint64_t nulls = 0;
  };
  struct Chunk {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t plain_bytes = 0;
    std::uint64_t entries = 0;
    std::uint64_t nulls = 0;
  };
  struct RowGroup {
    std::uint64_t rows = 0;
    std::vector<Chunk> chunks;
  };

  ParquetWriter(std::vector<ParquetField> fields, ParquetSink sink, ParquetWriterOptions options);
  Column& next_column(bool there);
  void end_page(const ParquetField& field, Column& column);
  Status end_row_group();
  Status put(std::string_view bytes);
  std::string footer() const;

  std::vector<ParquetField> fields_;
  ParquetSink sink_;
  ParquetWriterOptions options_;
  std::vector<Column> columns_;
  std::vector<RowGroup> row_groups_;
  std::size_t next_ = 0;              // column of the row
  std::uint64_t row_group_rows_ = 0;  // so far
  std::uint64_t rows_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace bloomery
