// The layout of layout/block.h as kernels compute it: which block, which bits, and an item of eight
// bytes that holds both. Compiles for the device and for the CPU.
#pragma once
#include "bloomery/gpu/cuda/words.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::gpu::cuda {

// Scaled as block::block_of, exact for fewer than 2^32 blocks, in 64-bit arithmetic.
BLOOMERY_BOTH u32 block_of(u64 place, u32 blocks) {
  const u64 low = u64{static_cast<u32>(place)} * blocks >> 32;
  return static_cast<u32>(((place >> 32) * blocks + low) >> 32);
}

// The two spreads of sectors of a number of probes, for kernels that are not compiled for eight.
struct Spreads {
  u32 probes;
  u32 unused[2];  // bit i set: sector i is not used before the turn
  u32 used[2];    // nibble j: the j-th used sector before the turn
};
constexpr Spreads spreads_of(u32 probes) {
  Spreads spreads{probes, {}, {}};
  for (u32 i = 0; i < 2; ++i) {
    const u32 used = block::pattern(i * 8, probes);
    spreads.unused[i] = 0xff ^ used;
    for (u32 sector = 0, at = 0; sector < block::kSectors; ++sector)
      if ((used >> sector & 1) != 0) spreads.used[i] |= sector << 4 * at++;
  }
  return spreads;
}

// Bit i set: a key with this pattern does not use sector i.
BLOOMERY_BOTH u32 unused_sectors(const Spreads& spreads, u32 pattern) {
  const u32 spread = (pattern & 8) != 0 ? spreads.unused[1] : spreads.unused[0];
  return (spread * 0x101 >> (8 - (pattern & 7))) & 0xff;
}
// The j-th sector that a key with this pattern uses.
BLOOMERY_BOTH u32 used_sector(const Spreads& spreads, u32 j, u32 pattern) {
  const u32 used = (pattern & 8) != 0 ? spreads.used[1] : spreads.used[0];
  return ((used >> 4 * j) + pattern) & 7;
}

BLOOMERY_BOTH u32 pattern_of(u64 place) {
  return static_cast<u32>(place >> block::kPatternShift) & (block::kPatterns - 1);
}

// Bits 0 to 3 as bit 6 of four bytes.
BLOOMERY_BOTH u32 flags_of(u32 four) { return (four * 0x00204081u & 0x01010101u) << 6; }

BLOOMERY_BOTH Marks without_unused(Marks marks, const Spreads& spreads, u32 pattern) {
  const u32 unused = unused_sectors(spreads, pattern);
  return {marks.low | flags_of(unused & 15), marks.high | flags_of(unused >> 4)};
}

// kEight: eight probes, so that every sector is used.
template <bool kEight>
BLOOMERY_BOTH Marks marks_of(const Hash128& hash, const Spreads& spreads) {
  const Marks marks{static_cast<u32>(hash.high) & 0x3f3f3f3fu,
                    static_cast<u32>(hash.high >> 32) & 0x3f3f3f3fu};
  return kEight ? marks : without_unused(marks, spreads, pattern_of(hash.low));
}
BLOOMERY_BOTH u32 mark_of(const Marks& marks, u32 sector) {
  return (sector < 4 ? marks.low : marks.high) >> (sector & 3) * 8 & 0xff;
}

// An item: `bits` with 16 bits more in the two spare bits of each byte. Twelve are the block within
// a chunk, four the pattern.
inline constexpr u32 kMostChunkBlocks = 4096;

BLOOMERY_BOTH u32 spread_eight(u32 bits) {  // to the top two bits of four bytes
  bits = (bits | bits << 12) & 0x000f000fu;
  return ((bits | bits << 6) & 0x03030303u) << 6;
}
BLOOMERY_BOTH u32 gathered_eight(u32 word) { return (word >> 6 & 0x03030303u) * 0x01041040u >> 24; }
BLOOMERY_BOTH u64 item_of(const Hash128& hash, u32 block_in_chunk) {
  const u32 more = block_in_chunk | pattern_of(hash.low) << 12;
  return (hash.high & 0x3f3f3f3f3f3f3f3full) |
         (u64{spread_eight(more >> 8)} << 32 | spread_eight(more & 0xff));
}
struct ItemPlace {
  u32 block_in_chunk, pattern;
};
BLOOMERY_BOTH ItemPlace place_of_item(u64 item) {
  const u32 more =
      gathered_eight(static_cast<u32>(item)) | gathered_eight(static_cast<u32>(item >> 32)) << 8;
  return {more & 0xfff, more >> 12};
}
template <bool kEight>
BLOOMERY_BOTH Marks marks_of_item(u64 item, u32 pattern, const Spreads& spreads) {
  return marks_of<kEight>({u64{pattern} << block::kPatternShift, item}, spreads);
}

// The marks of a block of a seeded filter, whose windows are not those of a plain one.
template <bool kEight>
BLOOMERY_BOTH Marks seeded_marks(const Hash128& hash, const block::WindowSet& windows,
                                 const Spreads& spreads) {
  u32 half[2] = {0, 0};
  for (u32 i = 0; i < block::kSectors; ++i) {
    const u32 shift = windows[i];
    const u64 turned = shift == 0 ? hash.high : hash.high >> shift | hash.high << (64 - shift);
    half[i / 4] |= (static_cast<u32>(turned) & 63) << i % 4 * 8;
  }
  const Marks marks{half[0], half[1]};
  return kEight ? marks : without_unused(marks, spreads, pattern_of(hash.low));
}

}  // namespace bloomery::gpu::cuda
