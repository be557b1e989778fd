// Our own layout: blocks of one cache line, eight sectors of 64 bits. A key sets one bit in each of
// k sectors of one block. These functions are the definition; whatever is faster computes the same
// bits.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace bloomery::block {

inline constexpr std::size_t kBlockBytes = 64;
inline constexpr std::uint64_t kBlockBits = 512;
inline constexpr std::uint32_t kSectors = 8;
inline constexpr std::uint32_t kSectorBits = 64;
inline constexpr std::uint32_t kFewestProbes = 4;
inline constexpr std::uint32_t kMostProbes = 8;

// A key's hash is two independent words: `place` chooses the block and the pattern of sectors,
// `bits` the bit in each sector. They must not share bits.
__extension__ using Product = unsigned __int128;

// Scaled, not reduced: f neighbouring blocks OR-ed together are the filter of blocks / f.
constexpr std::uint64_t block_of(std::uint64_t place, std::uint64_t blocks) {
  return static_cast<std::uint64_t>((Product{place} * blocks) >> 64);
}

// The sixteen patterns are the eight turns of two spreads: within 0.3 % of choosing among all
// subsets.
inline constexpr std::uint32_t kPatterns = 16;
// Not the low bits, which a multiplication leaves constant on keys like i << 40.
inline constexpr std::uint32_t kPatternShift = 20;

// Bit i set: sector i is used.
constexpr std::uint8_t pattern(std::uint32_t number, std::uint32_t probes) {
  constexpr std::uint8_t kSpread[kMostProbes - kFewestProbes + 1][2] = {
      {0x0f, 0x4b}, {0x1f, 0x5b}, {0x3f, 0x77}, {0x7f, 0xdf}, {0xff, 0xff}};
  return std::rotl(kSpread[probes - kFewestProbes][number / 8], static_cast<int>(number % 8));
}
constexpr std::uint32_t pattern_number(std::uint64_t place) {
  return static_cast<std::uint32_t>(place >> kPatternShift) % kPatterns;
}
constexpr std::uint8_t sectors_of(std::uint64_t place, std::uint32_t probes) {
  return pattern(pattern_number(place), probes);
}

// Where in `bits` a sector finds its six bits. A plain block uses window set 0; the blocks of a
// seeded filter each have the set that left them emptiest, its number in one byte per block.
inline constexpr std::uint32_t kWindowSets = 32;
using WindowSet = std::array<std::uint8_t, kSectors>;
inline constexpr std::array<WindowSet, kWindowSets> kWindows = {{
    {0, 8, 16, 24, 32, 40, 48, 56},  {47, 8, 16, 1, 55, 23, 31, 38},
    {52, 12, 19, 45, 39, 28, 6, 62}, {47, 30, 55, 38, 17, 1, 7, 24},
    {19, 5, 47, 55, 13, 37, 62, 28}, {18, 32, 26, 49, 11, 3, 59, 42},
    {0, 14, 30, 21, 55, 46, 6, 38},  {19, 51, 42, 10, 34, 27, 3, 59},
    {0, 9, 55, 49, 34, 27, 18, 42},  {61, 6, 47, 30, 39, 15, 55, 23},
    {63, 48, 18, 39, 9, 55, 32, 25}, {56, 33, 13, 40, 63, 47, 6, 20},
    {51, 29, 43, 59, 19, 35, 11, 1}, {25, 52, 4, 39, 45, 14, 32, 59},
    {50, 28, 21, 1, 58, 11, 35, 42}, {2, 10, 42, 17, 34, 51, 25, 60},
    {3, 51, 35, 60, 21, 10, 44, 28}, {3, 42, 10, 17, 25, 50, 33, 58},
    {11, 4, 61, 34, 42, 19, 26, 50}, {0, 16, 43, 51, 25, 36, 58, 8},
    {5, 32, 24, 54, 61, 40, 48, 14}, {61, 54, 22, 36, 13, 6, 45, 30},
    {57, 25, 17, 32, 1, 8, 49, 42},  {61, 3, 43, 37, 10, 21, 31, 50},
    {55, 36, 6, 45, 13, 28, 63, 21}, {20, 36, 56, 27, 10, 3, 43, 50},
    {40, 56, 8, 48, 33, 0, 24, 16},  {51, 29, 37, 44, 16, 58, 1, 9},
    {16, 54, 8, 48, 32, 40, 63, 22}, {54, 20, 6, 28, 43, 60, 12, 35},
    {49, 23, 1, 7, 56, 40, 15, 33},  {39, 0, 8, 47, 15, 29, 22, 54},
}};

// The bit of a sector, as a mask. Precondition: seed < kWindowSets.
constexpr std::uint64_t bit_of(std::uint64_t bits, std::uint32_t sector, std::uint32_t seed = 0) {
  const int window = kWindows[seed][sector];
  return std::uint64_t{1} << (std::rotr(bits, window) % kSectorBits);
}

// All that one key sets in its block: a word for each sector, zero where it is not used.
using BlockMask = std::array<std::uint64_t, kSectors>;
constexpr BlockMask mask_of(std::uint64_t place, std::uint64_t bits, std::uint32_t probes,
                            std::uint32_t seed = 0) {
  const std::uint32_t used = sectors_of(place, probes);
  BlockMask mask{};
  for (std::uint32_t i = 0; i < kSectors; ++i)
    if ((used >> i & 1) != 0) mask[i] = bit_of(bits, i, seed);
  return mask;
}

}  // namespace bloomery::block
