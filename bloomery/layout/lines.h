// Several cache lines per key, for rates below what one block can give: a key sets eight bits in
// each of two to four blocks of one table. Which blocks and bits those are is defined here.
#pragma once
#include "bloomery/layout/block.h"

namespace bloomery::block {

inline constexpr std::uint32_t kFewestLines = 2;
inline constexpr std::uint32_t kMostLines = 4;

// The probes of a key say how many lines it uses: 4 to 8 are one line, 16, 24 and 32 are two, three
// and four lines with a bit in each sector.
constexpr std::uint32_t lines_of(std::uint32_t probes) {
  return probes <= kMostProbes ? 1 : probes / kMostProbes;
}
constexpr std::uint32_t probes_in_line(std::uint32_t probes) {
  return probes <= kMostProbes ? probes : kMostProbes;
}
constexpr bool are_lines(std::uint32_t probes) {
  return probes % kMostProbes == 0 && probes >= kFewestLines * kMostProbes &&
         probes <= kMostLines * kMostProbes;
}

// The two words of a key in one of its lines, as block.h reads them. Those of the first line are
// the key's hash.
struct LineWords {
  std::uint64_t place;
  std::uint64_t bits;
  friend bool operator==(const LineWords&, const LineWords&) = default;
};

inline constexpr std::uint64_t kLinePlace = 0xe6aa8c09f645ba2d;
inline constexpr std::uint64_t kLineBits = 0xd70ae99618686d57;
inline constexpr std::uint64_t kLineStart = 0xd4734ce9e9cf5005;

constexpr std::uint64_t folded_product(std::uint64_t word, std::uint64_t factor) {
  const std::uint64_t product = word * factor;
  return product ^ product >> 32;
}
// The next line of a key. Each word takes the other one and its own upper half, so that a place
// does not repeat the block before it and no two pairs of words meet: the step can be inverted.
// Folding the products makes their low bits, which choose bits in sectors, as good as their high.
constexpr LineWords next_line(LineWords line) {
  return {folded_product(line.bits ^ line.place >> 32 ^ kLineStart, kLinePlace),
          folded_product(line.place ^ line.bits >> 32 ^ kLineStart, kLineBits)};
}

}  // namespace bloomery::block
