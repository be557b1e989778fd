#include "bloomery/filter/block/health.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace bloomery {
namespace {

using Ones = std::array<std::uint32_t, block::kSectors>;

// The chance that a random key of this block is answered "maybe", in units of (1/64)^probes.
double maybe_share(const Ones& ones, std::uint32_t probes) {
  if (probes == block::kSectors) {
    double product = 1;
    for (const std::uint32_t count : ones) product *= count;
    return product;
  }
  double sum = 0;
  for (std::uint32_t number = 0; number < block::kPatterns; ++number) {
    double product = 1;
    const std::uint32_t used = block::pattern(number, probes);
    for (std::uint32_t i = 0; i < block::kSectors; ++i)
      product *= (used >> i & 1) != 0 ? ones[i] : 1;
    sum += product;
  }
  return sum / block::kPatterns;
}

// The best of many window sets is emptier than one is: by about two deviations of the logarithm of
// the product of fills, shared by eight sectors. This puts them back. How many deviations depends
// on how many independent sets the 32 are worth for these probes; layout/block_sizing.cc has those.
double fill_without_choice(double fill, std::uint32_t probes) {
  if (fill <= 0 || fill >= 1) return fill;
  constexpr double kDeviations[] = {1.98, 1.95, 1.90, 1.80, 1.67};
  constexpr double kCells = block::kSectorBits;
  const double keys = std::log1p(-fill) / std::log1p(-1 / kCells);
  const double empty = kCells * (1 - fill);
  const double pairs = kCells * (kCells - 1) * std::pow(1 - 2 / kCells, keys);
  const double deviation = std::sqrt(std::max(0.0, empty + pairs - empty * empty)) / kCells / fill;
  const double shift =
      kDeviations[probes - block::kFewestProbes] * deviation / std::sqrt(double{block::kSectors});
  return std::min(fill * std::exp(shift), 1 - 0.5 / kCells);
}

}  // namespace

void BlockTally::add(const block::BlockMask& block) {
  Ones ones;
  for (std::uint32_t i = 0; i < block::kSectors; ++i) {
    ones[i] = static_cast<std::uint32_t>(std::popcount(block[i]));
    ones_ += ones[i];
  }
  maybes_ += maybe_share(ones, block::probes_in_line(shape_.probes));
}

void BlockTally::add_all(std::uint64_t ones, double products) {
  ones_ += ones;
  maybes_ += std::ldexp(products, 6 * static_cast<int>(block::probes_in_line(shape_.probes)));
}

Health BlockTally::health(std::optional<Goal> goal) const {
  const auto looked_at = static_cast<double>(blocks());
  const double fill = static_cast<double>(ones_) / (looked_at * double{block::kBlockBits});
  const auto in_line = static_cast<int>(block::probes_in_line(shape_.probes));
  // A key must be found in each of its lines, and those lie in blocks of their own.
  const double rate = std::pow(std::ldexp(maybes_ / looked_at, -6 * in_line), shape_.lines());
  const double explained = shape_.seeded ? fill_without_choice(fill, shape_.probes) : fill;
  const auto bits = static_cast<double>(shape_.bits());
  const double keys = estimated_keys({shape_.bits(), shape_.probes},
                                     static_cast<std::uint64_t>(std::llround(explained * bits)));
  return {fill, keys, rate, judge(fill, rate, goal), blocks() < shape_.blocks};
}

Health block_health(BlockShape shape, ByteView blocks, std::optional<Goal> goal) {
  BlockTally tally{shape};
  for (std::uint64_t i = 0; i < tally.blocks(); ++i) {
    block::BlockMask sectors;
    std::memcpy(sectors.data(),
                blocks.data() + static_cast<std::size_t>(tally.block(i)) * block::kBlockBytes,
                sizeof sectors);
    tally.add(sectors);
  }
  return tally.health(goal);
}

}  // namespace bloomery
