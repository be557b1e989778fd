// The chunks of several files, one file after the other, with their keys.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/dedup/chunk.h"
#include "apps/cli/records/stream.h"
#include "apps/cli/shell/progress.h"

namespace bloomery::cli {

struct OpenedFile {
  std::string name;  // for messages
  ReadBytes read;
  std::function<std::uint64_t()> consumed;  // bytes as they lie on disk, for the progress bar
};
using OpenFile = std::function<Result<OpenedFile>()>;

std::vector<OpenFile> files_to_open(const std::vector<InputFile>& inputs);

class ChunkSequence {
 public:
  struct Keys {
    RecordOptions options;
    ByteOrder order;
  };
  // Precondition: the progress outlives the sequence.
  ChunkSequence(std::vector<OpenFile> files, Keys keys, Progress& progress)
      : files_{std::move(files)}, keys_{std::move(keys)}, progress_{&progress} {}

  // False at the end. Errors name file and record; the records before one without a key come
  // first, as a chunk of their own.
  Result<bool> fill(Chunk& chunk);
  std::uint64_t records() const { return records_; }
  std::uint64_t bytes() const { return bytes_before_; }  // once all is read
  std::uint64_t skipped() const { return skipped_; }     // records without a key

 private:
  Result<bool> open_next();
  void read_keys(Chunk& chunk);

  std::vector<OpenFile> files_;
  Keys keys_;
  Progress* progress_;
  std::size_t next_file_ = 0;
  std::optional<OpenedFile> file_;
  std::optional<ChunkReader> reader_;
  std::optional<Error> failed_;  // behind the chunk that was given last
  std::uint64_t records_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t records_before_ = 0;  // this file
  std::uint64_t bytes_before_ = 0;
  std::uint64_t consumed_before_ = 0;
};

}  // namespace bloomery::cli
