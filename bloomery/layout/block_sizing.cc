#include "bloomery/layout/block_sizing.h"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/layout/sizing.h"

namespace bloomery {
namespace {

using block::kFewestProbes;
using block::kMostProbes;
using block::kSectorBits;
using block::kSectors;

// A key that uses all sectors needs no pattern of them: a third faster, for this much more memory.
constexpr double kSpeedPrice = 1.03;
constexpr double kOneInTwenty = 1.645;  // standard deviations above the mean

// By inclusion and exclusion over the sectors A of an asked pattern: the chance that every asked
// bit is set is the sum of (-1)^|A| times the chance that no key set any bit of A. A key misses
// them all with chance (63/64)^|A and its own pattern|; over a Poisson number of keys that sums to
// an exponential.
class PlainRate {
 public:
  explicit PlainRate(std::uint32_t probes) {
    for (const std::uint32_t asked : {block::pattern(0, probes), block::pattern(8, probes)})
      for (std::uint32_t part = asked;; part = (part - 1) & asked) {
        const int sign = std::popcount(part) % 2 == 0 ? 1 : -1;
        add(hit_chance(part, probes), sign);
        if (part == 0) break;
      }
  }
  double at(double load) const {
    long double sum = 0;
    for (const Term& term : terms_) sum += term.weight * std::exp(-load * term.hit);
    return static_cast<double>(std::clamp<long double>(sum / 2, 0, 1));
  }

 private:
  struct Term {
    long double hit;
    long double weight;
  };
  static long double hit_chance(std::uint32_t part, std::uint32_t probes) {
    long double miss = 0;
    for (std::uint32_t number = 0; number < block::kPatterns; ++number)
      miss += std::pow(1 - 1.0L / kSectorBits,
                       std::popcount(part & std::uint32_t{block::pattern(number, probes)}));
    return 1 - miss / block::kPatterns;
  }
  // Few different chances occur: their terms are joined.
  void add(long double hit, int sign) {
    const auto same = std::ranges::find_if(
        terms_, [&](const Term& term) { return std::abs(term.hit - hit) < 1e-15L; });
    if (same == terms_.end())
      terms_.push_back({hit, static_cast<long double>(sign)});
    else
      same->weight += sign;
  }
  std::vector<Term> terms_;
};

const PlainRate& plain_rate(std::uint32_t probes) {
  static const std::array<PlainRate, kMostProbes - kFewestProbes + 1> kRates = {
      PlainRate{4}, PlainRate{5}, PlainRate{6}, PlainRate{7}, PlainRate{8}};
  return kRates[probes - kFewestProbes];
}

// How much the best of all window sets lowers the rate of a block: the logarithms of their rates
// are taken for normal with this deviation, so the mean of the smallest is compared with the mean.
// The windows of different sets overlap, and more so where a key uses more sectors: all 32 choose
// as well as this many independent ones would. Fitted to blocks of 1 to 400 random keys, on the
// safe side: the rate comes out up to 1 % too high, and 2 % where these probes are not the best.
constexpr std::array<double, kMostProbes - kFewestProbes + 1> kIndependentSets = {25.5, 23.5, 20.7,
                                                                                  16.7, 12.4};

class BestOfWindows {
 public:
  explicit BestOfWindows(double sets) {
    for (std::size_t i = 0; i < gains_.size(); ++i)
      gains_[i] = gain(sets, static_cast<double>(i) * kStep);
  }
  double operator()(double deviation) const {
    const double at = std::min(deviation / kStep, static_cast<double>(gains_.size() - 2));
    const auto below = static_cast<std::size_t>(at);
    const double share = at - static_cast<double>(below);
    return gains_[below] * (1 - share) + gains_[below + 1] * share;
  }

 private:
  static constexpr double kStep = 0.02;
  static double gain(double sets, double deviation) {
    constexpr double kDz = 1.0 / 32;
    double sum = 0;
    for (double z = -7; z < 3; z += kDz) {
      const double above = 0.5 * std::erfc(z / std::numbers::sqrt2);
      const double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
      sum += std::exp(deviation * z) * sets * std::pow(above, sets - 1) * density;
    }
    return sum * kDz / std::exp(deviation * deviation / 2);
  }
  std::array<double, 25> gains_{};  // deviations up to 0.5; real ones stay below 0.25
};

double best_of_windows(std::uint32_t probes, double deviation) {
  static const std::array<BestOfWindows, kIndependentSets.size()> kGains = {
      BestOfWindows{kIndependentSets[0]}, BestOfWindows{kIndependentSets[1]},
      BestOfWindows{kIndependentSets[2]}, BestOfWindows{kIndependentSets[3]},
      BestOfWindows{kIndependentSets[4]}};
  return kGains[probes - kFewestProbes](deviation);
}

// One block with a given number of keys: its mean rate, and how far blocks of that many keys lie
// apart, relative to it.
struct LoadedBlock {
  double rate = 0;
  double deviation = 0;
};

LoadedBlock block_with(double keys, std::uint32_t probes) {
  const double in_sector = keys * probes / kSectors;
  const double cells = kSectorBits;
  const double one = std::pow(1 - 1 / cells, in_sector);
  const double two = std::pow(1 - 2 / cells, in_sector);
  const double empty = cells * one;
  const double variance = std::max(0.0, empty + cells * (cells - 1) * two - empty * empty);
  const double fill = 1 - one;
  if (fill <= 0) return {};
  const double sector = std::sqrt(variance) / cells / fill;
  return {std::pow(fill, probes), sector * probes / std::sqrt(double{kSectors})};
}

// Sums over the Poisson load of a block: mean, variance, and the covariance with the load itself.
struct LoadSums {
  double mean = 0;
  double square = 0;
  double with_load = 0;
};

// std::lgamma writes a variable of the whole process, which threads would race for.
double log_factorial(double count) {
  int sign = 0;
  return ::lgamma_r(count + 1, &sign);
}

LoadSums sum_over_loads(double load, std::uint32_t probes, bool seeded) {
  LoadSums sums;
  const double reach = 9 * std::sqrt(load) + 12;
  const auto last = static_cast<std::uint64_t>(load + reach);
  for (auto keys = static_cast<std::uint64_t>(std::max(0.0, load - reach)); keys <= last; ++keys) {
    const auto count = static_cast<double>(keys);
    const double chance = std::exp(count * std::log(load) - load - log_factorial(count));
    auto [rate, deviation] = block_with(count, probes);
    if (seeded) rate *= best_of_windows(probes, deviation);
    sums.mean += chance * rate;
    sums.square += chance * rate * rate * std::exp(deviation * deviation);
    sums.with_load += chance * rate * (count - load);
  }
  return sums;
}

// Of a block with so many keys every bit is set: every rate is 1, and a sum over the loads around
// it would have too many terms to end.
constexpr double kFullLoad = 16384;

double rate_at(double load, std::uint32_t probes, bool seeded) {
  const double plain = plain_rate(probes).at(load);
  if (!seeded || load > kFullLoad) return plain;
  return plain * sum_over_loads(load, probes, true).mean / sum_over_loads(load, probes, false).mean;
}

// The number of keys is given, so the loads of the blocks sum to it: what the rate owes to the load
// in proportion cancels between blocks, and only the rest varies.
double deviation_of_block(double load, std::uint32_t probes, bool seeded) {
  if (load > kFullLoad) return 0;
  const LoadSums sums = sum_over_loads(load, probes, seeded);
  const double variance =
      sums.square - sums.mean * sums.mean - sums.with_load * sums.with_load / load;
  return std::sqrt(std::max(0.0, variance));
}

// The real number of blocks that keeps the rate: found between the two by halving, for the rate
// falls as blocks are added.
double blocks_needed(double keys, double goal_rate, std::uint32_t probes, bool seeded,
                     double deviations) {
  const auto too_high = [&](double blocks) {
    const double load = keys / blocks;
    double rate = rate_at(load, probes, seeded);
    if (deviations > 0 && rate <= goal_rate)
      rate += deviations * deviation_of_block(load, probes, seeded) / std::sqrt(blocks);
    return rate > goal_rate;
  };
  double low = keys / 4096;
  double high = std::max(1.0, keys / 64);
  while (too_high(high)) high *= 2;
  if (!too_high(low)) return low;
  while (high / low > 1.0002) {
    const double middle = std::sqrt(low * high);
    (too_high(middle) ? low : high) = middle;
  }
  return high;
}

double blocks_needed(Goal goal, std::uint32_t probes, bool seeded, double deviations) {
  return blocks_needed(static_cast<double>(goal.keys), goal.false_positive_rate, probes, seeded,
                       deviations);
}

// Each line of a key is a key of its own, which must be found in every line: a power of the rate.
double line_blocks_needed(Goal goal, std::uint32_t lines, double deviations) {
  return blocks_needed(static_cast<double>(goal.keys) * lines,
                       std::pow(goal.false_positive_rate, 1.0 / lines), kMostProbes, false,
                       deviations);
}

constexpr std::uint64_t kMany = 1'000'000;  // so many that only the rate counts

double times_classic(double blocks, double rate) {
  return blocks * static_cast<double>(block::kBlockBits) /
         bits_for({kMany, rate}, probes_for(rate));
}

Error no_such(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

Status check_goal(Goal goal, std::uint32_t probes) {
  if (auto valid = checked(goal); !valid) return valid.error();
  if (goal.false_positive_rate < kMinBlockRate)
    return no_such(message("a block filter keeps rates down to ", kMinBlockRate,
                           ": take the classic layout for ", goal.false_positive_rate));
  if (probes == 0) return ok();
  if (auto valid = checked_one_line({1, probes}); !valid) return valid.error();
  return ok();
}

Result<BlockShape> within_limits(double blocks, std::uint32_t probes, Goal goal) {
  if (!(blocks < static_cast<double>(kMaxBlocks)))
    return no_such(message(goal.keys, " keys at a rate of ", goal.false_positive_rate,
                           " would need more than ", kMaxBlocks, " blocks"));
  return BlockShape{static_cast<std::uint64_t>(std::ceil(blocks)), probes};
}

}  // namespace

Result<BlockShape> checked(BlockShape shape) {
  if (!shape.seeded && block::are_lines(shape.probes)) return checked_lines(shape);
  return checked_one_line(shape);
}

Result<BlockShape> checked_lines(BlockShape shape) {
  if (shape.seeded || !block::are_lines(shape.probes))
    return no_such(
        message("a filter of several lines per key has 16, 24 or 32 probes and no seeds, and ",
                shape.probes, " probes were asked for"));
  if (auto valid = checked_one_line({shape.blocks, kMostProbes}); !valid) return valid;
  return shape;
}

Result<BlockShape> checked_one_line(BlockShape shape) {
  if (shape.blocks == 0 || shape.blocks > kMaxBlocks)
    return no_such(message("a block filter has 1 to ", kMaxBlocks, " blocks, and ", shape.blocks,
                           " were asked for"));
  if (shape.probes < kFewestProbes || shape.probes > kMostProbes)
    return no_such(message("a block filter has ", kFewestProbes, " to ", kMostProbes,
                           " probes, and ", shape.probes, " were asked for"));
  return shape;
}

double expected_rate(BlockShape shape, double keys) {
  if (keys <= 0) return 0;
  const double load = keys * shape.lines() / static_cast<double>(shape.blocks);
  const double in_line = rate_at(load, block::probes_in_line(shape.probes), shape.seeded);
  return shape.lines() == 1 ? in_line : std::pow(in_line, shape.lines());
}

double rate_deviation(BlockShape shape, double keys) {
  if (keys <= 0) return 0;
  const auto blocks = static_cast<double>(shape.blocks);
  const double load = keys * shape.lines() / blocks;
  const std::uint32_t probes = block::probes_in_line(shape.probes);
  const double in_line = deviation_of_block(load, probes, shape.seeded) / std::sqrt(blocks);
  if (shape.lines() == 1) return in_line;
  return in_line * shape.lines() *
         std::pow(rate_at(load, probes, shape.seeded), shape.lines() - 1);  // of a power
}

std::uint32_t best_block_probes(std::uint64_t blocks, double keys, bool seeded) {
  std::uint32_t best = kFewestProbes;
  for (std::uint32_t probes = kFewestProbes + 1; probes <= kMostProbes; ++probes)
    if (expected_rate(BlockShape{blocks, probes, seeded}, keys) <
        expected_rate(BlockShape{blocks, best, seeded}, keys))
      best = probes;
  return best;
}

Result<BlockShape> block_shape_for(Goal goal, bool seeded, std::uint32_t probes) {
  if (auto valid = check_goal(goal, probes); !valid) return valid.error();
  const std::uint32_t first = probes == 0 ? kFewestProbes : probes;
  const std::uint32_t last = probes == 0 ? kMostProbes : probes;
  double fewest = 0;
  for (std::uint32_t k = first; k <= last; ++k) {
    const double needed = blocks_needed(goal, k, seeded, kOneInTwenty);
    if (fewest != 0 && needed >= fewest) continue;
    fewest = needed;
    probes = k;
  }
  if (auto fits = within_limits(fewest, probes, goal); !fits) return fits;
  if (first != last && !seeded) {
    const double fastest = blocks_needed(goal, kMostProbes, seeded, kOneInTwenty);
    if (fastest <= kSpeedPrice * fewest) {
      fewest = fastest;
      probes = kMostProbes;
    }
  }
  const auto blocks = static_cast<std::uint64_t>(std::ceil(fewest));
  return checked(BlockShape{seeded ? blocks : rounded_for_folding(blocks), probes, seeded});
}

Result<BlockShape> lines_shape_for(Goal goal, std::uint32_t probes) {
  if (auto valid = check_goal(goal, 0); !valid) return valid.error();
  if (probes != 0)
    if (auto valid = checked_lines({1, probes}); !valid) return valid;
  const std::uint32_t lines =
      probes == 0 ? lines_for(goal.false_positive_rate) : block::lines_of(probes);
  auto shape =
      within_limits(line_blocks_needed(goal, lines, kOneInTwenty), lines * kMostProbes, goal);
  if (!shape) return shape;
  shape->blocks = rounded_for_folding(shape->blocks);
  return checked(*shape);
}

std::uint32_t lines_for(double rate) {
  constexpr double kPrice = 1.1;
  std::uint32_t best = block::kFewestLines;
  double fewest = 0;
  for (std::uint32_t lines = block::kFewestLines; lines <= block::kMostLines; ++lines) {
    const double blocks = line_blocks_needed({kMany, rate}, lines, 0);
    if (times_classic(blocks, rate) <= kPrice) return lines;
    if (fewest != 0 && blocks >= fewest) continue;
    fewest = blocks;
    best = lines;
  }
  return best;
}

std::uint64_t max_keys(BlockShape shape, double rate) {
  const auto holds = [&](std::uint64_t keys) {
    return expected_rate(shape, static_cast<double>(keys)) <= rate;
  };
  if (!holds(1)) return 0;
  std::uint64_t low = 1;
  std::uint64_t high = shape.blocks * 8192;  // of a block with so many keys every bit is set
  if (holds(high)) return high;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

std::uint64_t rounded_for_folding(std::uint64_t blocks) {
  const std::uint64_t multiple = std::bit_floor(std::clamp<std::uint64_t>(blocks / 128, 1, 64));
  return (blocks + multiple - 1) / multiple * multiple;
}

bool block_layout_suits(double rate) {
  if (rate < kMinBlockRate) return false;
  double fewest = blocks_needed({kMany, rate}, kFewestProbes, false, 0);
  for (std::uint32_t k = kFewestProbes + 1; k <= kMostProbes; ++k)
    fewest = std::min(fewest, blocks_needed({kMany, rate}, k, false, 0));
  return times_classic(fewest, rate) <= 1.15;
}

bool lines_layout_suits(double rate) {
  if (rate < kMinBlockRate) return false;
  return times_classic(line_blocks_needed({kMany, rate}, lines_for(rate), 0), rate) <= 1.12;
}

}  // namespace bloomery
