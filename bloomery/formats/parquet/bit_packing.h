// Numbers of a few bits each, packed low bits first, as Parquet's encodings have them.
#pragma once
#include "bloomery/base/endian.h"

namespace bloomery::internal {

// The number at this place. Precondition: width is 1 to 64, and the bytes reach over it.
inline std::uint64_t packed_at(ByteView bytes, std::size_t index, unsigned width) {
  const std::size_t bit = index * width;
  const std::size_t first = bit / 8;
  const auto shift = static_cast<unsigned>(bit % 8);
  std::uint64_t word = 0;
  if (bytes.size() - first >= sizeof word) {
    word = load_le<std::uint64_t>(bytes.data() + first);
  } else {
    for (std::size_t i = 0; i < bytes.size() - first; ++i)
      word |= std::to_integer<std::uint64_t>(bytes[first + i]) << (8 * i);
  }
  std::uint64_t value = word >> shift;
  if (shift + width > 64) value |= std::to_integer<std::uint64_t>(bytes[first + 8]) << (64 - shift);
  return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

}  // namespace bloomery::internal
