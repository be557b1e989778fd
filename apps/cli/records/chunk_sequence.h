// The chunks of several files, one file after the other, with their keys.
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "apps/cli/records/chunk.h"
#include "apps/cli/records/inputs.h"
#include "apps/cli/records/record_messages.h"
#include "apps/cli/shell/progress.h"

namespace bloomery::cli {

struct OpenedFile {
  std::string name;  // for messages
  ReadBytes read;
  std::function<std::uint64_t()> consumed;  // bytes as they lie on disk, for the progress bar
  // Of a file that is not read from its start: what lies before the first byte that is read.
  std::uint64_t records_before = 0;
  std::uint64_t bytes_before = 0;
  std::shared_ptr<ColumnRecords> column = {};  // instead of read: records that are not split
};
using OpenFile = std::function<Result<OpenedFile>()>;

// To be opened in this order, each once.
std::vector<OpenFile> files_to_open(const std::vector<InputFile>& inputs);

// A place between two records.
struct InputPosition {
  std::uint64_t file = 0;     // how many files come before
  std::uint64_t bytes = 0;    // of this file, decompressed
  std::uint64_t records = 0;  // of this file
};
// The inputs from this position on: files before it are not opened, a plain one is sought, a
// compressed one is decompressed up to it.
std::vector<OpenFile> files_from(const std::vector<InputFile>& inputs, InputPosition position);

class ChunkSequence {
 public:
  struct Keys {
    RecordOptions options;
    ByteOrder order;
  };
  // Precondition: the progress outlives the sequence.
  ChunkSequence(std::vector<OpenFile> files, Keys keys, Progress& progress)
      : files_{std::move(files)},
        keys_{std::move(keys)},
        progress_{&progress},
        reader_{ChunkReader{{}, keys_.options.delimiter}} {
    if (keys_.options.csv) csv_.emplace(*keys_.options.csv);
  }

  // The next records; false at the end. Errors name file and record.
  Result<bool> next(Chunk& chunk);
  // Their keys, by many threads at once. Records behind one without a key are cut off, and
  // chunk.failed says why.
  void read_keys(Chunk& chunk);
  // Both in one, for a stage that runs in input order.
  Result<bool> fill(Chunk& chunk);
  std::uint64_t records() const { return records_; }
  std::uint64_t bytes() const { return bytes_before_; }  // once all is read
  // Of the files as they lie on disk, so far.
  std::uint64_t consumed() const { return consumed_before_ + (file_ ? file_->consumed() : 0); }
  std::uint64_t skipped() const { return skipped_; }  // records without a key
  // Behind the last chunk; `file` counts the files of this sequence.
  InputPosition position() const;
  // Of CSV. Names the malformed rows of a chunk on stderr; in input order.
  void report_malformed(const Chunk& chunk);
  std::uint64_t malformed() const { return malformed_.count(); }
  std::uint64_t left_out() const { return left_out_; }  // of records(): malformed, not printed
  // Once all is read; null where no file has a row.
  std::shared_ptr<const CsvPreamble> preamble() const { return csv_ ? csv_->preamble() : nullptr; }
  // The columns of the file that holds this place, counted in bytes over all files; by any thread.
  std::shared_ptr<const CsvColumns> columns_at(std::uint64_t place) const;

 private:
  Result<bool> open_next();
  Result<bool> read_chunk(Chunk& chunk);
  std::uint64_t bytes_of_file() const;  // so far
  Status look_at_rows(Chunk& chunk);
  std::uint64_t number_in_file() const;
  static std::string malformed_place(Chunk& chunk, std::size_t record, std::size_t offset,
                                     std::string_view sentence);
  static Error failure_in_row(Chunk& chunk, const Error& error);
  void note_malformed(Chunk& chunk);

  std::vector<OpenFile> files_;
  Keys keys_;
  Progress* progress_;
  std::size_t next_file_ = 0;
  std::optional<OpenedFile> file_;
  std::variant<ChunkReader, ColumnChunkReader> reader_;  // of the file
  std::uint64_t records_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::uint64_t records_before_ = 0;  // this file
  std::uint64_t bytes_before_ = 0;
  std::uint64_t consumed_before_ = 0;
  std::optional<CsvFiles> csv_;
  MalformedRows malformed_;
  std::atomic<std::uint64_t> left_out_ = 0;
  struct FileColumns {
    std::uint64_t place;  // of the file
    std::shared_ptr<const CsvColumns> columns;
  };
  mutable std::mutex columns_mutex_;
  std::vector<FileColumns> columns_;  // ascending
};

}  // namespace bloomery::cli
