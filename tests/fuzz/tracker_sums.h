// The files and messages of a tracker end in a checksum, which no mutation meets by chance: here it
// is set right, so that what lies before it is reached too.
#pragma once
#include <vector>

#include "bloomery/base/endian.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::fuzz {

inline std::vector<std::byte> with_right_sum(ByteView input) {
  constexpr std::size_t kSumBytes = 8;
  std::vector<std::byte> bytes{input.begin(), input.end()};
  if (bytes.size() >= kSumBytes) {
    const std::size_t summed = bytes.size() - kSumBytes;
    store_le(bytes.data() + summed, xxh3_64(ByteView{bytes}.first(summed)));
  }
  return bytes;
}

}  // namespace bloomery::fuzz
