#include "apps/ethlog/index/adaptive/shape.h"

#include <algorithm>
#include <map>
#include <vector>

#include "bloomery/layout/sizing.h"

namespace bloomery::ethlog {
namespace {

constexpr double kHardlyLarger = 1.03;

using Densities = std::map<std::uint32_t, std::uint64_t>;  // blocks by their number of keys

double mean_rate(const Densities& densities, Shape shape, double blocks) {
  double sum = 0;
  for (const auto& [keys, count] : densities)
    if (keys > 0) sum += static_cast<double>(count) * expected_rate(shape, keys);
  return sum / blocks;
}

std::uint64_t rows_for(const Densities& densities, std::uint32_t probes, double rate, double blocks,
                       std::uint64_t most_rows) {
  std::uint64_t enough = 1;
  while (enough < most_rows && mean_rate(densities, {enough, probes}, blocks) > rate) enough *= 2;
  std::uint64_t too_few = enough / 2;
  enough = std::min(enough, most_rows);
  while (enough - too_few > 1) {
    const std::uint64_t middle = too_few + (enough - too_few) / 2;
    (mean_rate(densities, {middle, probes}, blocks) > rate ? too_few : enough) = middle;
  }
  return enough;
}

}  // namespace

Shape adaptive_shape(std::span<const std::uint32_t> keys_of_blocks, double rate,
                     std::uint64_t most_rows) {
  Densities densities;
  for (const std::uint32_t keys : keys_of_blocks) densities[keys] += 1;
  const std::uint32_t usual = probes_for(rate);
  if (densities.empty() || densities.rbegin()->first == 0) return {0, usual};
  const auto blocks = static_cast<double>(keys_of_blocks.size());
  // Where a few blocks are much denser than the others, they are given up with few probes.
  std::vector<Shape> shapes;
  for (std::uint32_t probes = 1; probes <= usual + 1; ++probes)
    shapes.push_back({rows_for(densities, probes, rate, blocks, most_rows), probes});
  const auto smallest = std::ranges::min_element(shapes, {}, &Shape::bits)->bits;
  return *std::ranges::find_if(shapes, [&](const Shape& shape) {
    return static_cast<double>(shape.bits) <= kHardlyLarger * static_cast<double>(smallest);
  });
}

}  // namespace bloomery::ethlog
