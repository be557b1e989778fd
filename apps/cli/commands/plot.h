// The curve behind the size of a filter, as an SVG: how often it errs against the keys put in. The
// goal is a dot on it, and what lies beyond the goal is shown, because filters are overfilled.
#pragma once
#include <string>

#include "apps/cli/commands/rate_curve.h"

namespace bloomery::cli {

// A whole SVG document. Precondition: at least one curve.
std::string rate_plot_svg(const RatePlot& plot);

}  // namespace bloomery::cli
