#include "apps/cli/filters/report.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

TEST(Report, NamesAndValuesStandInTwoColumns) {
  Report report;
  report.row("bits", "9,600");
  report.row("estimated keys", "999");
  ::testing::internal::CaptureStdout();
  report.print();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "  bits            9,600\n"
            "  estimated keys  999\n");
}

TEST(Report, WordsAreFlushLeftAndNumbersFlushRight) {
  ::testing::internal::CaptureStdout();
  print_table({{"layout", "bits"}, {"a", "9,600"}}, 1);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "layout   bits\n"
            "a       9,600\n");
}

TEST(Report, LayersCountFromOneWhateverTheirSystemDoes) {
  LayerDescription layer;
  layer.name = "layer 0";
  LayerDescription other = layer;
  other.name = "layer 1";
  ::testing::internal::CaptureStdout();
  print_layers({layer, other});
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(text.find("layer 0"), std::string::npos) << text;
  EXPECT_LT(text.find("\n  layer 1 "), text.find("\n  layer 2 ")) << text;
  layer.name = "cycle 0";
  ::testing::internal::CaptureStdout();
  print_layers({layer});
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("  cycle 0 "), std::string::npos);
}

TEST(Report, AWideCharacterCountsOnce) { EXPECT_EQ(width_of("10⁻⁷"), 4U); }

}  // namespace
}  // namespace bloomery::cli
