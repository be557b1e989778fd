#include "bloomery/formats/index/change.h"

#include <algorithm>
#include <random>

#include "bloomery/base/file.h"
#include "tests/formats/index/filters_of.h"

namespace bloomery {
namespace {

using testing::IndexedFolder;
using testing::lock_of;
using testing::names_of;
using testing::shape_of;

// Any order of appends, deletes and compactions says what a rebuild would say.
void change_at_random(const CreateOptions& shape, std::uint64_t seed) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  IndexedFolder folder{shape};
  auto first = folder.add_many(1 + random() % 20);
  std::vector<std::string> live = names_of(first);
  ASSERT_TRUE(build_index(first, folder.index(), {}));
  std::uint64_t next = 100;
  bool rewritten = false;
  for (int step = 0; step < 25; ++step) {
    const auto lock = lock_of(folder.index());
    const std::uint64_t what = random() % 10;
    Result<IndexChange> changed = IndexChange{};
    if (what < 6) {
      const std::size_t count = random() % 4 == 0 ? 1 + random() % 70 : 1 + random() % 3;
      auto more = folder.add_many(count, next);
      next += count;
      changed = append_to_index(folder.index(), more, lock);
      for (const FilterToIndex& filter : more) live.push_back(filter.name);
    } else if (what < 9 && !live.empty()) {
      std::ranges::shuffle(live, random);
      const std::size_t count = 1 + random() % live.size();
      const std::vector<std::string> gone(live.end() - static_cast<std::ptrdiff_t>(count),
                                          live.end());
      live.resize(live.size() - count);
      changed = delete_from_index(folder.index(), gone, lock);
    } else {
      changed = compact_index(folder.index(), lock);
      ASSERT_TRUE(changed) << changed.error().message;
      EXPECT_EQ(changed->dead_bytes, 0U);
    }
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_EQ(changed->filters, live.size());
    EXPECT_EQ(changed->file_bytes, std::filesystem::file_size(folder.index()));
    rewritten |= changed->rewritten;
    folder.expect_same_answers(live);
  }
  EXPECT_TRUE(rewritten);
}

TEST(IndexChange, AnyOrderSaysWhatARebuildSays) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    change_at_random(shape_of(Layout::kBlock, 512 * 2, 8), seed);
    change_at_random(shape_of(Layout::kClassic, 321, 4), 100 + seed);
  }
  change_at_random(shape_of(Layout::kLines, 512 * 4, 16), 200);
  change_at_random(shape_of(Layout::kCounting, 555, 3), 300);
}

TEST(IndexChange, ASequenceOfSingleAppendsStaysSmall) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 16, 8)};
  const auto filters = folder.add_many(200);
  ASSERT_TRUE(build_index(std::span{filters}.first(1), folder.index(), {}));
  std::uint64_t written = 0;
  for (std::size_t i = 1; i < filters.size(); ++i) {
    const auto changed =
        append_to_index(folder.index(), std::span{filters}.subspan(i, 1), lock_of(folder.index()));
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_LE(changed->dead_bytes, changed->file_bytes / 2 + 32'768) << i;
    written = changed->file_bytes;
  }
  const auto index = FilterIndex::open(folder.index(), {});
  ASSERT_TRUE(index);
  EXPECT_LE(index->view().directory().segments.size(), 8U);
  EXPECT_EQ(index->view().directory().header.changes, filters.size() - 1);
  EXPECT_LT(written, 4 * 512 * 16 / 8 * filters.size());
  folder.expect_same_answers(names_of(filters));
}

TEST(IndexChange, ACompactedIndexIsTheFileOfARebuild) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 3, 6)};
  const auto filters = folder.add_many(50);
  ASSERT_TRUE(build_index(std::span{filters}.first(30), folder.index(), {}));
  ASSERT_TRUE(
      append_to_index(folder.index(), std::span{filters}.subspan(30), lock_of(folder.index())));
  ASSERT_TRUE(delete_from_index(folder.index(), std::vector<std::string>{"f3", "f31", "f49"},
                                lock_of(folder.index())));
  ASSERT_TRUE(compact_index(folder.index(), lock_of(folder.index())));
  std::vector<FilterToIndex> left;
  for (const FilterToIndex& filter : filters)
    if (filter.name != "f3" && filter.name != "f31" && filter.name != "f49") left.push_back(filter);
  ASSERT_TRUE(build_index(left, folder.path("rebuilt"), {}));
  auto compacted = *read_file(folder.index(), {});
  auto rebuilt = *read_file(folder.path("rebuilt"), {});
  ASSERT_EQ(compacted.size(), rebuilt.size());
  // They differ in the number of changes, and so in the checksum of the header.
  EXPECT_TRUE(std::ranges::equal(ByteView{compacted}.subspan(512), ByteView{rebuilt}.subspan(512)));
}

TEST(IndexChange, ReplacesANamesakeOnlyWhenTold) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 3, 8)};
  ASSERT_TRUE(build_index(folder.add_many(5), folder.index(), {}));
  const auto before = *read_file(folder.index(), {});
  const auto today = folder.add("f2", 4711);
  const auto refused =
      append_to_index(folder.index(), std::span{&today, 1}, lock_of(folder.index()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(*read_file(folder.index(), {}), before);
  IndexChangeOptions replace;
  replace.replaces = true;
  const auto replaced =
      append_to_index(folder.index(), std::span{&today, 1}, lock_of(folder.index()), replace);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(replaced->deleted, 1U);
  folder.expect_same_answers({"f0", "f1", "f2", "f3", "f4"});
}

TEST(IndexChange, WhatCannotBeDoneLeavesTheFileAsItWas) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 3, 8)};
  ASSERT_TRUE(build_index(folder.add_many(5), folder.index(), {}));
  const auto before = *read_file(folder.index(), {});
  const auto unchanged = [&] { return *read_file(folder.index(), {}) == before; };
  const auto gone = delete_from_index(folder.index(), std::vector<std::string>{"f1", "no such"},
                                      lock_of(folder.index()));
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find("no filter called no such"), std::string::npos);
  EXPECT_TRUE(unchanged());
  const auto more = folder.add_many(3, 50);
  IndexChangeOptions stopped;
  stopped.stop = [] { return true; };
  EXPECT_FALSE(append_to_index(folder.index(), more, lock_of(folder.index()), stopped));
  EXPECT_TRUE(unchanged());
  EXPECT_FALSE(compact_index(folder.index(), lock_of(folder.index()), stopped));
  EXPECT_TRUE(unchanged());
  // The last of them is damaged, which is noticed once the others were written.
  auto bytes = *read_file(more[2].path, {});
  bytes.back() ^= std::byte{1};
  ASSERT_TRUE(save_file(more[2].path, bytes));
  EXPECT_FALSE(append_to_index(folder.index(), more, lock_of(folder.index())));
  EXPECT_TRUE(unchanged());
  EXPECT_FALSE(append_to_index(folder.path("absent"), more, {}));
  EXPECT_FALSE(compact_index(folder.path("absent"), {}));
}

TEST(IndexChange, DoesNotGiveDamagedRowsANewChecksum) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 3, 8)};
  ASSERT_TRUE(build_index(folder.add_many(5), folder.index(), {}));
  auto bytes = *read_file(folder.index(), {});
  bytes[kIndexPage + 7] ^= std::byte{4};
  ASSERT_TRUE(save_file(folder.index(), bytes));
  const auto compacted = compact_index(folder.index(), lock_of(folder.index()));
  ASSERT_FALSE(compacted);
  EXPECT_EQ(compacted.error().code, ErrorCode::kMalformed);
  EXPECT_FALSE(append_to_index(folder.index(), folder.add_many(2, 60), lock_of(folder.index())));
}

// What a killed process left behind the end counts for nothing, and the next change removes it.
TEST(IndexChange, IgnoresWhatAFailedAppendLeft) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 3, 8)};
  const auto filters = folder.add_many(60);
  ASSERT_TRUE(build_index(std::span{filters}.first(40), folder.index(), {}));
  auto bytes = *read_file(folder.index(), {});
  bytes.resize(bytes.size() + 100'000, std::byte{0x55});
  ASSERT_TRUE(save_file(folder.index(), bytes));
  folder.expect_same_answers(names_of({filters.begin(), filters.begin() + 40}));
  const auto added =
      append_to_index(folder.index(), std::span{filters}.subspan(40), lock_of(folder.index()));
  ASSERT_TRUE(added);
  EXPECT_EQ(added->file_bytes, std::filesystem::file_size(folder.index()));
  folder.expect_same_answers(names_of(filters));
}

// A reader keeps the answers of the moment when it opened the index.
TEST(IndexChange, DoesNotDisturbAReader) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 8, 8)};
  const auto filters = folder.add_many(60);
  ASSERT_TRUE(build_index(std::span{filters}.first(40), folder.index(), {}));
  const auto reader = FilterIndex::open(folder.index(), {});
  ASSERT_TRUE(reader);
  const ByteView key = bytes_of("key 7");
  IndexAnswers before;
  reader->view().find(std::span{&key, 1}, before);
  const std::vector<std::uint64_t> expected{before[0].begin(), before[0].end()};
  ASSERT_FALSE(expected.empty());
  const auto same = [&] {
    IndexAnswers now;
    reader->view().find(std::span{&key, 1}, now);
    return std::ranges::equal(now[0], expected) && reader->view().verify().has_value() &&
           reader->check_size().has_value();
  };
  for (std::size_t i = 40; i < 60; ++i) {
    ASSERT_TRUE(
        append_to_index(folder.index(), std::span{filters}.subspan(i, 1), lock_of(folder.index())));
    EXPECT_TRUE(same()) << i;
  }
  ASSERT_TRUE(delete_from_index(folder.index(), std::vector<std::string>{"f1", "f2"},
                                lock_of(folder.index())));
  EXPECT_TRUE(same());
  ASSERT_TRUE(compact_index(folder.index(), lock_of(folder.index())));
  EXPECT_TRUE(same());
}

TEST(IndexChange, AnIndexMayBecomeEmpty) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 3, 8)};
  const auto filters = folder.add_many(3);
  ASSERT_TRUE(build_index(filters, folder.index(), {}));
  ASSERT_TRUE(delete_from_index(folder.index(), names_of(filters), lock_of(folder.index())));
  folder.expect_same_answers({});
  ASSERT_TRUE(compact_index(folder.index(), lock_of(folder.index())));
  folder.expect_same_answers({});
  ASSERT_TRUE(append_to_index(folder.index(), filters, lock_of(folder.index())));
  folder.expect_same_answers(names_of(filters));
}

}  // namespace
}  // namespace bloomery
