// Keys, rate, blocks and probes of a block filter from any sufficient part of them: what solve() of
// sizing.h is to a classic one.
#pragma once
#include "bloomery/layout/block_sizing.h"
#include "bloomery/layout/sizing_request.h"

namespace bloomery {

struct BlockSizing {
  Goal goal;  // the rate is the one asked for, or else the one expected of the shape
  BlockShape shape;
};

// Keys and rate; keys and blocks; blocks and rate; each with the probes or without, which then are
// the best. Bits are rounded up to whole blocks; bits per key count the seeds of a seeded filter,
// too. Where more is given than needed it must agree. kInvalidArgument says what is missing or what
// contradicts what.
Result<BlockSizing> solve_block(const SizingRequest& request, bool seeded = false);

// The same for a filter of several lines per key, of 16, 24 or 32 probes.
Result<BlockSizing> solve_lines(const SizingRequest& request);

// The blocks that were asked for in blocks or in bits; empty if in neither.
Result<std::optional<std::uint64_t>> blocks_asked_for(const SizingRequest& request);

}  // namespace bloomery
