#include "apps/tracker/state/paths.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

TEST(TrackerPaths, APathHasOneSpelling) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"/", ""},
                                                       {".", ""},
                                                       {"..", ""},
                                                       {"a", "a"},
                                                       {"/a", "a"},
                                                       {"a/", "a"},
                                                       {"//a///b//", "a/b"},
                                                       {"./a/./b/.", "a/b"},
                                                       {"a/../b", "b"},
                                                       {"a/b/../../c", "c"},
                                                       {"../../a", "a"},
                                                       {"a/...", "a/..."},
                                                       {"..a/.b", "..a/.b"},
                                                       {"a\nb/c", "a\nb/c"},
                                                       {"\xff/\xc3", "\xff/\xc3"}};
  for (const auto& [given, expected] : cases) {
    EXPECT_EQ(clean_path(given), expected) << given;
    EXPECT_TRUE(is_clean(expected));
    EXPECT_EQ(is_clean(given), std::string_view{given} == expected) << given;
  }
}

TEST(TrackerPaths, RandomPathsAreCleanOnceCleaned) {
  std::mt19937 random{7};
  for (int i = 0; i < 20'000; ++i) {
    std::string path;
    for (auto length = random() % 12; length > 0; --length) path += "/..ab\n"[random() % 6];
    const std::string clean = clean_path(path);
    EXPECT_TRUE(is_clean(clean)) << path;
    EXPECT_EQ(clean_path(clean), clean);
    EXPECT_EQ(is_clean(path), path == clean) << path;
  }
}

TEST(TrackerPaths, NothingLeadsOutOfABucket) {
  EXPECT_EQ(clean_path("bucket", "../../x"), "bucket/x");
  EXPECT_EQ(clean_path("bucket", "a/../../b"), "bucket/b");
  EXPECT_EQ(clean_path("bucket", ""), "bucket");
  EXPECT_EQ(clean_path("/data/tree/", "/sub//x"), "data/tree/sub/x");
  EXPECT_EQ(clean_path("", "a/../.."), "");
}

TEST(TrackerPaths, WhatLiesWithinAFolderIsFoundThroughLinks) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "tree" / "state");
  std::filesystem::create_directory(folder / "tree2");
  std::filesystem::create_directory_symlink(folder / "tree", folder / "alias");
  EXPECT_TRUE(lies_within(folder / "tree" / "state", folder / "alias"));
  EXPECT_TRUE(lies_within(folder / "alias", folder / "tree"));
  EXPECT_FALSE(lies_within(folder / "tree2", folder / "tree"));
  EXPECT_FALSE(lies_within(folder / "missing", folder / "tree"));
  EXPECT_FALSE(lies_within(folder / "tree", folder / "missing"));
}

TEST(TrackerPaths, AFolderEndsAtASlash) {
  EXPECT_TRUE(lies_in("a/b", "a"));
  EXPECT_TRUE(lies_in("a", "a"));
  EXPECT_TRUE(lies_in("anything", ""));
  EXPECT_FALSE(lies_in("ab", "a"));
  EXPECT_FALSE(lies_in("a", "a/b"));
  EXPECT_EQ(parent_of("a/b/c"), "a/b");
  EXPECT_EQ(parent_of("a"), "");
}

// It stands in state files: a change would make every old one deny what it knows.
TEST(TrackerPaths, DigestsNeverChange) {
  EXPECT_EQ(path_digest("bucket/folder").low, 2050625942407638439U);
  EXPECT_EQ(path_digest(""), path_digest("/"));
  EXPECT_NE(path_digest("a"), path_digest("b"));
}

TEST(TrackerPaths, InAWatchedTreePathsAreAbsoluteAndInside) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "tree");
  std::filesystem::create_directory_symlink(folder / "tree", folder / "link");
  const std::vector<std::string> roots{(folder / "tree").string()};
  const std::string inside = clean_path((folder / "tree" / "gone").string());
  EXPECT_EQ(*resolve_path((folder / "tree/x/../gone").string(), roots), inside);
  EXPECT_EQ(*resolve_path((folder / "link/gone").string(), roots), inside);
  const auto outside = resolve_path((folder / "treehouse").string(), roots);
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(resolve_path("relative", roots));
  EXPECT_EQ(*resolve_path("/bucket//x", {}), "bucket/x");
}

}  // namespace
}  // namespace bloomery::tracker
