// The last few bytes of a key as a little-endian number, without a loop and without reading past
// them.
#pragma once
#include <cassert>

#include "bloomery/base/endian.h"

namespace bloomery::internal {

// Missing high bytes are zero. Precondition: size < 8, and that many bytes lie at the pointer.
inline std::uint64_t load_le_partial(const std::byte* from, std::size_t size) noexcept {
  assert(size < 8);
  // Loads overlap where the size is odd; the bytes they share are equal, so OR joins them.
  if (size >= 4) {
    const std::uint64_t first = load_le<std::uint32_t>(from);
    const std::uint64_t last = load_le<std::uint32_t>(from + size - 4);
    return first | (last << (8 * (size - 4)));
  }
  if (size == 0) return 0;
  const auto byte_at = [from](std::size_t i) {
    return std::to_integer<std::uint64_t>(from[i]) << (8 * i);
  };
  return byte_at(0) | byte_at(size / 2) | byte_at(size - 1);
}

}  // namespace bloomery::internal
