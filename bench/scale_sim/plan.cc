#include "bench/scale_sim/plan.h"

#include <cmath>

namespace bloomery::bench {
namespace {

constexpr double kGigabyte = 1e9;
constexpr double kBillion = 1e9;

}  // namespace

Result<Plan> plan_for(Goal goal, const Assumptions& assumed) {
  const auto shape = block_shape_for(goal);
  if (!shape) return shape.error();
  Plan plan{goal, *shape, 1, 1};
  while (plan.part_bytes() > assumed.most_part_bytes && plan.parts < assumed.most_parts)
    plan.parts *= 2;
  plan.nodes = static_cast<std::uint64_t>(std::ceil(plan.bytes() / assumed.node_bytes));
  return plan;
}

double Plan::build_seconds(const Assumptions& assumed) const {
  return static_cast<double>(goal.keys) * assumed.build_ns * 1e-9;
}

double Plan::line_seconds(const Assumptions& assumed) const {
  return build_seconds(assumed) +
         static_cast<double>(goal.keys) * assumed.record_bytes / assumed.read_bytes_per_second;
}

// All nodes send and receive at once; of what a node has, one share stays.
double Plan::shuffle_seconds(double bytes_per_key, const Assumptions& assumed) const {
  const auto count = static_cast<double>(nodes);
  const double bytes = static_cast<double>(goal.keys) * bytes_per_key / count;
  return bytes * (1 - 1 / count) / assumed.node_bytes_per_second;
}

double Plan::load_seconds(const Assumptions& assumed) const {
  return bytes() / static_cast<double>(nodes) / assumed.node_bytes_per_second;
}

double Plan::add_seconds(const Assumptions& assumed) const {
  return static_cast<double>(goal.keys) / static_cast<double>(nodes) / assumed.adds_per_second;
}

double Plan::build_price(const Assumptions& assumed) const {
  return line_seconds(assumed) / 3600 * assumed.core_hour /
         (static_cast<double>(goal.keys) / kBillion);
}

double Plan::store_price(const Assumptions& assumed) const {
  return bits_per_key() / 8 * kBillion / kGigabyte * assumed.object_month;
}

double Plan::memory_price(const Assumptions& assumed) const {
  return bits_per_key() / 8 * kBillion / kGigabyte * assumed.memory_month;
}

}  // namespace bloomery::bench
