#include "bench/scale_sim/pattern_rate.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/base/split_mix.h"

namespace bloomery::bench {
namespace {

using block::Product;

constexpr std::uint64_t kStep = std::uint64_t{1} << block::kPatternShift;
constexpr std::uint64_t kPeriod = kStep * block::kPatterns;

// How many places below this one have the pattern.
Product places_below(Product place, std::uint32_t pattern) {
  const Product whole = place / kPeriod * kStep;
  const auto rest = static_cast<std::uint64_t>(place % kPeriod);
  const std::uint64_t begins = pattern * kStep;
  const std::uint64_t of_rest = rest <= begins ? 0 : std::min(rest - begins, kStep);
  return whole + of_rest;
}

Product first_place_of(std::uint64_t block, std::uint64_t blocks) {
  return ((Product{block} << 64) + blocks - 1) / blocks;
}

}  // namespace

PatternShares pattern_shares(std::uint64_t block, std::uint64_t blocks) {
  const Product first = first_place_of(block, blocks);
  const Product end = first_place_of(block + 1, blocks);
  PatternShares shares{};
  for (std::uint32_t i = 0; i < block::kPatterns; ++i)
    shares[i] = static_cast<double>(places_below(end, i) - places_below(first, i)) /
                static_cast<double>(end - first);
  return shares;
}

// As layout/block_sizing.cc sums it, with a share for each pattern.
double rate_with_patterns(const PatternShares& shares, std::uint32_t probes, double load) {
  std::array<double, 256> misses{};  // of all bits of these sectors, by a whole block of keys
  for (std::uint32_t part = 0; part < misses.size(); ++part) {
    double miss = 0;
    for (std::uint32_t i = 0; i < block::kPatterns; ++i)
      miss += shares[i] * std::pow(1 - 1.0 / block::kSectorBits,
                                   std::popcount(part & block::pattern(i, probes)));
    misses[part] = std::exp(load * (miss - 1));
  }
  double rate = 0;
  for (std::uint32_t i = 0; i < block::kPatterns; ++i) {
    const std::uint32_t asked = block::pattern(i, probes);
    for (std::uint32_t part = asked;; part = (part - 1) & asked) {
      rate += (std::popcount(part) % 2 == 0 ? shares[i] : -shares[i]) * misses[part];
      if (part == 0) break;
    }
  }
  return rate;
}

double pattern_effect(std::uint64_t blocks, std::uint32_t probes, double load) {
  constexpr int kBlocks = 2048;
  internal::SplitMix64 random{1};  // blocks at even distances could all begin at the same pattern
  double sum = 0;
  for (int i = 0; i < kBlocks; ++i)
    sum +=
        rate_with_patterns(pattern_shares(block::block_of(random(), blocks), blocks), probes, load);
  return sum / kBlocks / expected_rate(BlockShape{1, probes}, load) - 1;
}

}  // namespace bloomery::bench
