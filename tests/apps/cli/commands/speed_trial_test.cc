#include "apps/cli/commands/speed_trial.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

SpeedRow row(std::string name, double nanoseconds, double spread) {
  SpeedRow made;
  made.name = std::move(name);
  made.hit_ns = nanoseconds;
  made.miss_ns = nanoseconds;
  made.spread = spread;
  return made;
}

TEST(SpeedTrial, NamesTheFastestWhenTheRoundsAgree) {
  const std::vector<SpeedRow> rows = {row("slow", 9, 0.01), row("fast", 3, 0.02)};
  ASSERT_NE(winner(rows), nullptr);
  EXPECT_EQ(winner(rows)->name, "fast");
}

TEST(SpeedTrial, NamesNobodyWhenTheFastestVaries) {
  EXPECT_EQ(winner({row("slow", 9, 0.01), row("fast", 3, 0.06)}), nullptr);
}

TEST(SpeedTrial, NamesNobodyWhenTheNextMayBeAsFast) {
  EXPECT_EQ(winner({row("next", 3.3, 0.2), row("fast", 3, 0.01)}), nullptr);
}

TEST(SpeedTrial, ANoisySlowOneDoesNotMatter) {
  const std::vector<SpeedRow> rows = {row("slow", 90, 0.5), row("fast", 3, 0.01)};
  ASSERT_NE(winner(rows), nullptr);
  EXPECT_EQ(winner(rows)->name, "fast");
}

TEST(SpeedTrial, MeasuresEveryFilterBesideItsRate) {
  int ticks = 0;
  const auto rows = run_speed_trial({{2000, 0.05}, 0}, [&] { ++ticks; });
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(static_cast<std::size_t>(ticks), rows->size());
  for (const SpeedRow& measured : *rows) {
    EXPECT_NEAR(measured.rate, 0.05, 0.02) << measured.name;
    EXPECT_GT(measured.insert_ns, 0) << measured.name;
    EXPECT_NEAR(measured.bits_per_key, 6.5, 1) << measured.name;
  }
  EXPECT_FALSE(run_speed_trial({{2000, 1e-14}, 0}, [] {}));
}

}  // namespace
}  // namespace bloomery::cli
