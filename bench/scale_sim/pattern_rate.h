// What the layout's arithmetic costs where a filter has very many blocks: a block then has few
// places, and the bits of a place that choose the pattern of sectors no longer run through all
// patterns equally often.
#pragma once
#include "bloomery/layout/block_sizing.h"

namespace bloomery::bench {

// How often the places of a block have each pattern; the sum is 1.
using PatternShares = std::array<double, block::kPatterns>;
PatternShares pattern_shares(std::uint64_t block, std::uint64_t blocks);

// The rate of one block whose keys, and absent keys, have the patterns in these shares. For equal
// shares it is expected_rate(). Precondition: 4 to 8 probes.
double rate_with_patterns(const PatternShares& shares, std::uint32_t probes, double load);

// The mean of that over 2,048 blocks of the filter, beside the rate for equal shares: 0.01 is a
// rate of 1.01 times the one expected. `keys` per block.
double pattern_effect(std::uint64_t blocks, std::uint32_t probes, double load);

}  // namespace bloomery::bench
