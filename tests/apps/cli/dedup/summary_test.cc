#include "apps/cli/dedup/summary.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

DedupSummary summary(Verdict verdict = Verdict::kOk) {
  DedupSummary summary{.records = 1000, .kept = 900, .seconds = 0.5, .filter = {}};
  summary.filter.health = Health{0.5, 900, 0.01, verdict};
  return summary;
}

TEST(DedupSentence, CountsRecordsAndThoseExpectedToBeLost) {
  EXPECT_EQ(
      dedup_sentence(summary()),
      "1,000 records in 0.50 s (2,000/s): 900 kept, 100 dropped as repeats (about 1.5 wrongly); "
      "fill 50 %, false positives 1 %");
}

TEST(DedupSentence, AddsWhatTheAskedFiltersMayLose) {
  DedupSummary with_against = summary();
  with_against.against_rate = 0.1;
  EXPECT_NE(dedup_sentence(with_against).find("(about 10"), std::string::npos);
  with_against.against_is_known = false;
  EXPECT_NE(dedup_sentence(with_against).find("besides those of --against)"), std::string::npos);
}

TEST(DedupSentence, SaysThatNothingWasLostWhenConfirmed) {
  DedupSummary exact = summary();
  exact.suspects = 107;
  EXPECT_NE(dedup_sentence(exact).find("(none wrongly: 107 suspects, 100 confirmed)"),
            std::string::npos);
}

TEST(DedupSentence, EstimatesNothingForASaturatedFilter) {
  const std::string sentence = dedup_sentence(summary(Verdict::kSaturated));
  EXPECT_NE(sentence.find("(many perhaps wrongly, because the filter is saturated)"),
            std::string::npos);
  EXPECT_EQ(sentence.find("about"), std::string::npos);
}

}  // namespace
}  // namespace bloomery::cli
