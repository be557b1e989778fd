#include "bloomery/formats/set/filter_set.h"

#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "bloomery/filter/block/health.h"
#include "tests/filter/many_keys.h"
#include "tests/formats/set/set_files.h"

namespace bloomery {
namespace {

using testing::bytes_of_file;
using testing::ManyKeys;
using testing::save_set;
using testing::whole_filter;

constexpr BlockShape kShape{400, 6};
constexpr BlockShape kLines{600, 16};
constexpr BlockShape kSeeded{400, 6, true};
constexpr std::size_t kKeys = 15'000;

FilterSet opened(const ScratchFolder& folder) {
  auto set = FilterSet::open(folder / "seen.bloomset", {});
  EXPECT_TRUE(set) << set.error().message;
  return std::move(*set);
}

FilterSet opened_to_read(const ScratchFolder& folder) {
  auto manifest = decode_manifest(bytes_of_file(folder / "seen.bloomset"), {});
  EXPECT_TRUE(manifest) << manifest.error().message;
  auto set = FilterSet::open(std::move(*manifest),
                             std::make_unique<testing::ReadFolder>(folder.path()), {});
  EXPECT_TRUE(set) << set.error().message;
  return std::move(*set);
}

std::vector<std::uint8_t> answers_of(const FilterSet& set, const ManyKeys& keys) {
  std::vector<std::uint8_t> answers(keys.size());
  const auto asked = set.may_contain_batch(keys.views(), answers);
  EXPECT_TRUE(asked) << asked.error().message;
  return answers;
}

TEST(FilterSet, AnswersAsTheWholeFilterMappedAndRead) {
  const ManyKeys keys{kKeys};
  const ManyKeys absent{100'000, "absent"};
  for (const BlockShape shape : {kShape, kLines, kSeeded})
    for (const std::uint32_t parts : {1U, 2U, 7U, 64U}) {
      const ScratchFolder folder;
      save_set(folder, shape, parts, keys.views());
      const NativeBlock whole = whole_filter(shape, keys.views());
      std::vector<std::uint8_t> expected(absent.size());
      const std::size_t maybes = whole.filter.may_contain_batch(absent.views(), expected);
      for (const FilterSet& set : {opened(folder), opened_to_read(folder)}) {
        EXPECT_EQ(answers_of(set, absent), expected);
        EXPECT_EQ(std::ranges::count(answers_of(set, keys), 1), std::ptrdiff_t{kKeys});
      }
      // The rate, not only the equality: both could be wrong together.
      const double rate = static_cast<double>(maybes) / static_cast<double>(absent.size());
      const double wanted = expected_rate(shape, kKeys);
      EXPECT_NEAR(rate, wanted, 0.15 * wanted + 5 * std::sqrt(wanted / 1e5));
    }
}

TEST(FilterSet, OpensOnlyThePartsThatKeysNeed) {
  const ScratchFolder folder;
  const ManyKeys keys{kKeys};
  save_set(folder, kShape, 64, keys.views());
  const FilterSet set = opened(folder);
  EXPECT_EQ(set.opened(), 0U);
  const ByteView key = *keys.begin();
  EXPECT_TRUE(*set.may_contain(key));
  EXPECT_EQ(set.opened(), 1U);
  EXPECT_TRUE(*set.may_contain(key));
  EXPECT_EQ(set.opened(), 1U);
  EXPECT_EQ(set.parts_of(set.hash().digest(key)).size(), 1U);
}

TEST(FilterSet, MissingPartIsNamedOnceAKeyNeedsIt) {
  const ScratchFolder folder;
  const ManyKeys keys{kKeys};
  save_set(folder, kShape, 7, keys.views());
  std::filesystem::remove(folder / "seen.3-of-7.bloom");
  const FilterSet set = opened(folder);
  std::size_t refused = 0;
  for (const ByteView key : keys) {
    const auto answer = set.may_contain(key);
    const bool needs_it = set.parts_of(set.hash().digest(key)).front() == 3;
    ASSERT_EQ(answer.has_value(), !needs_it);
    if (answer) continue;
    ++refused;
    ASSERT_TRUE(
        answer.error().message.starts_with("part 3 of 7 (seen.3-of-7.bloom): cannot open: No such "
                                           "file or directory; build it again"));
  }
  EXPECT_NEAR(static_cast<double>(refused), kKeys / 7.0, 300);
  std::vector<std::uint8_t> answers(keys.size());
  EXPECT_FALSE(set.may_contain_batch(keys.views(), answers));
  EXPECT_FALSE(set.verify());
  EXPECT_FALSE(set.health());
  EXPECT_FALSE(set.open_all());
}

void overwrite(const std::filesystem::path& path, std::uint64_t at, char byte) {
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

TEST(FilterSet, DamagedPartIsNamed) {
  const ScratchFolder folder;
  const ManyKeys keys{kKeys};
  save_set(folder, kShape, 3, keys.views());
  overwrite(folder / "seen.1-of-3.bloom", 130, 0x55);
  for (const FilterSet& set : {opened(folder), opened_to_read(folder)}) {
    EXPECT_TRUE(set.verify_part(0));
    EXPECT_TRUE(set.verify_part(2));
    EXPECT_EQ(set.verify_part(1).error().message,
              "part 1 of 3 (seen.1-of-3.bloom): the body checksum at byte 88 does not match: the "
              "body was damaged");
    EXPECT_EQ(set.verify().error().message, set.verify_part(1).error().message);
    std::vector<std::byte> buffer;
    EXPECT_FALSE(set.body(1, buffer));
  }
  overwrite(folder / "seen.2-of-3.bloom", 30, 0x55);
  EXPECT_EQ(opened(folder).verify_part(2).error().message,
            "part 2 of 3 (seen.2-of-3.bloom): the header checksum at byte 120 does not match: the "
            "header was damaged");
}

// As a file of this size, which is loaded: zeros in it would be keys that are absent.
TEST(FilterSet, DamagedPartInMemoryAnswersNothing) {
  const ScratchFolder folder;
  const ManyKeys keys{kKeys};
  for (const BlockShape shape : {kShape, kLines, kSeeded}) {
    save_set(folder, shape, 3, keys.views());
    for (std::uint64_t at = 128; at < 640; ++at) overwrite(folder / "seen.1-of-3.bloom", at, 0);
    const FilterSet set = opened(folder);
    std::vector<std::uint8_t> answers(keys.size());
    const auto asked = set.may_contain_batch(keys.views(), answers);
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().message,
              "part 1 of 3 (seen.1-of-3.bloom): the body checksum at byte 88 does not match: the "
              "body was damaged");
    EXPECT_FALSE(set.health());
    EXPECT_FALSE(set.describe());
  }
}

TEST(FilterSet, PipeAsAPartIsRefused) {
  const ScratchFolder folder;
  const ManyKeys keys{1000};
  save_set(folder, kShape, 3, keys.views());
  std::filesystem::remove(folder / "seen.1-of-3.bloom");
  ASSERT_EQ(::mkfifo((folder / "seen.1-of-3.bloom").c_str(), 0600), 0);
  const auto wrong = opened(folder).verify();
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().message.ends_with("it is not a regular file, and a part must be one"));
}

TEST(FilterSet, ShortStaleAndForeignPartsAreNamed) {
  const ScratchFolder folder;
  const ManyKeys keys{kKeys};
  const ManyKeys others{kKeys, "other"};
  save_set(folder, kShape, 3, keys.views());
  const auto refusal = [&] {
    const auto wrong = opened(folder).open_all();
    return wrong ? std::string{} : wrong.error().message;
  };
  EXPECT_EQ(refusal(), "");
  const auto path = folder / "seen.1-of-3.bloom";

  ASSERT_TRUE(save_native_part(testing::one_part(kShape, {1, 3}, others.views()), path));
  EXPECT_EQ(refusal(),
            "part 1 of 3 (seen.1-of-3.bloom): it is from another build than the manifest (the "
            "checksums of its body differ): write the manifest again, if the part is the newer "
            "one, or build the part again");
  ASSERT_TRUE(save_native_part(testing::one_part({400, 7}, {1, 3}, keys.views()), path));
  EXPECT_EQ(refusal(),
            "part 1 of 3 (seen.1-of-3.bloom): it is a part of another filter: its number of probes "
            "is not that of the manifest");
  ASSERT_TRUE(save_native_part(testing::one_part({266, 6}, {1, 2}, keys.views()), path));
  EXPECT_EQ(refusal(),
            "part 1 of 3 (seen.1-of-3.bloom): it is part 1 of 2, and the manifest wants part 1 of "
            "3");
  ASSERT_TRUE(save_native(whole_filter({133, 6}, keys.views()), path));
  EXPECT_EQ(refusal(),
            "part 1 of 3 (seen.1-of-3.bloom): this is a whole filter, not a part of one: bloomery "
            "split cuts a filter into parts");
  std::filesystem::resize_file(path, 1000);
  EXPECT_EQ(refusal(),
            "part 1 of 3 (seen.1-of-3.bloom): the file has 1000 bytes, and the manifest says 8640: "
            "it was cut short, or is from another build; build it again");
}

TEST(FilterSet, HealthIsThatOfTheWholeFilter) {
  const ManyKeys keys{kKeys};
  for (const BlockShape shape : {kShape, kLines, kSeeded}) {
    const ScratchFolder folder;
    save_set(folder, shape, 7, keys.views());
    const Health whole = whole_filter(shape, keys.views()).filter.health();
    for (const FilterSet& set : {opened(folder), opened_to_read(folder)}) {
      const auto health = set.health();
      ASSERT_TRUE(health) << health.error().message;
      EXPECT_EQ(health->fill, whole.fill);
      EXPECT_EQ(health->error_rate, whole.error_rate);
      EXPECT_EQ(health->estimated_keys, whole.estimated_keys);
      EXPECT_EQ(health->verdict, whole.verdict);
    }
  }
}

// A large filter is judged by a sample: here of parts, there of the whole.
TEST(FilterSet, HealthOfALargeFilterIsThatOfTheWholeFilter) {
  const ScratchFolder folder;
  const ManyKeys keys{kKeys};
  const BlockShape large{kHealthBlocks + 12'345, 6};
  save_set(folder, large, 3, keys.views());
  const Health whole = whole_filter(large, keys.views()).filter.health();
  const FilterSet set = opened(folder);
  const auto health = set.health();
  ASSERT_TRUE(health) << health.error().message;
  EXPECT_TRUE(health->sampled);
  EXPECT_EQ(health->fill, whole.fill);
  EXPECT_EQ(health->error_rate, whole.error_rate);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_NEAR(set.part_health(i)->fill, whole.fill, 1e-4);
}

TEST(FilterSet, DescribesItselfAndItsParts) {
  const ScratchFolder folder;
  const ManyKeys keys{kKeys};
  save_set(folder, kShape, 7, keys.views());
  const auto description = opened(folder).describe();
  ASSERT_TRUE(description);
  EXPECT_EQ(description->layout, "block");
  EXPECT_EQ(description->layers.size(), 7U);
  EXPECT_EQ(description->keys_inserted,
            whole_filter(kShape, keys.views()).filter.provenance().keys_inserted);
  EXPECT_EQ(description->bytes, kShape.bytes());
}

TEST(FilterSet, ManyThreadsOpenPartsOnce) {
  const ScratchFolder folder;
  const ManyKeys keys{kKeys};
  save_set(folder, kShape, 64, keys.views());
  const FilterSet set = opened(folder);
  std::vector<std::jthread> threads;
  std::atomic<std::size_t> found = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (const ByteView key : keys)
        if (const auto answer = set.may_contain(key); answer && *answer) ++found;
    });
  threads.clear();
  EXPECT_EQ(found, 4 * kKeys);
  EXPECT_EQ(set.opened(), 64U);
}

}  // namespace
}  // namespace bloomery
