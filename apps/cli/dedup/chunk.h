// A piece of the input with whole records in it, which travels from reading through deciding to
// printing. Records are not copied: they are printed from the memory they were read into.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "apps/cli/records/keys.h"
#include "bloomery/base/result.h"

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

  // False for a record that --missing skip lets pass.
  bool has_key_at(std::size_t record) const { return has_key.empty() || has_key[record] != 0; }
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

  ChunkReader(ReadBytes read, std::byte delimiter, std::size_t chunk_bytes = kChunkBytes)
      : read_{std::move(read)}, delimiter_{delimiter}, chunk_bytes_{chunk_bytes} {}

  // Fills buffer and records with one read where that brings a whole record: a pipe is not waited
  // for longer. False at the end.
  Result<bool> next(Chunk& chunk);
  // Of the file, in the chunks so far.
  std::uint64_t bytes_handed_out() const { return handed_out_; }

 private:
  bool end(Chunk& chunk, std::size_t size);

  ReadBytes read_;
  std::byte delimiter_;
  std::size_t chunk_bytes_;
  std::vector<std::byte> unfinished_;  // the record whose end was not in the chunk before
  std::uint64_t handed_out_ = 0;
  bool at_end_ = false;
};

}  // namespace bloomery::cli
