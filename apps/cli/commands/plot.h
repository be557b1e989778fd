// The false-positive rate of a filter against the number of keys, as an SVG picture. A dot marks
// the goal; the curve goes beyond it, because filters are overfilled in practice.
#pragma once
#include <string>

#include "apps/cli/commands/rate_curve.h"

namespace bloomery::cli {

// A whole SVG document. Precondition: at least one curve.
std::string rate_plot_svg(const RatePlot& plot);

}  // namespace bloomery::cli
