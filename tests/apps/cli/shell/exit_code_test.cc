#include "apps/cli/shell/exit_code.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

TEST(ExitCode, FollowsTheTable) {
  for (const Blame blame : {Blame::kArguments, Blame::kFilterFile}) {
    EXPECT_EQ(exit_code_of(ErrorCode::kIo, blame), 2);
    EXPECT_EQ(exit_code_of(ErrorCode::kTruncated, blame), 3);
    EXPECT_EQ(exit_code_of(ErrorCode::kMalformed, blame), 3);
    EXPECT_EQ(exit_code_of(ErrorCode::kTooLarge, blame), 4);
  }
  EXPECT_EQ(exit_code_of(ErrorCode::kInvalidArgument, Blame::kArguments), 2);
  EXPECT_EQ(exit_code_of(ErrorCode::kUnsupported, Blame::kArguments), 2);
  EXPECT_EQ(exit_code_of(ErrorCode::kInvalidArgument, Blame::kFilterFile), 3);
  EXPECT_EQ(exit_code_of(ErrorCode::kUnsupported, Blame::kFilterFile), 3);
}

TEST(Complain, NamesTheFileOnce) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(complain("a.bin", "a.bin: cannot open", kExitUsage), kExitUsage);
  complain("a.bin", "it is broken", kExitBadFilter);
  complain("no file here", kExitUsage);
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      "bloomery: a.bin: cannot open\nbloomery: a.bin: it is broken\nbloomery: no file here\n");
}

}  // namespace
}  // namespace bloomery::cli
