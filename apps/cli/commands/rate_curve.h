// False-positive rates against the number of keys: the data that `size --plot` draws.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bloomery/layout/shape.h"

namespace bloomery::cli {

struct RateCurve {
  std::string label;
  std::function<double(double keys)> rate;
};

struct RatePlot {
  std::string title;
  std::string subtitle;
  Goal goal;
  std::vector<RateCurve> curves;  // the first is the requested filter, and is drawn strongest
};

// The curve of a classic filter, and beside it filters of half and twice the bits with the probes
// that suit them. Where the classical formula is visibly too kind (small filters), its proven upper
// bound is drawn too. Precondition: the goal and the shape are valid.
RatePlot classic_rate_plot(Shape shape, Goal goal);

}  // namespace bloomery::cli
