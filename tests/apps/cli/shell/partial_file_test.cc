#include "apps/cli/shell/partial_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

TEST(PartialFile, LiesBesideTheFileBehindLinksThatNeedNotExist) {
  const TemporaryFile file{"old"};
  const std::filesystem::path path = std::filesystem::canonical(file.path());
  EXPECT_EQ(partial_of(path), path.string() + ".partial");
  const std::string link = path.string() + ".link";
  std::filesystem::create_symlink(path.filename(), link);
  EXPECT_EQ(behind_links(link), path);
  EXPECT_EQ(partial_of(link), path.string() + ".partial");
  std::filesystem::remove(path);
  EXPECT_EQ(behind_links(link), path);
  std::filesystem::remove(link);
  EXPECT_EQ(partial_of(link), link + ".partial");
}

}  // namespace
}  // namespace bloomery::cli
