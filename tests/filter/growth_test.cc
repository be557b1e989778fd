#include "bloomery/filter/growth.h"

#include <gtest/gtest.h>

#include <limits>

namespace bloomery {
namespace {

TEST(Growth, RefusesWhatCannotGrow) {
  EXPECT_TRUE(checked(Growth{}));
  EXPECT_TRUE(checked(Growth{.factor = 1, .tightening = 0.99, .max_layers = 1}));
  EXPECT_TRUE(checked(Growth{.factor = 32768}));
  EXPECT_FALSE(checked(Growth{.factor = 0}));
  EXPECT_FALSE(checked(Growth{.factor = 32769}));
  EXPECT_FALSE(checked(Growth{.max_layers = 0}));
  EXPECT_TRUE(checked(Growth{.max_layers = kMaxLayers}));
  EXPECT_FALSE(checked(Growth{.max_layers = kMaxLayers + 1}));
  for (const double tightening : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(checked(Growth{.tightening = tightening})) << tightening;
}

}  // namespace
}  // namespace bloomery
