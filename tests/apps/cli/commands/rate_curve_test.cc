#include "apps/cli/commands/rate_curve.h"

#include <gtest/gtest.h>

#include "bloomery/layout/sizing.h"

namespace bloomery::cli {
namespace {

TEST(RateCurve, TheFirstCurveIsTheFilterAskedFor) {
  const RatePlot plot = classic_rate_plot({9586, 7}, {1000, 0.01});
  EXPECT_EQ(plot.curves.size(), 3U);
  EXPECT_NEAR(plot.curves.front().rate(1000), 0.01, 0.0001);
  EXPECT_EQ(plot.curves.front().label, "this filter: 9.59 bits per key, 7 probes");
}

TEST(RateCurve, HalfTheBitsErrMoreAndTwiceTheBitsLess) {
  const RatePlot plot = classic_rate_plot({9586, 7}, {1000, 0.01});
  EXPECT_NEAR(plot.curves[1].rate(1000), 0.1, 0.005);
  EXPECT_NEAR(plot.curves[2].rate(1000), 0.0001, 0.00001);
}

TEST(RateCurve, ASmallFilterShowsItsUpperBound) {
  const RatePlot plot = classic_rate_plot({120, 6}, {12, 0.01});
  ASSERT_EQ(plot.curves.size(), 4U);
  EXPECT_GT(plot.curves[3].rate(12), 1.02 * plot.curves[0].rate(12));
}

TEST(RateCurve, NoShapeBeyondTheLargestIsDrawn) {
  const RatePlot plot = classic_rate_plot({kMaxBits, 7}, {kMaxBits / 10, 0.01});
  const double keys = kMaxBits / 10;
  EXPECT_DOUBLE_EQ(plot.curves[2].rate(keys),
                   expected_rate(Shape{kMaxBits, best_probes(kMaxBits, kMaxBits / 10)}, keys));
}

}  // namespace
}  // namespace bloomery::cli
