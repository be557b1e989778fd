#include "apps/cli/filters/insertion.h"

#include <gtest/gtest.h>

#include "apps/cli/filters/unused_options.h"
#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

TEST(SaveAndReport, SaysThatTheInputChangedWhileItWasRead) {
  const ::bloomery::testing::TemporaryFile file{""};
  CreateOptions create;
  create.sizing.keys = 5;
  create.sizing.rate = 0.01;
  const Format* const format = find_format("bloomery");
  auto filter = format->create(create);
  ASSERT_TRUE(filter);
  Session session;
  Insertion insertion{.path = file.path(), .format = format, .filter = &*filter};
  for (const std::uint64_t counted : {3, 5}) {
    insertion.counted = counted;
    ::testing::internal::CaptureStderr();
    save_and_report(insertion, {.records = 3, .selected = 3, .seconds = 1, .filter = {}}, session);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(session.exit_code, kExitSuccess);
    EXPECT_EQ(
        said.find("the input changed while it was read: 5 records were counted, but 3 were") !=
            std::string::npos,
        counted == 5)
        << said;
  }
}

TEST(JudgeBy, TheGoalOfAFilterThatStoresNone) {
  Description description;
  description.health = Health{0.5, 100, 0.02, Verdict::kOk};
  judge_by(std::nullopt, description);
  EXPECT_FALSE(description.goal);
  judge_by(0.05, description);
  EXPECT_FALSE(over_design(description));
  description.goal.reset();
  judge_by(0.01, description);
  EXPECT_TRUE(over_design(description));
  ::testing::internal::CaptureStderr();
  warn_of_health("f.guava", description, {});
  EXPECT_NE(
      ::testing::internal::GetCapturedStderr().find(
          "the filter is over its design: about 100 keys; its false-positive rate is 2 %, and "
          "its goal is 1 %"),
      std::string::npos);
}

TEST(JudgeBy, AStoredGoalStays) {
  Description description;
  description.health = Health{0.5, 100, 0.02, Verdict::kOk};
  description.goal = Goal{100, 0.02};
  judge_by(0.01, description);
  EXPECT_FALSE(over_design(description));
  EXPECT_EQ(description.goal->false_positive_rate, 0.02);
}

TEST(CheckHeaderOptions, NamesTheGoalWhereItIsStored) {
  FormatOptions options;
  options.sizing.rate = 0.01;
  EXPECT_EQ(check_header_options(options, "bloomery").error().message,
            "--fpr: a file of format bloomery stores its size; leave the option out");
  options.rate_is_goal = true;
  EXPECT_EQ(check_header_options(options, "bloomery").error().message,
            "--fpr: a file of format bloomery stores its goal; leave the option out");
}

}  // namespace
}  // namespace bloomery::cli
