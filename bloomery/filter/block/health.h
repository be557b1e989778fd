// What the bits of a block filter say of it. The rate is exact: the mean over blocks of the product
// of the sectors' fills, to the power of the lines of a key. No model, no assumption.
#pragma once
#include <algorithm>

#include "bloomery/filter/block/view.h"
#include "bloomery/filter/health.h"

namespace bloomery {

// Up to this many blocks are all counted; of a larger filter as many, evenly spread, are sampled.
inline constexpr std::uint64_t kHealthBlocks = std::uint64_t{1} << 20;

// Precondition: checked(shape), `blocks` holds its blocks.
Health block_health(BlockShape shape, ByteView blocks, std::optional<Goal> goal);

// The same, block by block, for memory that is read in a way of its own.
class BlockTally {
 public:
  // Counts all blocks, or `most` of them. Precondition: most >= 1.
  explicit BlockTally(BlockShape shape, std::uint64_t most = kHealthBlocks)
      : shape_{shape}, blocks_{std::min(shape.blocks, most)} {}

  std::uint64_t blocks() const { return blocks_; }
  // The number in the filter of the i-th of blocks().
  std::uint64_t block(std::uint64_t i) const {
    return static_cast<std::uint64_t>(block::Product{shape_.blocks} * i / blocks());
  }
  void add(const block::BlockMask& block);
  // In place of add() for each block: the set bits of all of them, and the sum over them of the
  // mean product of the shares of bits set in the sectors of a pattern.
  void add_all(std::uint64_t ones, double products);
  Health health(std::optional<Goal> goal) const;  // precondition: blocks() were added

 private:
  BlockShape shape_;
  std::uint64_t blocks_;
  std::uint64_t ones_ = 0;
  double maybes_ = 0;
};

}  // namespace bloomery
