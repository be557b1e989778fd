// Blocks, bits and items as kernels compute them, compiled for the CPU, beside layout/block.h.
#include "bloomery/gpu/cuda/marks.h"

#include <gtest/gtest.h>

#include <random>

namespace bloomery::gpu::cuda {
namespace {

block::BlockMask mask_of(const Marks& marks) {
  block::BlockMask mask{};
  for (u32 i = 0; i < block::kSectors; ++i)
    if (const u32 mark = mark_of(marks, i); mark < 64) mask[i] = u64{1} << mark;
  return mask;
}

TEST(MarksOnDevice, FindTheBlockOfTheDefinition) {
  std::mt19937_64 random{1};
  for (const u32 blocks : {1u, 2u, 3u, 777u, 1u << 26, 0x80000001u, 0xffffffffu})
    for (int i = 0; i < 1000; ++i) {
      const u64 place = i == 0 ? 0 : i == 1 ? UINT64_MAX : random();
      EXPECT_EQ(block_of(place, blocks), block::block_of(place, blocks)) << place;
    }
}

TEST(MarksOnDevice, SetTheBitsOfTheDefinition) {
  std::mt19937_64 random{2};
  for (u32 probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes) {
    const Spreads spreads = spreads_of(probes);
    for (int i = 0; i < 2000; ++i) {
      const Hash128 hash{random(), random()};
      const auto expected = block::mask_of(hash.low, hash.high, probes);
      EXPECT_EQ(mask_of(marks_of<false>(hash, spreads)), expected);
      if (probes == 8) {
        EXPECT_EQ(mask_of(marks_of<true>(hash, spreads)), expected);
      }
      const u32 seed = static_cast<u32>(random() % block::kWindowSets);
      EXPECT_EQ(mask_of(seeded_marks<false>(hash, block::kWindows[seed], spreads)),
                block::mask_of(hash.low, hash.high, probes, seed));
    }
  }
}

TEST(MarksOnDevice, ListTheSectorsOfAPattern) {
  for (u32 probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes) {
    const Spreads spreads = spreads_of(probes);
    for (u32 pattern = 0; pattern < block::kPatterns; ++pattern) {
      u32 used = 0;
      for (u32 j = 0; j < probes; ++j) used |= 1u << used_sector(spreads, j, pattern);
      EXPECT_EQ(used, block::pattern(pattern, probes));
      EXPECT_EQ(unused_sectors(spreads, pattern), 0xff ^ used);
    }
  }
}

TEST(MarksOnDevice, AnItemHoldsTheKey) {
  std::mt19937_64 random{3};
  for (u32 probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes) {
    const Spreads spreads = spreads_of(probes);
    for (int i = 0; i < 2000; ++i) {
      const Hash128 hash{random(), random()};
      const u32 in_chunk = static_cast<u32>(random() % kMostChunkBlocks);
      const u64 item = item_of(hash, in_chunk);
      const ItemPlace place = place_of_item(item);
      EXPECT_EQ(place.block_in_chunk, in_chunk);
      EXPECT_EQ(place.pattern, block::pattern_number(hash.low));
      EXPECT_EQ(mask_of(marks_of_item<false>(item, place.pattern, spreads)),
                block::mask_of(hash.low, hash.high, probes));
    }
  }
}

}  // namespace
}  // namespace bloomery::gpu::cuda
