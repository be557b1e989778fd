#include "apps/cli/commands/rate_curve.h"

#include <algorithm>
#include <string_view>

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"
#include "bloomery/layout/sizing.h"

namespace bloomery::cli {
namespace {

Shape resized(Shape shape, Goal goal, double times) {
  const double wanted = std::clamp(static_cast<double>(shape.bits) * times, 1.0, double{kMaxBits});
  const auto bits = static_cast<std::uint64_t>(wanted);
  return {bits, best_probes(bits, goal.keys)};
}

std::string probes_in_words(std::uint32_t probes) {
  return message(probes, probes == 1 ? " probe" : " probes");
}

RateCurve classical_curve(std::string_view what, Shape shape, Goal goal) {
  const double bits_per_key = static_cast<double>(shape.bits) / static_cast<double>(goal.keys);
  return {message(what, ": ", significant(bits_per_key, 3), " bits per key, ",
                  probes_in_words(shape.probes)),
          [shape](double keys) { return expected_rate(shape, keys); }};
}

}  // namespace

RatePlot classic_rate_plot(Shape shape, Goal goal) {
  const auto keys = static_cast<double>(goal.keys);
  RatePlot plot;
  plot.goal = goal;
  plot.title = message("A Bloom filter for ", axis_count(keys), " keys at ",
                       axis_percent(goal.false_positive_rate));
  plot.subtitle = message(format_count(shape.bits), " bits (", format_bytes(shape.bytes()), "), ",
                          probes_in_words(shape.probes), ", ",
                          significant(static_cast<double>(shape.bits) / keys, 4), " bits per key");
  plot.curves.push_back(classical_curve("this filter", shape, goal));
  plot.curves.push_back(classical_curve("half the bits", resized(shape, goal, 0.5), goal));
  plot.curves.push_back(classical_curve("twice the bits", resized(shape, goal, 2), goal));
  if (rate_bound(shape, keys) > 1.02 * expected_rate(shape, keys))
    plot.curves.push_back({"upper bound for so small a filter",
                           [shape](double asked) { return rate_bound(shape, asked); }});
  return plot;
}

}  // namespace bloomery::cli
