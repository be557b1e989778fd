// The definition against the words of its description, computed here another way.
#include "bloomery/layout/block.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::block {
namespace {

// The high half of the product of 64-bit numbers, by hand in halves.
constexpr std::uint64_t high_half(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a_low = a & 0xffffffff;
  const std::uint64_t a_high = a >> 32;
  const std::uint64_t b_low = b & 0xffffffff;
  const std::uint64_t b_high = b >> 32;
  const std::uint64_t low = a_low * b_low;
  const std::uint64_t middle = a_high * b_low + (low >> 32);
  const std::uint64_t other = a_low * b_high + (middle & 0xffffffff);
  return a_high * b_high + (middle >> 32) + (other >> 32);
}

// The families of sectors as they were written down: bit i is sector i.
constexpr int kFamilies[9][2] = {
    {}, {}, {}, {}, {0x0f, 0x4b}, {0x1f, 0x5b}, {0x3f, 0x77}, {0x7f, 0xdf}, {0xff, 0xff}};

// Whether a key uses the sector: pattern t turns the family's sectors t % 8 places up.
bool uses_sector(std::uint64_t place, std::uint32_t probes, unsigned sector) {
  const std::uint64_t t = (place / 1048576) & 15;
  const std::uint64_t unturned = (sector + 8 - t % 8) % 8;
  return (kFamilies[probes][t / 8] >> unturned & 1) != 0;
}

// Six bits of the word, from its bit `from` upwards and round.
unsigned six_bits(std::uint64_t word, unsigned from) {
  unsigned value = 0;
  for (unsigned i = 0; i < 6; ++i)
    value += static_cast<unsigned>(word >> ((from + i) % 64) & 1) << i;
  return value;
}

// Bit by bit over all 512: what one key sets.
BlockMask slow_mask(std::uint64_t place, std::uint64_t bits, std::uint32_t probes,
                    std::uint32_t seed) {
  BlockMask mask{};
  for (unsigned bit = 0; bit < 512; ++bit) {
    const unsigned sector = bit / 64;
    if (uses_sector(place, probes, sector) && six_bits(bits, kWindows[seed][sector]) == bit % 64)
      mask[sector] += std::uint64_t{1} << bit % 64;
  }
  return mask;
}

constexpr std::uint64_t kCorners[] = {0,          1,           0xffffffff,  0x100000000,
                                      0x80000000, 1ULL << 63,  ~0ULL,       ~0ULL - 1,
                                      1ULL << 20, 15ULL << 20, 16ULL << 20, 0x5555555555555555};

TEST(Block, NumbersAreTheHighHalfOfTheProduct) {
  std::mt19937_64 random{1};
  for (const std::uint64_t blocks :
       {1ULL, 2ULL, 3ULL, 64ULL, 4097ULL, (1ULL << 26) + 64, (1ULL << 32) - 1, 1ULL << 32,
        (1ULL << 32) + 1, 1ULL << 33, 1ULL << 39}) {
    for (const std::uint64_t place : kCorners)
      EXPECT_EQ(block_of(place, blocks), high_half(place, blocks)) << place << " of " << blocks;
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t place = random();
      ASSERT_EQ(block_of(place, blocks), high_half(place, blocks)) << place << " of " << blocks;
      ASSERT_LT(block_of(place, blocks), blocks);
    }
    EXPECT_EQ(block_of(0, blocks), 0U);
    EXPECT_EQ(block_of(~0ULL, blocks), blocks - 1);
  }
}

TEST(Block, EveryBlockHasAnEqualShareOfThePlaces) {
  for (const std::uint64_t blocks : {3ULL, 64ULL, 1000ULL}) {
    std::vector<std::uint64_t> count(blocks);
    for (std::uint64_t i = 0; i < 1000 * blocks; ++i)  // evenly spread, not random
      ++count[block_of(i * (~0ULL / (1000 * blocks)), blocks)];
    for (const std::uint64_t one : count) EXPECT_NEAR(static_cast<double>(one), 1000, 1);
  }
}

TEST(Block, PatternsAreTheTurnsOfTwoFamilies) {
  for (std::uint32_t probes = kFewestProbes; probes <= kMostProbes; ++probes)
    for (std::uint64_t number = 0; number < 64; ++number) {  // only the lowest four bits count
      const std::uint64_t place = number << 20 | 0xabcde;
      for (unsigned sector = 0; sector < kSectors; ++sector)
        EXPECT_EQ((sectors_of(place, probes) >> sector & 1) != 0,
                  uses_sector(place, probes, sector))
            << "probes " << probes << " number " << number << " sector " << sector;
    }
  EXPECT_EQ(pattern(0, 5), 0x1f);
  EXPECT_EQ(pattern(3, 5), 0xf8);
  EXPECT_EQ(pattern(4, 5), 0xf1);
  EXPECT_EQ(pattern(8, 5), 0x5b);
  EXPECT_EQ(pattern(15, 5), 0xad);
}

TEST(Block, EveryPatternHasTheProbesAndEverySectorIsUsedEquallyOften) {
  constexpr std::size_t kDistinct[] = {16, 16, 12, 8, 1};
  for (std::uint32_t probes = kFewestProbes; probes <= kMostProbes; ++probes) {
    std::array<std::uint32_t, kSectors> used{};
    std::set<unsigned> distinct;
    for (std::uint32_t number = 0; number < kPatterns; ++number) {
      const unsigned sectors = pattern(number, probes);
      EXPECT_EQ(std::popcount(sectors), static_cast<int>(probes));
      distinct.insert(sectors);
      for (unsigned sector = 0; sector < kSectors; ++sector) used[sector] += sectors >> sector & 1;
    }
    for (const std::uint32_t count : used) EXPECT_EQ(count, kPatterns * probes / kSectors);
    EXPECT_EQ(distinct.size(), kDistinct[probes - kFewestProbes]) << probes;
  }
}

TEST(Block, ThePatternIgnoresTheLowTwentyBitsOfThePlace) {
  std::mt19937_64 random{2};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t place = random();
    EXPECT_EQ(pattern_number(place), pattern_number(place ^ (random() & 0xfffff)));
    EXPECT_EQ(pattern_number(place), (place & 0xf00000) / 0x100000);
  }
}

TEST(Block, TheWindowsAreTheTableOfTheDescription) {
  EXPECT_EQ(kWindows[0], (WindowSet{0, 8, 16, 24, 32, 40, 48, 56}));
  EXPECT_EQ(kWindows[1], (WindowSet{47, 8, 16, 1, 55, 23, 31, 38}));
  EXPECT_EQ(kWindows[17], (WindowSet{3, 42, 10, 17, 25, 50, 33, 58}));
  EXPECT_EQ(kWindows[31], (WindowSet{39, 0, 8, 47, 15, 29, 22, 54}));
  // Of all 256 bytes, taken from the text of the description.
  EXPECT_EQ(xxh64(std::as_bytes(std::span{kWindows}), 0), 0xb4278b04fba0b8f6U);
}

TEST(Block, NoTwoWindowsOfASetShareABit) {
  for (const WindowSet& set : kWindows) {
    std::uint64_t taken = 0;
    for (const std::uint8_t window : set) {
      ASSERT_LT(window, 64);
      const std::uint64_t bits = std::rotl(std::uint64_t{63}, window);
      EXPECT_EQ(taken & bits, 0U);
      taken |= bits;
    }
  }
}

TEST(Block, AMaskIsRightInEveryBit) {
  std::mt19937_64 random{3};
  for (std::uint32_t probes = kFewestProbes; probes <= kMostProbes; ++probes)
    for (std::uint32_t seed = 0; seed < kWindowSets; ++seed)
      for (int i = 0; i < 30; ++i) {
        const std::uint64_t place = i < 12 ? kCorners[i] : random();
        const std::uint64_t bits = i < 12 ? kCorners[11 - i] : random();
        ASSERT_EQ(mask_of(place, bits, probes, seed), slow_mask(place, bits, probes, seed))
            << "place " << place << " bits " << bits << " probes " << probes << " seed " << seed;
      }
}

TEST(Block, APlainSectorTakesTheLowSixBitsOfItsByte) {
  const std::uint64_t bits = 0xff'c1'3f'00'80'42'01'be;
  EXPECT_EQ(bit_of(bits, 0), 1ULL << 0x3e);
  EXPECT_EQ(bit_of(bits, 1), 1ULL << 1);
  EXPECT_EQ(bit_of(bits, 2), 1ULL << 2);
  EXPECT_EQ(bit_of(bits, 3), 1ULL << 0);
  EXPECT_EQ(bit_of(bits, 4), 1ULL << 0);
  EXPECT_EQ(bit_of(bits, 5), 1ULL << 63);
  EXPECT_EQ(bit_of(bits, 6), 1ULL << 1);
  EXPECT_EQ(bit_of(bits, 7), 1ULL << 63);
}

// The GPU and the compiler's own checks need it at compile time.
static_assert(block_of(1ULL << 63, 10) == 5);
static_assert(block_of((1ULL << 63) - 1, 10) == 4);
static_assert(high_half(0x123456789abcdef0, 0xfedcba9876543210) ==
              block_of(0x123456789abcdef0, 0xfedcba9876543210));
static_assert(sectors_of(9ULL << 20, 6) == 0xee);
static_assert(bit_of(64, 0) == 1 && bit_of(1ULL << 39, 4, 9) == 2);
static_assert(mask_of(0, 0, 4) == BlockMask{1, 1, 1, 1, 0, 0, 0, 0});
static_assert(kSectors * kSectorBits == kBlockBits && kBlockBits == 8 * kBlockBytes);

}  // namespace
}  // namespace bloomery::block
