#include "bloomery/base/list_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST(ListFolder, NamesEverythingButTheFolderItselfAndItsParent) {
  const auto folder = std::filesystem::path{::testing::TempDir()} / "list_folder_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "below");
  std::ofstream{folder / "a file"} << "x";
  std::ofstream{folder / ".hidden"} << "x";
  const auto names = list_folder(folder.string());
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_THAT(*names, UnorderedElementsAre("a file", ".hidden", "below"));
  std::filesystem::remove_all(folder);
}

TEST(ListFolder, SaysWhyAFolderCannotBeListed) {
  const auto names = list_folder("/nowhere/at all");
  ASSERT_FALSE(names);
  EXPECT_EQ(names.error().code, ErrorCode::kIo);
  EXPECT_THAT(names.error().message, HasSubstr("/nowhere/at all: cannot list the folder: No such"));
}

}  // namespace
}  // namespace bloomery
