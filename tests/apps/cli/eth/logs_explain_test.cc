#include "apps/cli/eth/logs_explain.h"

#include <gmock/gmock.h>

namespace bloomery::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string explained(const ethlog::IndexCost& cost) {
  ethlog::QueryReport report;
  report.range = ethlog::BlockRange{0, 799};
  report.sources.push_back({.name = "bloombits", .blocks = 800, .cost = cost});
  ::testing::internal::CaptureStderr();
  explain_search(report);
  return ::testing::internal::GetCapturedStderr();
}

TEST(ExplainLogs, SaysHowManySectionsThreadsRead) {
  const std::string some =
      explained({.sections = 100, .sections_threaded = 97, .vectors = 300, .vectors_shared = 12});
  EXPECT_THAT(some, HasSubstr("by bloombits     800 blocks in 100 sections: 300 vectors, "));
  EXPECT_THAT(some, HasSubstr("\ndirectly         3 sections\n"));
  EXPECT_THAT(some, HasSubstr("\nby threads       97 sections, 12 vectors shared with other "));
}

TEST(ExplainLogs, LeavesOutAWayThatReadNothing) {
  const std::string direct = explained({.sections = 100});
  EXPECT_THAT(direct, HasSubstr("\ndirectly         100 sections\n"));
  EXPECT_THAT(direct, Not(HasSubstr("by threads")));
  EXPECT_THAT(explained({.sections = 9, .sections_threaded = 9}), Not(HasSubstr("directly")));
}

}  // namespace
}  // namespace bloomery::cli
