#include "bloomery/filter/classic/bit_array.h"

#include <cassert>
#include <cstring>

namespace bloomery {

void clear_bits(ByteSpan bits) {
  if (!bits.empty()) std::memset(bits.data(), 0, bits.size());
}

void or_bits(ByteSpan into, ByteView from) {
  assert(into.size() == from.size());
  for (std::size_t i = 0; i < into.size(); ++i) into[i] |= from[i];
}

void and_bits(ByteSpan into, ByteView from) {
  assert(into.size() == from.size());
  for (std::size_t i = 0; i < into.size(); ++i) into[i] &= from[i];
}

bool bits_subset(ByteView part, ByteView whole) {
  assert(part.size() == whole.size());
  for (std::size_t i = 0; i < part.size(); ++i)
    if ((part[i] & ~whole[i]) != std::byte{0}) return false;
  return true;
}

}  // namespace bloomery
