#include "bloomery/layout/sizing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/layout/first_from.h"

namespace bloomery {
namespace {

// ln(1 - p^(1/k)), without losing a small p or one near 1 to cancellation.
double log_of_empty_share(double rate, double probes) {
  const double log_of_fill = std::log(rate) / probes;
  // The usual range keeps the first formula, because sizes depend on its last digit.
  if (log_of_fill < -18) return std::log1p(-std::exp(log_of_fill));
  return std::log(-std::expm1(log_of_fill));
}

double power_of_fill(double load, double probes) { return std::pow(-std::expm1(-load), probes); }

// One throw turns u still-empty positions of a query into u - 1 with chance u/m. Row u of the
// matrix power T^throws then holds, in column 0, the chance that all u were filled. Nothing is ever
// subtracted, so nothing cancels, which inclusion-exclusion does beyond a dozen probes.
class FillChain {
 public:
  FillChain(std::size_t most_empty, std::uint64_t bits)
      : size_{most_empty + 1}, step_(size_ * size_) {
    for (std::size_t u = 0; u < size_; ++u) {
      const long double chance = static_cast<long double>(u) / static_cast<long double>(bits);
      step_[u * size_ + u] = 1 - chance;
      if (u > 0) step_[u * size_ + u - 1] = chance;
    }
  }

  // Entry u: the chance that u given positions are all filled after `throws` throws.
  std::vector<long double> all_filled_after(std::uint64_t throws) {
    std::vector<long double> column(size_, 0);
    column[0] = 1;
    for (; throws != 0; throws >>= 1) {
      if ((throws & 1) != 0) column = times_column(column);
      if (throws > 1) square();
    }
    return column;
  }

 private:
  std::vector<long double> times_column(const std::vector<long double>& column) const {
    std::vector<long double> product(size_, 0);
    for (std::size_t row = 0; row < size_; ++row)
      for (std::size_t i = 0; i <= row; ++i) product[row] += step_[row * size_ + i] * column[i];
    return product;
  }
  void square() {
    std::vector<long double> product(size_ * size_, 0);
    for (std::size_t row = 0; row < size_; ++row)
      for (std::size_t i = 0; i <= row; ++i)
        for (std::size_t column = 0; column <= i; ++column)
          product[row * size_ + column] += step_[row * size_ + i] * step_[i * size_ + column];
    step_ = std::move(product);
  }

  std::size_t size_;
  std::vector<long double> step_;  // lower triangular
};

// Entry d: the chance that `probes` independent positions are d distinct ones.
std::vector<long double> distinct_positions(Shape shape, std::size_t most) {
  std::vector<long double> chance(most + 1, 0);
  chance[0] = 1;
  const auto bits = static_cast<long double>(shape.bits);
  for (std::uint32_t probe = 0; probe < shape.probes; ++probe)
    for (std::size_t d = most + 1; d-- > 0;) {
      const long double repeats = chance[d] * static_cast<long double>(d) / bits;
      const long double is_new =
          d == 0 ? 0 : chance[d - 1] * (bits - static_cast<long double>(d - 1)) / bits;
      chance[d] = repeats + is_new;
    }
  return chance;
}

}  // namespace

double ideal_bits(Goal goal) {
  return -static_cast<double>(goal.keys) * std::log(goal.false_positive_rate) /
         (std::numbers::ln2 * std::numbers::ln2);
}

double ideal_probes(double bits, double keys) { return bits / keys * std::numbers::ln2; }

double expected_rate(Shape shape, double keys) {
  return power_of_fill(shape.probes * keys / static_cast<double>(shape.bits), shape.probes);
}

double rate_bound(Shape shape, double keys) {
  if (shape.bits <= 1) return 1;
  return power_of_fill(shape.probes * (keys + 0.5) / static_cast<double>(shape.bits - 1),
                       shape.probes);
}

Result<double> exact_rate(Shape shape, std::uint64_t keys) {
  if (auto valid = checked(shape); !valid) return valid.error();
  if (shape.probes > kMaxExactProbes)
    return Error{ErrorCode::kUnsupported,
                 message("the exact rate is computed for up to ", kMaxExactProbes,
                         " probes, and there are ", shape.probes)};
  if (keys > std::numeric_limits<std::uint64_t>::max() / shape.probes)
    return Error{ErrorCode::kUnsupported,
                 message(keys, " keys of ", shape.probes, " probes are more than 2^64 positions")};
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(shape.probes, shape.bits));
  const auto distinct = distinct_positions(shape, most);
  const auto filled = FillChain{most, shape.bits}.all_filled_after(keys * shape.probes);
  long double rate = 0;
  for (std::size_t d = 0; d <= most; ++d) rate += distinct[d] * filled[d];
  return static_cast<double>(rate);
}

// The probes below an ideal number of them, which may be infinite or none at all (NaN).
static std::uint32_t probes_below(double ideal) {
  if (!(ideal >= 1)) return 1;
  return static_cast<std::uint32_t>(
      std::min(std::floor(ideal), static_cast<double>(kMaxProbes - 1)));
}

std::uint32_t best_probes(std::uint64_t bits, std::uint64_t keys) {
  const std::uint32_t low =
      probes_below(ideal_probes(static_cast<double>(bits), static_cast<double>(keys)));
  const auto rate = [&](std::uint32_t probes) {
    return expected_rate(Shape{bits, probes}, static_cast<double>(keys));
  };
  return rate(low + 1) < rate(low) ? low + 1 : low;
}

double bits_for(Goal goal, std::uint32_t probes) {
  return -static_cast<double>(goal.keys) * probes /
         log_of_empty_share(goal.false_positive_rate, probes);
}

std::uint32_t probes_for(double rate) {
  const std::uint32_t low = probes_below(-std::log2(rate));
  return bits_for({1, rate}, low + 1) < bits_for({1, rate}, low) ? low + 1 : low;
}

std::uint64_t max_keys(Shape shape, double rate) {
  const double ideal =
      -static_cast<double>(shape.bits) / shape.probes * log_of_empty_share(rate, shape.probes);
  if (!(ideal < 9e18)) return static_cast<std::uint64_t>(9e18);
  auto keys = static_cast<std::uint64_t>(ideal);
  // The real number was rounded: settle the last key by the formula itself.
  if (expected_rate(shape, static_cast<double>(keys + 1)) <= rate) ++keys;
  const std::uint64_t fewer = internal::first_from(0, keys, [&](std::uint64_t less) {
    return expected_rate(shape, static_cast<double>(keys - less)) <= rate;
  });
  return keys - fewer;
}

}  // namespace bloomery
