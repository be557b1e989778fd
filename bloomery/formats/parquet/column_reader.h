// The values of one column of a Parquet file, row group after row group. Nulls are left out; of a
// list, each element is a value.
#pragma once
#include "bloomery/formats/parquet/pages.h"
#include "bloomery/formats/parquet/values.h"

namespace bloomery {

// Some values that follow one another: numbers or bytes, as the column has them. Numbers are as in
// ParquetValueDecoder.
struct ParquetValues {
  std::span<const std::int64_t> numbers = {};
  std::span<const ByteView> bytes = {};
  std::uint64_t first_place = 0;  // of the first value or null considered, in the column, from 0
  // Places of the values behind the first; empty: one after the other, there are no nulls.
  std::span<const std::size_t> places = {};
};

class ParquetColumnReader {
 public:
  static constexpr std::size_t kMostValues = 16384;

  // kUnsupported for a type without a text form (INT96), and where a chunk is encrypted or in
  // another file. Precondition: the table has the column; file and table outlive the reader.
  static Result<ParquetColumnReader> open(ByteView file, const ParquetTable& table,
                                          std::size_t column, ParquetDecompress decompress,
                                          DecodeLimits limits);
  ParquetColumnReader(ParquetColumnReader&&) = default;
  ParquetColumnReader& operator=(ParquetColumnReader&&) = default;

  const ParquetColumn& column() const { return *column_; }
  // The next values, at most kMostValues, valid until the next call; false at the end. Errors name
  // column, row group and page.
  Result<bool> next(ParquetValues& values);
  std::uint64_t nulls() const { return nulls_; }  // so far
  // Where the pages that were read end in the file.
  std::uint64_t position() const;

 private:
  ParquetColumnReader(ByteView file, const ParquetTable& table, std::size_t column,
                      ParquetDecompress decompress, DecodeLimits limits);
  Result<bool> next_page();  // false behind the last row group
  Status open_row_group();
  Status take_dictionary(const ParquetPage& page);
  Status open_data(const ParquetPage& page);
  Status read_levels();
  Result<std::size_t> read_values();
  Error at_page(const Error& error) const;

  ByteView file_;
  const ParquetTable* table_;
  std::size_t column_index_;
  const ParquetColumn* column_;
  std::unique_ptr<ParquetDecompress> decompress_;  // its address stays
  DecodeLimits limits_;

  std::size_t next_row_group_ = 0;
  std::unique_ptr<ParquetPageReader> pages_;
  std::size_t page_number_ = 0;          // in the row group, from 0; for messages
  std::uint64_t row_group_entries_ = 0;  // that are yet to come in pages
  std::unique_ptr<ParquetDictionary> dictionary_;
  std::uint64_t page_entries_ = 0;  // that are yet to come from the page
  HybridDecoder definition_;
  ParquetValueDecoder decoder_;

  std::uint64_t entries_ = 0;  // whose levels were read, in all row groups
  std::uint64_t nulls_ = 0;
  std::uint64_t first_place_ = 0;  // of the entries whose levels were read last
  std::size_t present_ = 0;        // of these, values
  std::size_t handed_out_ = 0;     // of those
  bool has_nulls_ = false;
  std::vector<std::uint32_t> levels_;
  std::vector<std::size_t> places_;
  std::vector<std::int64_t> numbers_;
  std::vector<ByteView> bytes_;
};

}  // namespace bloomery
