#include "apps/cli/shell/progress.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

TEST(ProgressLine, TellsWhatIsLeftWhereTheSizeIsKnown) {
  EXPECT_EQ(
      progress_line({.records = 12'300'000, .seconds = 5, .bytes_done = 50, .bytes_total = 100}),
      "12,300,000 records  2,460,000/s  [============            ]  50 %  5.00 s left");
  EXPECT_EQ(progress_line({.records = 1000, .seconds = 2, .bytes_done = 50}),
            "1,000 records  500/s");
}

TEST(ProgressLine, SurvivesNothingDoneAndMoreThanAll) {
  EXPECT_EQ(progress_line({.bytes_total = 100}), "0 records  0/s  [                        ]  0 %");
  EXPECT_EQ(progress_line({.records = 1, .seconds = 1, .bytes_done = 200, .bytes_total = 100}),
            "1 records  1/s  [========================]  100 %  0.00 s left");
}

std::string drawn(When when) {
  Globals globals;
  globals.progress = when;
  ::testing::internal::CaptureStderr();
  {
    Progress progress{globals, 100};
    progress.update(1, 10);
    progress.update(2, 20);
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(Progress, IsSilentUnlessATerminalWatchesOrItMustSpeak) {
  EXPECT_EQ(drawn(When::kNever), "");
  EXPECT_EQ(drawn(When::kAuto), "");  // the captured stderr is a file
  const std::string bar = drawn(When::kAlways);
  EXPECT_NE(bar.find("1 records"), std::string::npos);
  EXPECT_EQ(bar.find("2 records"), std::string::npos) << "drawn more than ten times a second";
  EXPECT_TRUE(bar.ends_with("\r\x1b[K")) << "the bar must be wiped at the end";
}

}  // namespace
}  // namespace bloomery::cli
