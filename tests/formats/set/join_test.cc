#include "bloomery/formats/set/join.h"

#include <fstream>

#include "tests/filter/many_keys.h"
#include "tests/formats/set/set_files.h"

namespace bloomery {
namespace {

using testing::bytes_of_file;
using testing::ManyKeys;
using testing::save_set;
using testing::whole_filter;

TEST(Join, FileOfAllPartsIsTheFileOfOneBuilder) {
  const ManyKeys keys{10'000};
  for (const BlockShape shape : {BlockShape{500, 6}, BlockShape{500, 6, true}, BlockShape{500, 24}})
    for (const std::uint32_t parts : {1U, 2U, 3U, 7U, 64U}) {
      const ScratchFolder folder;
      save_set(folder, shape, parts, keys.views());
      const auto set = FilterSet::open(folder / "seen.bloomset", {});
      ASSERT_TRUE(set) << set.error().message;
      ASSERT_TRUE(join_set(*set, folder / "seen.bloom"));
      NativeBlock whole = whole_filter(shape, keys.views());
      // With several lines per key each part sees a part of every key: none can count.
      if (shape.lines() > 1) whole.filter.set_provenance({testing::kSetGoal, std::nullopt});
      EXPECT_EQ(bytes_of_file(folder / "seen.bloom"), encode_native(whole)) << parts;
    }
}

// More files than a process may have open by default.
TEST(Join, FourThousandFilesAreTheFileOfOneBuilder) {
  const ManyKeys keys{5000};
  const BlockShape shape{5000, 6};
  const ScratchFolder folder;
  save_set(folder, shape, 4096, keys.views());
  EXPECT_EQ(folder.entries(), 4096 + 1);
  const auto set = FilterSet::open(folder / "seen.bloomset", {});
  ASSERT_TRUE(set) << set.error().message;
  ASSERT_TRUE(join_set(*set, folder / "seen.bloom"));
  EXPECT_EQ(bytes_of_file(folder / "seen.bloom"), encode_native(whole_filter(shape, keys.views())));
}

TEST(Join, PartsThatWereCutAreTheFileAgain) {
  const ManyKeys keys{10'000};
  for (const BlockShape shape : {BlockShape{500, 6}, BlockShape{500, 6, true}, BlockShape{500, 24}})
    for (const std::uint32_t parts : {1U, 7U, 64U, 500U}) {
      const ScratchFolder folder;
      ASSERT_TRUE(save_native(whole_filter(shape, keys.views()), folder / "all.bloom"));
      const auto manifest = cut_filter(folder / "all.bloom", parts, folder.path(), "cut", {});
      ASSERT_TRUE(manifest) << manifest.error().message;
      ASSERT_TRUE(save_manifest(*manifest, folder / "cut.bloomset"));
      EXPECT_EQ(folder.entries(), parts + 2);
      const auto set = FilterSet::open(folder / "cut.bloomset", {});
      ASSERT_TRUE(set) << set.error().message;
      ASSERT_TRUE(join_set(*set, folder / "again.bloom"));
      EXPECT_EQ(bytes_of_file(folder / "again.bloom"), bytes_of_file(folder / "all.bloom"));
    }
}

TEST(Join, CutPartsAreThoseThatBuildersMake) {
  const ScratchFolder folder;
  const ManyKeys keys{10'000};
  const BlockShape shape{500, 6};
  ASSERT_TRUE(save_native(whole_filter(shape, keys.views()), folder / "all.bloom"));
  ASSERT_TRUE(cut_filter(folder / "all.bloom", 3, folder.path(), "cut", {}));
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto cut = load_native_part(folder / part_file_name("cut", {i, 3}), {});
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_EQ(cut->filter, testing::one_part(shape, {i, 3}, keys.views()).filter);
  }
}

TEST(Join, RefusesAMissingPart) {
  const ScratchFolder folder;
  const ManyKeys keys{1000};
  save_set(folder, {50, 6}, 3, keys.views());
  std::filesystem::remove(folder / "seen.2-of-3.bloom");
  const auto set = FilterSet::open(folder / "seen.bloomset", {});
  ASSERT_TRUE(set);
  const auto joined = join_set(*set, folder / "seen.bloom");
  ASSERT_FALSE(joined);
  EXPECT_TRUE(joined.error().message.starts_with("part 2 of 3 (seen.2-of-3.bloom): "));
  EXPECT_FALSE(std::filesystem::exists(folder / "seen.bloom"));
}

TEST(Join, HeaderIsVerifiedWithItsBody) {
  const ScratchFolder folder;
  const ManyKeys keys{1000};
  save_set(folder, {50, 6}, 3, keys.views());
  const auto path = folder / "seen.1-of-3.bloom";
  const auto header = read_verified_part_header(path);
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->part(), (Part{1, 3}));
  std::fstream{path, std::ios::in | std::ios::out | std::ios::binary}.seekp(200).put('U');
  EXPECT_TRUE(read_part_header(path));
  const auto damaged = read_verified_part_header(path);
  ASSERT_FALSE(damaged);
  EXPECT_TRUE(damaged.error().message.ends_with("the body was damaged"));
}

TEST(Join, RefusesToCutWhatHasNoParts) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_native(NativeClassic{ClassicFilter<BloomeryClassic>{{1000, 3}}},
                          folder / "classic.bloom"));
  EXPECT_EQ(cut_filter(folder / "classic.bloom", 2, folder.path(), "cut", {}).error().message,
            "only filters of the layouts block and lines have parts: a key of another layout sets "
            "bits all over the filter");
  ASSERT_TRUE(save_native(NativeBlock{BlockFilter{{5, 6}}}, folder / "small.bloom"));
  EXPECT_FALSE(cut_filter(folder / "small.bloom", 6, folder.path(), "cut", {}));
}

TEST(Join, NamesOfPartsSortAsTheirNumbers) {
  EXPECT_EQ(part_file_name("seen", {3, 64}), "seen.03-of-64.bloom");
  EXPECT_EQ(part_file_name("seen", {63, 64}), "seen.63-of-64.bloom");
  EXPECT_EQ(part_file_name("seen", {0, 4096}), "seen.0000-of-4096.bloom");
  EXPECT_EQ(part_file_name("seen", {0, 1}), "seen.0-of-1.bloom");
}

}  // namespace
}  // namespace bloomery
