// A piece of the input with whole records in it, which travels from reading through deciding to
// printing. Records are not copied: they are printed from the memory they were read into.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/records/keys.h"
#include "apps/input/column_records.h"
#include "apps/input/records.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::cli {

// Memory that is not zeroed before it is read into, and grows only for a record that is longer.
class ChunkBuffer {
 public:
  std::byte* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  void resize(std::size_t size, std::size_t kept);  // the first `kept` bytes stay

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

struct Chunk {
  ChunkBuffer buffer;
  std::vector<ByteView> records;   // without their delimiters; each has its delimiter after it
  std::span<const ByteView> keys;  // one for each record
  std::span<const std::uint8_t> has_key = {};  // 0 for a record without one; empty: all have theirs
  std::uint64_t offset = 0;                    // of the first byte, counted over all files
  std::uint64_t first_index = 0;               // of the first record, counted over all files from 0
  std::optional<KeyReader> key_reader = {};
  std::vector<std::uint64_t> fingerprints = {};
  std::vector<std::uint8_t> is_new = {};  // one answer for each record
  // The error of the record behind the last one here; reported once these passed all stages.
  std::optional<Error> failed = {};
  // Of CSV: the columns of its file, what is printed before all rows, where the chunk begins in its
  // file, and the malformed rows that were left out or kept, as sentences.
  std::shared_ptr<const CsvColumns> columns = {};
  std::shared_ptr<const CsvPreamble> preamble = {};
  std::uint64_t bytes_in_file = 0;
  std::uint64_t lines_in_file = 0;
  std::vector<std::string> malformed = {};       // the first of them
  std::uint64_t malformed_unnamed = 0;           // the rest
  std::vector<ByteView> present_keys = {};       // the memory of `keys` where rows were left out
  std::vector<std::uint32_t> present_rows = {};  // and which of all rows are here; else empty
  // Where records without a key were left out: which of all are here, and how many are not.
  std::vector<std::size_t> places = {};
  std::size_t skipped = 0;
  std::string file = {};             // for messages
  std::uint64_t number_in_file = 0;  // of the first record, from 0
  // Of the keys to insert, by the range of blocks they fall into: see KeyRanges.
  struct Inserts {
    std::vector<std::uint32_t> records;  // which of the chunk's
    std::vector<ByteView> keys;
    std::vector<Hash128> digests;
    std::vector<std::size_t> range_ends;  // a place in the digests for each range
    std::vector<std::uint8_t> answers;
    std::vector<Hash128> unsorted_digests;
    std::vector<std::uint32_t> unsorted_records;
    std::vector<std::uint8_t> ranges;  // of the unsorted
  };
  Inserts inserts = {};
  ByteView output = {};                // what is printed of it
  std::vector<std::byte> marked = {};  // the memory of that with --mark
  std::vector<std::byte> dupes = {};   // what --dupes takes

  // False for a record that --missing skip lets pass.
  bool has_key_at(std::size_t record) const { return has_key.empty() || has_key[record] != 0; }
  // Of a record, counted over all files from 0.
  std::uint64_t index_of(std::size_t record) const {
    return first_index + (present_rows.empty() ? record : present_rows[record]);
  }
  // Of a record, counted in bytes over all files.
  std::uint64_t place_of(std::size_t record) {
    return offset + static_cast<std::uint64_t>(records[record].data() - buffer.data());
  }
};

// Up to into.size() bytes, as soon as there are any; 0 at the end.
using ReadBytes = std::function<Result<std::size_t>(ByteSpan into)>;

// Chunks of one file. The last record gets the delimiter that it may lack.
class ChunkReader {
 public:
  // Fits into the second-level cache, with its keys, and is worth a system call.
  static constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

  ChunkReader(ReadBytes read, const input::RecordEnds& ends, std::size_t chunk_bytes = kChunkBytes)
      : read_{std::move(read)}, delimiter_{ends.delimiter}, chunk_bytes_{chunk_bytes} {
    if (ends.csv) csv_.emplace(Csv{*ends.csv, input::RowSplitter{*ends.csv}});
  }

  // Fills buffer and records with one read where that brings a whole record: a pipe is not waited
  // for longer. False at the end.
  Result<bool> next(Chunk& chunk);
  // Of the file, in the chunks so far.
  std::uint64_t bytes_handed_out() const { return handed_out_; }
  std::uint64_t lines_handed_out() const { return lines_; }  // of CSV only

 private:
  struct Csv {
    input::CsvDialect dialect;
    input::RowSplitter splitter;
    bool has_returns = false;  // rows end in CR LF: the first one did
    bool is_first = true;
  };
  // As split_records.
  std::size_t split(ByteView bytes, std::size_t searched, std::vector<ByteView>& records);
  bool end(Chunk& chunk, std::size_t size);

  ReadBytes read_;
  std::byte delimiter_;
  std::size_t chunk_bytes_;
  std::optional<Csv> csv_ = {};
  std::vector<std::byte> unfinished_ = {};  // the record whose end was not in the chunk before
  std::uint64_t handed_out_ = 0;
  std::uint64_t lines_ = 0;
  bool at_end_ = false;
};

// Chunks of the values of a column of a Parquet file. Values may hold the delimiter: they are
// copied, and never split.
class ColumnChunkReader {
 public:
  ColumnChunkReader(std::shared_ptr<input::ColumnRecords> column, std::byte delimiter)
      : column_{std::move(column)}, delimiter_{delimiter} {}

  // Fills buffer and records, each with its delimiter behind it; false at the end.
  Result<bool> next(Chunk& chunk);
  std::uint64_t bytes_handed_out() const { return handed_out_; }

 private:
  std::shared_ptr<input::ColumnRecords> column_;
  std::byte delimiter_;
  std::uint64_t handed_out_ = 0;
};

}  // namespace bloomery::cli
