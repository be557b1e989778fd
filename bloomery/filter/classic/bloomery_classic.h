// Our own dialect: which bits a key sets in a classic filter of this library.
#pragma once
#include "bloomery/filter/key_hash.h"
#include "bloomery/layout/dialect.h"

namespace bloomery {

// Enhanced double hashing (Dillinger and Manolios 2004): the cubic term keeps keys that share a
// step from sharing all probes. Positions are scaled, not reduced, so neighbouring bits fold.
struct BloomeryClassic : KeyHash {
  static constexpr std::string_view kName = "bloomery-classic";
  static constexpr bool kFoldsNeighbours = true;
  using Digest = Hash128;

  std::uint64_t probe(const Digest& digest, std::uint32_t i, const Modulus& bits) const noexcept {
    const std::uint64_t n = i;
    const std::uint64_t number = digest.low + n * (digest.high | 1) + (n * n * n - n) / 6;
    return static_cast<std::uint64_t>((Wide{number} * bits.value()) >> 64);
  }

  // The fewest bits whose rate bound meets the goal, rounded up so that the filter can be folded:
  // at most 1 % more than the best whole number of probes needs, from 1000 keys on.
  static Result<Shape> shape_for(Goal goal);
  friend bool operator==(const BloomeryClassic&, const BloomeryClassic&) = default;
};

}  // namespace bloomery
