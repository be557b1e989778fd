// Records of an input, one after the other: any byte, any length, the last one with or without its
// delimiter.
#pragma once
#include <optional>
#include <vector>

#include "apps/input/csv_rows.h"
#include "apps/input/input.h"

namespace bloomery::input {

// How records end: in a byte, or as rows of CSV.
struct RecordEnds {
  RecordEnds(std::byte last = std::byte{'\n'}) : delimiter{last} {}  // NOLINT: a byte is one way
  RecordEnds(CsvDialect dialect, bool header) : csv{dialect}, has_header{header} {}

  std::byte delimiter{'\n'};
  std::optional<CsvDialect> csv = {};
  bool has_header = false;  // the first row is none of the records
};

std::uint64_t lines_in(ByteView bytes);  // how many line feeds

// Counts the records of one file, which comes in pieces.
class RecordCounter {
 public:
  explicit RecordCounter(const RecordEnds& ends)
      : delimiter_{ends.delimiter}, has_header_{ends.has_header} {
    if (ends.csv) rows_.emplace(*ends.csv);
  }
  void add(ByteView bytes);
  // Of all pieces so far; the last one may lack its delimiter.
  std::uint64_t records() const;
  // The records that have ended; of CSV, with the header.
  std::uint64_t ended() const { return rows_ ? rows_->ended() : delimiters_; }

 private:
  std::byte delimiter_;
  bool has_header_;
  std::optional<RowCounter> rows_ = {};
  std::uint64_t delimiters_ = 0;
  bool ends_in_record_ = false;
};

class RecordReader {
 public:
  // Few enough to stay in cache, enough to be worth dividing among threads.
  static constexpr std::size_t kBatchRecords = 16384;

  // Precondition: the input outlives the reader. A header is handed out as the first record.
  RecordReader(Input& input, const RecordEnds& ends) : input_{&input}, delimiter_{ends.delimiter} {
    if (ends.csv) csv_.emplace(Csv{*ends.csv, RowSplitter{*ends.csv}});
  }

  // The next records, at most kBatchRecords, without their delimiters; none at the end. They stay
  // valid until the next call. On a pipe it returns what has arrived rather than wait for a full
  // batch. Errors name the input and the record that could not be read to its end.
  Result<std::span<const ByteView>> next();
  // Of a place in the records of the last call: bytes of the file before it.
  std::uint64_t bytes_before(const std::byte* place) const {
    return bytes_before_ + static_cast<std::uint64_t>(place - (buffer_.data() + batch_begin_));
  }
  // And lines before it. Precondition: the records are rows of CSV.
  std::uint64_t lines_before(const std::byte* place) const;

 private:
  struct Csv {
    CsvDialect dialect;
    RowSplitter splitter;
  };
  bool take_whole_records();  // false if not one is whole
  void take_rows();
  void take_last();
  void leave_batch();
  Status fill();

  Input* input_;
  std::byte delimiter_;
  std::optional<Csv> csv_ = {};
  std::vector<std::byte> buffer_ = {};
  std::size_t begin_ = 0;     // of the bytes not yet handed out
  std::size_t searched_ = 0;  // up to here there is no delimiter
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t handed_out_ = 0;  // records
  std::size_t batch_begin_ = 0;   // of the last call's records
  std::uint64_t bytes_before_ = 0;
  std::uint64_t lines_before_ = 0;
  std::vector<ByteView> records_ = {};
};

}  // namespace bloomery::input
