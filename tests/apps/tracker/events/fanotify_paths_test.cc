#include "apps/tracker/events/fanotify_paths.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

// A folder that was moved away is no entrance any more. That must not make every temporary file of
// another program a change that nothing explains.
TEST(FanotifyPaths, ARemovedFileIsGoneThoughOneEntranceIsLost) {
  ScratchFolder folder;
  std::filesystem::create_directories(folder / "kept");
  std::filesystem::create_directories(folder / "lost");
  std::ofstream{folder / "kept/file"} << "x";
  const auto file = handle_at((folder / "kept/file").string());
  const auto kept = handle_at((folder / "kept").string());
  if (!file || !kept) GTEST_SKIP() << "this file system has no handles";
  const std::string filesystem = kept->substr(0, 8);
  FanotifyPaths paths;
  paths.set_entrances(
      {{(folder / "lost").string(), filesystem}, {(folder / "kept").string(), filesystem}});
  if (paths.find_file(*file).paths.empty()) GTEST_SKIP() << "opening by handle is not permitted";
  std::filesystem::remove(folder / "lost");
  EXPECT_FALSE(paths.find_file(*file).is_gone);
  EXPECT_FALSE(paths.find_file(*file).paths.empty());
  std::filesystem::remove(folder / "kept/file");
  EXPECT_TRUE(paths.find_file(*file).is_gone);
  std::filesystem::remove(folder / "kept");
  EXPECT_FALSE(paths.find_file(*file).is_gone) << "no entrance is left to ask";
}

}  // namespace
}  // namespace bloomery::tracker
