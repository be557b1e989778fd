// Parquet's DELTA_BINARY_PACKED: integers by their differences, in blocks of packed numbers.
#pragma once
#include <span>

#include "bloomery/base/byte_reader.h"

namespace bloomery {

class DeltaDecoder {
 public:
  DeltaDecoder() : reader_{{}} {}
  // Reads the header; fails where it says more numbers than max_count. The bytes may go on behind
  // the last number. Precondition: the bytes outlive it.
  static Result<DeltaDecoder> open(ByteView bytes, std::uint64_t max_count);

  std::uint64_t left() const { return left_; }
  // False where the numbers or the bytes end before. Sums wrap, as writers of 32-bit columns need.
  bool read(std::span<std::int64_t> into);
  // The bytes behind the last number, for what follows them. Precondition: nothing was read yet.
  Result<ByteView> behind() const;

 private:
  explicit DeltaDecoder(ByteView bytes) : reader_{bytes} {}
  bool next_block();
  bool next_part();

  ByteReader reader_;
  std::uint64_t part_values_ = 0;  // in each part ("miniblock") of a block
  std::uint64_t parts_ = 0;
  std::uint64_t left_ = 0;  // numbers not yet read, the first included
  bool is_first_ = true;
  std::uint64_t last_ = 0;
  std::uint64_t least_ = 0;  // difference in this block
  ByteView widths_ = {};     // of the parts
  std::size_t next_part_ = 0;
  ByteView part_ = {};
  unsigned width_ = 0;
  std::uint64_t part_left_ = 0;
};

}  // namespace bloomery
