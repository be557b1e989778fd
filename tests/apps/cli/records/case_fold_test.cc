#include "apps/cli/records/case_fold.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

std::string folded(std::string text) {
  const auto done = fold_case(text);
  return done ? text : "error: " + done.error().message;
}

TEST(CaseFold, OfAsciiIsLowerCase) {
  EXPECT_EQ(folded(""), "");
  EXPECT_EQ(folded("Straight AZ az @[`{"), "straight az az @[`{");
}

TEST(CaseFold, FollowsUnicodeWhereTheBuildHasItsTable) {
  if (case_folding_version() == "ASCII") {
    EXPECT_EQ(folded("\xc3\x9c").substr(0, 6), "error:");
    return;
  }
  EXPECT_EQ(folded("M\xc3\x9cLLER"), "m\xc3\xbcller");
  EXPECT_EQ(folded("Stra\xc3\x9f"
                   "e"),
            folded("STRASSE"));
  EXPECT_EQ(folded("\xce\xa3\xcf\x82"), folded("\xcf\x83\xcf\x83"));  // both forms of sigma
  EXPECT_EQ(folded("\xd0\x94\xd0\x90"), "\xd0\xb4\xd0\xb0");
  EXPECT_EQ(folded("\xf0\x90\x90\x80"), "\xf0\x90\x90\xa8");  // beyond 16 bits
  EXPECT_NE(folded("\xc3\xbc"), folded("u"));
  EXPECT_EQ(case_folding_version().substr(0, 8), "Unicode ");
}

TEST(CaseFold, LeavesBytesThatAreNoUtf8) {
  if (case_folding_version() == "ASCII") return;
  EXPECT_EQ(folded("A\xff"
                   "B\xc3"),
            "a\xff"
            "b\xc3");
  EXPECT_EQ(folded("\xed\xa0\x80X"), "\xed\xa0\x80x");
}

}  // namespace
}  // namespace bloomery::cli
