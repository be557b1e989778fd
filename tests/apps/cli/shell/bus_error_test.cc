#include "apps/cli/shell/bus_error.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "apps/cli/shell/exit_code.h"
#include "bloomery/base/file.h"
#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

// In a process of its own: reads a mapped file after it was truncated.
void read_truncated(bool tell_its_name) {
  const testing::TemporaryFile file{std::string(100'000, 'x')};
  const auto mapped = MappedFile::open(file.path());
  end_cleanly_on_bus_errors();
  if (tell_its_name) name_mapping(mapped->bytes(), "its/name");
  if (::truncate(file.path().c_str(), 10) != 0) ::_exit(1);
  ::_exit(static_cast<int>(mapped->bytes().back()));
}

TEST(BusErrorDeathTest, EndsTheCommandWithASentence) {
  EXPECT_EXIT(read_truncated(true), ::testing::ExitedWithCode(kExitBadFilter),
              "bloomery: its/name: the file was truncated by another process");
  EXPECT_EXIT(read_truncated(false), ::testing::ExitedWithCode(kExitBadFilter),
              "bloomery: a file that the command has open was truncated by another process");
}

}  // namespace
}  // namespace bloomery::cli
