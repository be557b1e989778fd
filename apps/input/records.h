// Records of an input, one after the other: any byte, any length, the last one with or without its
// delimiter.
#pragma once
#include <vector>

#include "apps/input/input.h"

namespace bloomery::input {

class RecordReader {
 public:
  // Few enough to stay in cache, enough to be worth dividing among threads.
  static constexpr std::size_t kBatchRecords = 16384;

  // Precondition: the input outlives the reader.
  RecordReader(Input& input, std::byte delimiter) : input_{&input}, delimiter_{delimiter} {}

  // The next records, at most kBatchRecords, without their delimiters; none at the end. They stay
  // valid until the next call. On a pipe it returns what has arrived rather than wait for a full
  // batch. Errors name the input and the record that could not be read to its end.
  Result<std::span<const ByteView>> next();

 private:
  bool take_whole_records();  // false if not one is whole
  Status fill();

  Input* input_;
  std::byte delimiter_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;     // of the bytes not yet handed out
  std::size_t searched_ = 0;  // up to here there is no delimiter
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t handed_out_ = 0;  // records
  std::vector<ByteView> records_;
};

}  // namespace bloomery::input
