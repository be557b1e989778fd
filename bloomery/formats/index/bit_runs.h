// Runs of bits moved between rows whose first bit is the highest of the first byte. Not for users.
#pragma once
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::internal {

struct BitRun {
  std::uint64_t first;
  std::uint64_t count;
};

// Writes bits [from_bit, from_bit + count) of `from` to `to`, from to_bit on, where zeros are.
// Reads and writes no byte beyond those that hold the bits.
void copy_bits(const std::byte* from, std::uint64_t from_bit, std::byte* to, std::uint64_t to_bit,
               std::uint64_t count);

// The runs of zeros among the first `count` bits.
std::vector<BitRun> runs_of_zeros(ByteView bits, std::uint64_t count);

}  // namespace bloomery::internal
