#include "bloomery/formats/index/directory.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/base/error.h"
#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kSegmentBytes = 48;  // of its row in the directory
constexpr std::uint64_t kFilterBytes = 48;   // of its row before the names
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

bool is_rate(double rate) { return rate >= 0 && rate <= 1; }

std::uint64_t count_bits(ByteView bytes) {
  std::uint64_t ones = 0;
  for (const std::byte byte : bytes)
    ones += static_cast<unsigned>(std::popcount(static_cast<unsigned>(byte)));
  return ones;
}

// Its place in the file, once it cannot overflow.
Status check_place(const IndexSegment& segment, std::uint64_t number, std::uint64_t from,
                   const IndexHeader& header) {
  const auto wrong = [&](std::string_view why) -> Status {
    return malformed(message("segment ", number, " of the directory: ", why));
  };
  if (segment.columns == 0 || segment.columns > kMostBytes) return wrong("it has no filters");
  if (segment.offset % kIndexPage != 0) return wrong("its rows do not begin at a page");
  if (segment.offset < from) return wrong("it overlaps what lies before it");
  if (segment.row_bytes() > header.file_bytes / header.rows())
    return wrong("its rows are longer than the file");
  if (segment.names_bytes > header.file_bytes || segment.offset > header.file_bytes ||
      segment.end(header.rows()) > header.directory_offset)
    return wrong("it ends behind the beginning of the directory");
  if (segment.columns > segment.names_bytes / kFilterBytes)
    return wrong("its table of filters is shorter than their number");
  if (segment.deleted_columns > segment.columns)
    return wrong("more filters are deleted than it has");
  return ok();
}

Status read_deleted(IndexSegment& segment, std::uint64_t number, ByteReader& reader) {
  const ByteView bits = reader.take(segment.row_bytes());
  if (reader.failed()) return reader.truncated("the directory");
  segment.deleted.assign(bits.begin(), bits.end());
  const auto past = static_cast<unsigned>(segment.row_bytes() * 8 - segment.columns);
  const bool is_clean = (static_cast<unsigned>(bits.back()) & ((1U << past) - 1)) == 0;
  if (!is_clean || count_bits(bits) != segment.deleted_columns)
    return malformed(message("segment ", number,
                             " of the directory: the bits of its deleted filters are wrong"));
  return ok();
}

Result<IndexedFilter> read_filter(ByteReader& rows, ByteReader& names, const IndexHeader& header) {
  IndexedFilter filter;
  filter.ones = rows.le<std::uint64_t>();
  filter.rate = rows.le<double>();
  const auto inserted = rows.le<std::uint64_t>();
  const auto goal_keys = rows.le<std::uint64_t>();
  const auto goal_rate = rows.le<double>();
  const auto name_bytes = rows.le<std::uint32_t>();
  const auto reserved = rows.le<std::uint32_t>();
  filter.name = text_of(names.take(name_bytes));
  if (names.failed()) return names.truncated("the names of the filters");
  if (auto fits = check_filter_name(filter.name); !fits) return malformed(fits.error().message);
  const bool has_goal = goal_keys != 0;
  const bool is_goal = has_goal ? goal_rate > 0 && goal_rate < 1 : goal_rate == 0;
  if (filter.ones > header.shape.bits || !is_rate(filter.rate) || !is_goal || reserved != 0)
    return malformed(message("the row of the filter ", filter.name, " is impossible"));
  filter.provenance.keys_inserted = inserted;
  if (inserted == kNativeCountUnknown) filter.provenance.keys_inserted = std::nullopt;
  if (has_goal) filter.provenance.goal = Goal{goal_keys, goal_rate};
  return filter;
}

Status read_filters(IndexSegment& segment, std::uint64_t number, ByteView table,
                    const IndexHeader& header) {
  if (xxh3_64(table) != segment.names_checksum)
    return malformed(message("segment ", number,
                             ": the checksum of its table of filters does not match: the file was ",
                             "damaged"));
  const std::uint64_t rows_bytes = segment.columns * kFilterBytes;
  ByteReader rows{table.first(static_cast<std::size_t>(rows_bytes))};
  ByteReader names{table.subspan(static_cast<std::size_t>(rows_bytes))};
  segment.filters.reserve(static_cast<std::size_t>(segment.columns));
  for (std::uint64_t i = 0; i < segment.columns; ++i) {
    auto filter = read_filter(rows, names, header);
    if (!filter) return filter.error();
    segment.filters.push_back(*filter);
  }
  if (names.remaining() != 0)
    return malformed(
        message("segment ", number, ": bytes are left behind the names of its filters"));
  return ok();
}

}  // namespace

Status check_filter_name(std::string_view name) {
  if (name.empty()) return invalid_argument("the name of a filter is empty");
  if (name.size() > kLongestFilterName)
    return invalid_argument(message("the name of a filter has ", name.size(), " bytes; at most ",
                                    kLongestFilterName, " are kept"));
  if (name.find_first_of(std::string_view{"\n\0", 2}) != std::string_view::npos)
    return invalid_argument("the name of a filter holds a line end or a NUL byte");
  return ok();
}

void IndexSegment::mark_deleted(std::uint64_t column) {
  deleted[static_cast<std::size_t>(column / 8)] |= std::byte{0x80} >> (column % 8);
  ++deleted_columns;
}

std::uint64_t IndexDirectory::columns() const {
  std::uint64_t sum = 0;
  for (const IndexSegment& segment : segments) sum += segment.columns;
  return sum;
}

std::uint64_t IndexDirectory::live_bytes() const {
  std::uint64_t sum = kIndexHeaderBytes + header.directory_bytes;
  std::uint64_t from = kIndexHeaderBytes;
  for (const IndexSegment& segment : segments) {
    const std::uint64_t gap = segment.offset - from;
    if (gap < kIndexPage) sum += gap;  // it aligns the rows
    from = segment.end(header.rows());
    sum += from - segment.offset;
  }
  return sum;
}

Result<IndexDirectory> decode_index_directory(ByteView file, DecodeLimits limits) {
  auto header = decode_index_header(file);
  if (!header) return header.error();
  if (header->file_bytes > file.size())
    return Error{ErrorCode::kTruncated, message("the index has ", header->file_bytes,
                                                " bytes, and the file has ", file.size())};
  if (header->directory_offset < kIndexHeaderBytes ||
      header->directory_offset > header->file_bytes ||
      header->directory_bytes != header->file_bytes - header->directory_offset)
    return malformed("the directory does not lie at the end of the index");
  const ByteView bytes = file.subspan(static_cast<std::size_t>(header->directory_offset),
                                      static_cast<std::size_t>(header->directory_bytes));
  if (xxh3_64(bytes) != header->directory_checksum)
    return malformed("the checksum of the directory does not match: the file was damaged");
  ByteReader reader{bytes};
  const auto count = reader.le<std::uint64_t>();
  if (reader.failed() || count > reader.remaining() / kSegmentBytes)
    return malformed("the directory is shorter than its number of segments");
  IndexDirectory directory{*header, {}};
  directory.segments.resize(static_cast<std::size_t>(count));
  std::uint64_t from = kIndexHeaderBytes;
  std::uint64_t tables = 0;
  std::uint64_t live = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    IndexSegment& segment = directory.segments[static_cast<std::size_t>(i)];
    segment.offset = reader.le<std::uint64_t>();
    segment.columns = reader.le<std::uint64_t>();
    segment.sums_checksum = reader.le<std::uint64_t>();
    segment.names_bytes = reader.le<std::uint64_t>();
    segment.names_checksum = reader.le<std::uint64_t>();
    segment.deleted_columns = reader.le<std::uint64_t>();
    if (auto valid = check_place(segment, i, from, *header); !valid) return valid.error();
    from = segment.end(header->rows());
    tables += segment.names_bytes;
    live += segment.live_columns();
  }
  if (tables > limits.max_bytes)
    return Error{ErrorCode::kTooLarge, message("the names of the filters have ", tables,
                                               " bytes, and the limit is ", limits.max_bytes)};
  if (live != header->filters)
    return malformed("the number of filters in the header is not that of the directory");
  for (std::uint64_t i = 0; i < count; ++i) {
    IndexSegment& segment = directory.segments[static_cast<std::size_t>(i)];
    if (auto valid = read_deleted(segment, i, reader); !valid) return valid.error();
    const ByteView table =
        file.subspan(static_cast<std::size_t>(segment.names_offset(header->rows())),
                     static_cast<std::size_t>(segment.names_bytes));
    if (auto valid = read_filters(segment, i, table, *header); !valid) return valid.error();
  }
  if (reader.remaining() != 0) return malformed("bytes are left at the end of the directory");
  return directory;
}

Status verify_rows(ByteView file, const IndexSegment& segment, std::size_t number,
                   std::uint64_t rows) {
  const ByteView sums = file.subspan(static_cast<std::size_t>(segment.sums_offset(rows)),
                                     static_cast<std::size_t>(8 * segment.pieces(rows)));
  if (xxh3_64(sums) != segment.sums_checksum)
    return malformed(message("segment ", number, ": its table of checksums was damaged"));
  for (std::uint64_t piece = 0; piece < segment.pieces(rows); ++piece) {
    const std::uint64_t from = piece * kIndexPieceBytes;
    const std::uint64_t bytes = std::min(kIndexPieceBytes, segment.rows_bytes(rows) - from);
    const std::uint64_t at = segment.offset + from;
    const ByteView part =
        file.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
    if (xxh3_64(part) == load_le<std::uint64_t>(sums.data() + 8 * piece)) continue;
    return malformed(message("segment ", number, ": the bytes ", at, " to ", at + bytes - 1,
                             " do not match their checksum: rows were damaged; build the index ",
                             "again from its filters"));
  }
  return ok();
}

std::vector<std::byte> encode_index_directory(const std::vector<IndexSegment>& segments) {
  ByteWriter out;
  out.le(std::uint64_t{segments.size()});
  for (const IndexSegment& segment : segments)
    for (const std::uint64_t word :
         {segment.offset, segment.columns, segment.sums_checksum, segment.names_bytes,
          segment.names_checksum, segment.deleted_columns})
      out.le(word);
  for (const IndexSegment& segment : segments) out.put(segment.deleted);
  return out.take();
}

std::vector<std::byte> encode_filter_table(const std::vector<IndexedFilter>& filters) {
  ByteWriter out;
  for (const IndexedFilter& filter : filters) {
    out.le(filter.ones);
    out.le(filter.rate);
    out.le(filter.provenance.keys_inserted.value_or(kNativeCountUnknown));
    out.le(filter.provenance.goal ? filter.provenance.goal->keys : 0);
    out.le(filter.provenance.goal ? filter.provenance.goal->false_positive_rate : 0.0);
    out.le(static_cast<std::uint32_t>(filter.name.size()));
    out.le(std::uint32_t{0});
  }
  for (const IndexedFilter& filter : filters) out.put(bytes_of(filter.name));
  return out.take();
}

}  // namespace bloomery
