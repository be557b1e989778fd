#include "apps/tracker/events/below.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "apps/tracker/events/inotify_tree.h"
#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WatchBelow, WhatIsCoveredNeedsNoFlagOfItsOwn) {
  WatchBelow below;
  EXPECT_THAT(below.add("a/b"), ElementsAre("a/b"));
  EXPECT_THAT(below.add("a/b/c"), IsEmpty());
  EXPECT_THAT(below.add("a/b"), IsEmpty());
  EXPECT_THAT(below.add("a/bc"), ElementsAre("a/bc"));
  EXPECT_THAT(below.add("a"), ElementsAre("a"));
  EXPECT_EQ(below.size(), 1U);
  below.clear();
  EXPECT_THAT(below.add("a/b"), ElementsAre("a/b"));
}

TEST(WatchBelow, ManyInOneFolderBecomeTheFolder) {
  WatchBelow below{16};
  std::vector<std::string> flagged;
  for (int i = 0; i < 17; ++i) flagged = below.add(message("modules/", i));
  EXPECT_THAT(flagged, ElementsAre("modules"));
  EXPECT_THAT(below.add("modules/18"), IsEmpty());
  EXPECT_THAT(below.add("other"), ElementsAre("other"));
}

TEST(WatchBelow, AtTheTopItBecomesTheWholeTree) {
  WatchBelow below{4};
  std::vector<std::string> flagged;
  for (int i = 0; i < 5; ++i) flagged = below.add(message(i));
  EXPECT_THAT(flagged, ElementsAre(""));
}

TEST(WatchBelow, EverythingAddedIsCoveredByWhatWasFlagged) {
  std::mt19937_64 random{7};
  WatchBelow below{32};
  std::vector<std::string> added;
  std::vector<std::string> flagged;
  for (int i = 0; i < 2000; ++i) {
    std::string path;
    for (auto depth = random() % 6 + 1; depth > 0; --depth)
      path += message(path.empty() ? "" : "/", random() % 4, random() % 8 == 0 ? "-x" : "");
    added.push_back(path);
    for (std::string& folder : below.add(path)) flagged.push_back(std::move(folder));
    EXPECT_LE(below.size(), 32U);
  }
  for (const std::string& path : added)
    EXPECT_TRUE(std::ranges::any_of(flagged, [&](const auto& f) { return lies_in(path, f); }));
}

TEST(InotifyTree, AMovedFolderTakesEverythingBelowItAlong) {
  InotifyTree tree;
  const auto root = tree.add_root("data");
  const auto a = tree.add_child(root, "a");
  const auto b = tree.add_child(a, "b");
  const auto z = tree.add_child(root, "z");
  tree.set_watch(b, 5);
  EXPECT_EQ(tree.path(b), "data/a/b");
  tree.move(a, z, "new");
  EXPECT_EQ(tree.path(tree.by_watch(5)), "data/z/new/b");
  EXPECT_EQ(tree.child(root, "a"), InotifyTree::kNone);
  EXPECT_TRUE(tree.lies_below(b, z));
  tree.detach(a);
  EXPECT_EQ(tree.path(b), "data/z/new/b") << "where it was";
  EXPECT_FALSE(tree.lies_below(b, z));
  std::vector<InotifyTree::Removed> removed;
  tree.remove(a, removed);
  EXPECT_EQ(removed.size(), 2U);
  EXPECT_EQ(tree.by_watch(5), InotifyTree::kNone);
  EXPECT_EQ(tree.size(), 2U);
  EXPECT_EQ(tree.path(tree.add_child(tree.add_root(""), "x")), "x");
}

}  // namespace
}  // namespace bloomery::tracker
