#include "apps/cli/filters/output_file.h"

#include <gtest/gtest.h>

#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

TEST(OutputFile, AFileInTheWayIsKeptUnlessForced) {
  const testing::TemporaryFile file{"old"};
  Session session;
  EXPECT_FALSE(may_write({.path = file.path()}, session));
  EXPECT_EQ(session.exit_code, kExitUsage);
  session.exit_code = kExitSuccess;
  EXPECT_TRUE(may_write({.path = file.path(), .force = true}, session));
  EXPECT_TRUE(may_write({.path = file.path() + ".new"}, session));
  EXPECT_EQ(session.exit_code, kExitSuccess);
}

TEST(OutputFile, AFolderThatIsNotThereIsNamedBeforeTheWork) {
  Session session;
  EXPECT_FALSE(may_write({.path = "/no/such/folder/f.bloom"}, session));
  EXPECT_EQ(session.exit_code, kExitUsage);
}

}  // namespace
}  // namespace bloomery::cli
