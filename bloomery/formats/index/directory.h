// What an index of filters holds besides bits: its segments, the filters of each, and which of them
// were deleted. docs/formats/bloomindex.md has the bytes.
#pragma once
#include <string_view>
#include <vector>

#include "bloomery/base/limits.h"
#include "bloomery/formats/index/header.h"

namespace bloomery {

inline constexpr std::uint64_t kIndexPage = 4096;  // rows of a segment begin at a multiple of this
inline constexpr std::uint64_t kIndexPieceBytes = std::uint64_t{1} << 20;  // with one checksum
inline constexpr std::size_t kLongestFilterName = 4096;

// A column: one filter, as it was when it was added.
struct IndexedFilter {
  std::string_view name;
  std::uint64_t ones = 0;  // bits that are set; of a counting filter, counters that are not 0
  double rate = 0;         // false-positive rate, from the bits
  Provenance provenance = {};
};

// A kInvalidArgument sentence where the name cannot be kept: empty, too long, a line end or a NUL.
Status check_filter_name(std::string_view name);

// Filters side by side: row r holds bit r of each of them. Bit 7 - j % 8 of byte j / 8 is that of
// filter j, the first the highest, so that positions come out in order.
struct IndexSegment {
  std::uint64_t offset = 0;  // of the first row
  std::uint64_t columns = 0;
  std::uint64_t sums_checksum = 0;  // of the table of checksums behind the rows
  std::uint64_t names_bytes = 0;    // of the table of filters behind that
  std::uint64_t names_checksum = 0;
  std::uint64_t deleted_columns = 0;
  std::vector<std::byte> deleted = {};  // a row whose ones are the deleted filters
  std::vector<IndexedFilter> filters = {};

  std::uint64_t row_bytes() const { return (columns + 7) / 8; }
  std::uint64_t rows_bytes(std::uint64_t rows) const { return rows * row_bytes(); }
  std::uint64_t pieces(std::uint64_t rows) const {
    return (rows_bytes(rows) + kIndexPieceBytes - 1) / kIndexPieceBytes;
  }
  std::uint64_t sums_offset(std::uint64_t rows) const {
    return offset + (rows_bytes(rows) + 7) / 8 * 8;
  }
  std::uint64_t names_offset(std::uint64_t rows) const {
    return sums_offset(rows) + 8 * pieces(rows);
  }
  std::uint64_t end(std::uint64_t rows) const { return names_offset(rows) + names_bytes; }
  std::uint64_t live_columns() const { return columns - deleted_columns; }
  bool is_deleted(std::uint64_t column) const {
    return (static_cast<unsigned>(deleted[static_cast<std::size_t>(column / 8)]) >>
                (7 - column % 8) &
            1U) != 0;
  }
  void mark_deleted(std::uint64_t column);  // precondition: is_deleted() is false
};

struct IndexDirectory {
  IndexHeader header;
  std::vector<IndexSegment> segments;

  std::uint64_t columns() const;     // with those that were deleted
  std::uint64_t live_bytes() const;  // of header, directory and segments
  std::uint64_t dead_bytes() const { return header.file_bytes - live_bytes(); }
};

// Everything but the rows, checked against its checksums and the length of the file. The names are
// views of the bytes. kTooLarge where the tables of names are larger than the limit.
Result<IndexDirectory> decode_index_directory(ByteView file, DecodeLimits limits);
// Compares every checksum of its rows; kMalformed names the bytes. `number` is for the sentence.
Status verify_rows(ByteView file, const IndexSegment& segment, std::size_t number,
                   std::uint64_t rows);
// The bytes that stand at header.directory_offset.
std::vector<std::byte> encode_index_directory(const std::vector<IndexSegment>& segments);
std::vector<std::byte> encode_filter_table(const std::vector<IndexedFilter>& filters);

}  // namespace bloomery
