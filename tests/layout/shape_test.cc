#include "bloomery/layout/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace bloomery {
namespace {

TEST(Shape, BytesAreWholeWords) {
  EXPECT_EQ((Shape{0, 1}.bytes()), 0U);
  EXPECT_EQ((Shape{1, 1}.bytes()), 8U);
  EXPECT_EQ((Shape{64, 1}.bytes()), 8U);
  EXPECT_EQ((Shape{65, 1}.bytes()), 16U);
  EXPECT_EQ((Shape{UINT64_MAX, 1}.bytes()), std::uint64_t{1} << 61);
}

TEST(Shape, CheckedGoalRefusesWhatIsNoGoal) {
  EXPECT_TRUE(checked(Goal{1, 0.5}));
  EXPECT_FALSE(checked(Goal{0, 0.5}));
  for (const double rate : {0.0, 1.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(checked(Goal{1, rate})) << rate;
}

TEST(Shape, UsableIsWhatAConstructorTakes) {
  EXPECT_EQ(usable(Shape{0, 7}), (Shape{0, 0}));
  EXPECT_EQ(usable(Shape{1, 7}), (Shape{1, 7}));
  EXPECT_EQ(usable(Shape{100, 0}), (Shape{100, 0}));
  EXPECT_EQ(usable(Shape{100, kMaxProbes}), (Shape{100, kMaxProbes}));
  EXPECT_EQ(usable(Shape{100, UINT32_MAX}), (Shape{100, kMaxProbes}));
}

TEST(Shape, CheckedShapeRefusesWhatIsNoShape) {
  EXPECT_TRUE(checked(Shape{1, 1}));
  EXPECT_TRUE(checked(Shape{kMaxBits, kMaxProbes}));
  EXPECT_FALSE(checked(Shape{0, 1}));
  EXPECT_FALSE(checked(Shape{1, 0}));
  EXPECT_FALSE(checked(Shape{kMaxBits + 1, 1}));
  EXPECT_FALSE(checked(Shape{1, kMaxProbes + 1}));
  EXPECT_FALSE(checked_shape(std::numeric_limits<double>::quiet_NaN(), 1));
}

TEST(Shape, RefusalsPrintWholeNumbers) {
  EXPECT_EQ(checked(Shape{1, 2147483648}).error().message,
            "a filter has 1 to 1024 probes, and 2147483648 were asked for");
  EXPECT_EQ(checked(Shape{std::uint64_t{1} << 60, 1}).error().message,
            "a filter has at most 2^48 bits, and 1152921504606846976 would be needed");
  EXPECT_EQ(checked_shape(1e300, 1).error().message,
            "a filter has at most 2^48 bits, and 1e+300 would be needed");
}

}  // namespace
}  // namespace bloomery
