// A hash of each block of an input, taken when it was first read. A second read of a block finds
// out whether it is still the same, independently of the times of the file.
#pragma once
#include <cstdint>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::cli {

class BlockSums {
 public:
  // Small enough to be read for the sake of one record; the sums are a two-thousandth of the input.
  static constexpr std::size_t kBlockBytes = std::size_t{16} << 10;

  explicit BlockSums(std::uint64_t input_bytes)
      : sums_(static_cast<std::size_t>((input_bytes + kBlockBytes - 1) / kBlockBytes), 0) {}

  // Blocks as they are read now, from a place that is a multiple of kBlockBytes; only the last of
  // the input may be short. Each is remembered the first time and compared from then on. False: one
  // of them is not what it was. Blocks that were read before may be compared by many threads.
  bool agree(std::uint64_t place, ByteView blocks);

 private:
  std::vector<std::uint64_t> sums_;  // 0: not yet read
};

}  // namespace bloomery::cli
