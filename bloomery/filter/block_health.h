// What the bits of a block filter say of it. The rate is exact: the mean over blocks of the product
// of the sectors' fills. No model, no assumption.
#pragma once
#include "bloomery/filter/block_view.h"
#include "bloomery/filter/health.h"

namespace bloomery {

// Up to this many blocks are all counted; of a larger filter as many, evenly spread, are sampled.
inline constexpr std::uint64_t kHealthBlocks = std::uint64_t{1} << 20;

// Precondition: checked(shape), `blocks` holds its blocks.
Health block_health(BlockShape shape, ByteView blocks, std::optional<Goal> goal);

}  // namespace bloomery
