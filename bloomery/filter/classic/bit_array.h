// Whole arrays of bits at once: what union, intersection, subset and folding need.
#pragma once
#include <bit>

#include "bloomery/base/endian.h"

namespace bloomery {

void clear_bits(ByteSpan bits);
// Precondition of the next three: equal sizes.
void or_bits(ByteSpan into, ByteView from);
void and_bits(ByteSpan into, ByteView from);
bool bits_subset(ByteView part, ByteView whole);  // no bit of part is missing in whole

// Calls visit(position) for every set bit, in order. Precondition: whole 8-byte words.
template <class Visit>
void for_each_one(ByteView bits, Visit visit) {
  for (std::size_t at = 0; at + 8 <= bits.size(); at += 8)
    for (auto word = load_le<std::uint64_t>(bits.data() + at); word != 0; word &= word - 1)
      visit(std::uint64_t{at} * 8 + static_cast<unsigned>(std::countr_zero(word)));
}

}  // namespace bloomery
