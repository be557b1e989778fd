// A part of a block filter: one of N ranges of its blocks. block_of is monotone in a key's place,
// so a part holds all keys whose place lies in one range, and the parts of a filter, one after the
// other, are the filter.
#pragma once
#include "bloomery/layout/block_sizing.h"

namespace bloomery {

struct Part {
  std::uint32_t index = 0;  // counted from 0
  std::uint32_t parts = 1;
  friend bool operator==(const Part&, const Part&) = default;
};

// No more parts than this: 10^13 keys in parts of 76 MB are 163,000.
inline constexpr std::uint32_t kMaxParts = std::uint32_t{1} << 20;

// Blocks of the whole filter.
struct PartRange {
  std::uint64_t first;
  std::uint64_t end;

  constexpr std::uint64_t size() const { return end - first; }
  constexpr bool holds(std::uint64_t block) const { return block - first < end - first; }
  friend bool operator==(const PartRange&, const PartRange&) = default;
};

// The first block of a part is floor(index * blocks / parts), without overflow.
// Precondition of both: parts >= 1, index < parts.
constexpr std::uint64_t first_block_of(Part part, std::uint64_t blocks) {
  return static_cast<std::uint64_t>(block::Product{blocks} * part.index / part.parts);
}
constexpr PartRange blocks_of(Part part, std::uint64_t blocks) {
  return {first_block_of(part, blocks), first_block_of({part.index + 1, part.parts}, blocks)};
}

// The part that holds a block: the inverse of blocks_of. Precondition: block < blocks, parts >= 1.
constexpr std::uint32_t part_of_block(std::uint64_t block, std::uint64_t blocks,
                                      std::uint32_t parts) {
  return static_cast<std::uint32_t>(((block::Product{block} + 1) * parts - 1) / blocks);
}

// The bytes of a part: its blocks, then, if seeded, their seeds. Precondition: checked(part).
constexpr std::uint64_t part_bytes(BlockShape shape, Part part) {
  return blocks_of(part, shape.blocks).size() * (block::kBlockBytes + (shape.seeded ? 1 : 0));
}

// kInvalidArgument unless index < parts, parts <= kMaxParts and every part has a block.
Result<Part> checked(Part part, std::uint64_t blocks);

}  // namespace bloomery
