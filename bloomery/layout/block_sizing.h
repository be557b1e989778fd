// Keys, rate, blocks and probes of a block filter: each from the others. Keys fall on blocks as a
// Poisson variable, so some blocks are fuller than the mean; the rate here is summed over them.
#pragma once
#include "bloomery/layout/lines.h"
#include "bloomery/layout/shape.h"

namespace bloomery {

struct BlockShape {
  std::uint64_t blocks;
  std::uint32_t probes;  // kFewestProbes..kMostProbes in one block; 16, 24 or 32 in several
  bool seeded = false;   // one byte per block names its window set; one block per key only

  constexpr std::uint32_t lines() const { return block::lines_of(probes); }  // blocks per key

  constexpr std::uint64_t bits() const { return blocks * block::kBlockBits; }
  constexpr std::uint64_t bytes() const { return blocks * (block::kBlockBytes + (seeded ? 1 : 0)); }
  friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

inline constexpr std::uint64_t kMaxBlocks = kMaxBits / block::kBlockBits;
// Rarer errors would take hundreds of bits per key, and the sums below no longer see them.
inline constexpr double kMinBlockRate = 1e-12;

// 1..kMaxBlocks blocks; kFewestProbes..kMostProbes probes, or unless seeded those of several lines.
Result<BlockShape> checked(BlockShape shape);
// The same for one line per key, or for several.
Result<BlockShape> checked_one_line(BlockShape shape);
Result<BlockShape> checked_lines(BlockShape shape);
// For constructors: the nearest shape with at least one block and a number of probes that exists.
constexpr BlockShape usable(BlockShape shape) {
  if (shape.blocks == 0) shape.blocks = 1;
  if (shape.probes < block::kFewestProbes) shape.probes = block::kFewestProbes;
  if (shape.probes > block::kMostProbes && (shape.seeded || !block::are_lines(shape.probes)))
    shape.probes = block::kMostProbes;
  return shape;
}

// The mean rate over all filters of this shape and number of keys. For plain blocks it is exact;
// for seeded ones (best of all 32 window sets) a model, within 2 % for rates of 1e-5 to 0.2.
// Precondition: checked(shape).
double expected_rate(BlockShape shape, double keys);

// The standard deviation of the rate from one filter to the next, over the choice of the hash.
double rate_deviation(BlockShape shape, double keys);

// The probes with the lowest expected rate.
std::uint32_t best_block_probes(std::uint64_t blocks, double keys, bool seeded = false);

// The fewest blocks, with the best probes or with these, that keep the rate in 19 of 20 filters;
// rounded up for folding unless seeded. Where it costs at most 3 % more, a plain filter gets eight
// probes, which are faster. kInvalidArgument for a goal that no filter can meet.
Result<BlockShape> block_shape_for(Goal goal, bool seeded = false, std::uint32_t probes = 0);

// The same with several lines per key: as many as lines_for() says, or those of these probes.
Result<BlockShape> lines_shape_for(Goal goal, std::uint32_t probes = 0);

// The fewest lines, two to four, that take at most 1.1 times the bits of a classic filter for many
// keys at this rate; where none do, those that take the fewest bits.
std::uint32_t lines_for(double rate);

// How many keys a filter holds before its expected rate exceeds `rate`; 0 if not even one.
std::uint64_t max_keys(BlockShape shape, double rate);

// Up to a multiple of min(64, the largest power of two <= blocks / 128): room to fold six times,
// and no more than 0.8 % is added.
std::uint64_t rounded_for_folding(std::uint64_t blocks);

// False where one cache line per key costs too much: more than 1.15 times the bits of a classic
// filter, which is below a rate of about 3e-4, and above one of about 0.26, where a classic filter
// has fewer than four probes.
bool block_layout_suits(double rate);
// True for rates of kMinBlockRate to about 1e-3: several lines per key then cost at most 1.12 times
// the bits of a classic filter. Where block_layout_suits(), that is faster.
bool lines_layout_suits(double rate);

}  // namespace bloomery
