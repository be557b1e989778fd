#include "bloomery/filter/classic/bloomery_classic.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/layout/sizing.h"

namespace bloomery {
namespace {

// Whole words, and room to halve a larger filter up to six times: at most 1/128 is added.
double rounded_for_folding(double bits) {
  const auto halvings = static_cast<std::uint64_t>(std::min(bits / 8192, 64.0));
  const auto multiple =
      64.0 * static_cast<double>(std::max<std::uint64_t>(1, std::bit_floor(halvings)));
  return std::ceil(bits / multiple) * multiple;
}

}  // namespace

Result<Shape> BloomeryClassic::shape_for(Goal goal) {
  if (auto valid = checked(goal); !valid) return valid.error();
  const std::uint32_t probes = probes_for(goal.false_positive_rate);
  const auto keys = static_cast<double>(goal.keys);
  // The bound asks for half a key and one bit more than the classical formula.
  const double bits = bits_for({1, goal.false_positive_rate}, probes) * (keys + 0.5) + 1;
  auto shape = checked_shape(rounded_for_folding(std::max(64.0, std::ceil(bits))), probes);
  if (!shape) return shape.error();
  if (rate_bound(*shape, keys) > goal.false_positive_rate)  // lost by rounding doubles
    return checked_shape(rounded_for_folding(static_cast<double>(shape->bits + 1)), probes);
  return shape;
}

}  // namespace bloomery
