#include "bloomery/formats/minio_paths.h"

#include "bloomery/hash/xxh.h"
#include "tests/formats/golden.h"

namespace bloomery {
namespace {

nlohmann::json golden() { return testing::golden_json("formats/minio.json"); }

TEST(MinioPaths, GoldenPathsSplitAndBecomeKeysAsInThePeer) {
  const auto cases = golden().at("paths");
  ASSERT_EQ(cases.size(), 47U);
  for (const auto& one : cases) {
    const std::string path = one.at("in");
    EXPECT_EQ(minio_key(path), one.at("hashPath")) << path;
    EXPECT_EQ(minio_split(path), one.at("split").get<std::vector<std::string>>()) << path;
  }
}

TEST(MinioPaths, BucketNamesAreJudgedAsInThePeer) {
  const auto cases = golden().at("bucket_names");
  ASSERT_EQ(cases.size(), 14U);
  for (const auto& one : cases)
    EXPECT_EQ(minio_bucket_is_usable(one.at("bucket").get<std::string>()), one.at("usable"))
        << one.at("bucket");
  EXPECT_FALSE(minio_bucket_is_usable(std::string(64, 'a')));
  EXPECT_TRUE(minio_bucket_is_usable(std::string(63, 'a')));
  EXPECT_TRUE(minio_bucket_is_usable("192.168.1"));
  EXPECT_TRUE(minio_bucket_is_usable("192.168.1.x"));
  EXPECT_TRUE(minio_bucket_is_usable("1a2b3c4"));
  EXPECT_TRUE(minio_bucket_is_usable("192.168.1.1.1"));
  EXPECT_FALSE(minio_bucket_is_usable("x-.y"));
  EXPECT_FALSE(minio_bucket_is_usable("a b"));
}

TEST(MinioPaths, CleaningFollowsGo) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "."},
      {"/", "/"},
      {"//a///b/", "/a/b"},
      {"a/./b", "a/b"},
      {"a/../..", ".."},
      {"/..", "/"},
      {"/../a", "/a"},
      {"../a", "../a"},
      {"a/b/..", "a"},
      {"../../x/..", "../.."},
  };
  for (const auto& [path, expected] : cases) EXPECT_EQ(minio_clean(path), expected) << path;
}

TEST(MinioPaths, JoiningSkipsEmptyPartsAndMayKeepTheLastSlash) {
  EXPECT_EQ(minio_join({"", "a", "", "b/../c"}), "a/c");
  EXPECT_EQ(minio_join({"", ""}), "");
  EXPECT_EQ(minio_path_join("bucket", "a/"), "bucket/a/");
  EXPECT_EQ(minio_path_join("bucket", "a"), "bucket/a");
  EXPECT_EQ(minio_path_join("logs", "/"), "logs/");
}

TEST(MinioPaths, AChangeSetsOneKeyForEachFolderOnTheWay) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(minio_dirty_keys("bucket", "a/b"), (Keys{"bucket", "bucket/a", "bucket/a/b"}));
  EXPECT_EQ(minio_dirty_keys("bucket", "d__XLDIR__"), (Keys{"bucket", "bucket/d"}));
  EXPECT_EQ(minio_dirty_keys("", "no-bucket/obj"), (Keys{"no-bucket", "no-bucket/obj"}));
  EXPECT_EQ(minio_dirty_keys("", ""), Keys{});
  EXPECT_EQ(minio_dir_key("/bucket/a/"), "bucket/a");
  EXPECT_EQ(minio_dir_key("."), std::nullopt);
  EXPECT_EQ(minio_dir_key("/"), std::nullopt);
  EXPECT_EQ(minio_bucket_of("/bucket/a"), "bucket");
  EXPECT_EQ(minio_bucket_of("/"), "");
}

TEST(MinioPaths, FoldersHaveTheirTurnInThePeersCycles) {
  const auto cases = golden().at("scanner_hash_selectors");
  ASSERT_EQ(cases.size(), 6U);
  for (const auto& one : cases) {
    const std::string key = minio_key(one.at("path").get<std::string>());
    SCOPED_TRACE(key);
    const auto hash = std::stoull(one.at("xxh64").get<std::string>(), nullptr, 16);
    EXPECT_EQ(xxh64(bytes_of(key)), hash);
    std::vector<std::uint32_t> scanned;
    std::vector<std::uint32_t> healed;
    for (std::uint32_t cycle = 0; cycle < 64; ++cycle) {
      if (minio_scan_turn(key, cycle, 16)) scanned.push_back(cycle);
      if (minio_heal_turn(key, cycle, 32)) healed.push_back(cycle);
    }
    EXPECT_EQ(scanned, one.at("mod16_cycles_0_63").get<std::vector<std::uint32_t>>());
    EXPECT_EQ(healed, one.at("modAlt32_cycles_0_63").get<std::vector<std::uint32_t>>());
  }
  EXPECT_TRUE(minio_scan_turn("a", 7, 1));
  EXPECT_FALSE(minio_scan_turn("a", 7, 0));
}

}  // namespace
}  // namespace bloomery
