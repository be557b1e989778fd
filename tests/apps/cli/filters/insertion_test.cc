#include "apps/cli/filters/insertion.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bloomery::cli
