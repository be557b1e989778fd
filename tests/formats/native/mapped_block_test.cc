#include "bloomery/formats/native/mapped_block.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "bloomery/formats/native/mapped.h"
#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

struct SavedFilter {
  explicit SavedFilter(std::uint64_t blocks = 400, const KeyHash& hash = {},
                       std::uint32_t probes = 6) {
    NativeBlock native{BlockFilter{{blocks, probes}, hash}};
    native.filter.set_provenance({.goal = Goal{10000, 0.01}, .keys_inserted = 0});
    native.filter.insert(bytes_of("an old key"));
    EXPECT_TRUE(save_native(native, path));
  }
  Result<MappedBlock> open() const { return MappedBlock::open(path, {}); }
  NativeBlock load() const {
    auto loaded = load_native(path, {});
    EXPECT_TRUE(loaded) << loaded.error().message;
    return std::get<NativeBlock>(*loaded).clone();
  }

  const ScratchFolder folder;
  const std::filesystem::path path = folder / "f.bloom";
};

std::string key(std::uint64_t i) { return "key " + std::to_string(i); }

class MappedBlockOfProbes : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(OneLineAndThree, MappedBlockOfProbes, ::testing::Values(6, 24));

TEST_P(MappedBlockOfProbes, WhatIsInsertedIsInTheFile) {
  const SavedFilter saved{1200, {}, GetParam()};
  auto mapped = saved.open();
  ASSERT_TRUE(mapped) << mapped.error().message;
  EXPECT_FALSE(mapped->was_open());
  BlockFilter expected = saved.load().filter.clone();
  for (std::uint64_t i = 0; i < 5000; ++i)
    EXPECT_EQ(mapped->insert(bytes_of(key(i))), expected.insert(bytes_of(key(i))));
  EXPECT_FALSE(mapped->insert(bytes_of("an old key")));
  EXPECT_TRUE(mapped->may_contain(bytes_of(key(3))));
  EXPECT_FALSE(mapped->may_contain(bytes_of("absent")));
  EXPECT_EQ(mapped->health().error_rate, expected.health().error_rate);
  ASSERT_TRUE(mapped->close());
  const NativeBlock closed = saved.load();
  EXPECT_FALSE(closed.was_open);
  EXPECT_EQ(closed.filter, expected);
  EXPECT_EQ(closed.filter.provenance(), expected.provenance());
}

TEST(MappedBlock, BatchesActAsOneKeyAtATime) {
  const SavedFilter saved;
  auto mapped = saved.open();
  ASSERT_TRUE(mapped);
  BlockFilter expected = saved.load().filter.clone();
  std::vector<Hash128> hashes;
  for (std::uint64_t i = 0; i < 3000; ++i)
    hashes.push_back(expected.hash().digest(bytes_of(key(i % 2000))));
  const std::span<const Hash128> all{hashes};
  std::vector<std::uint8_t> is_new(all.size());
  std::vector<std::uint8_t> expected_new(all.size());
  EXPECT_EQ(mapped->insert_batch(all.first(1000)), expected.insert_batch(all.first(1000)));
  EXPECT_EQ(mapped->insert_batch(all, is_new), expected.insert_batch(all, expected_new));
  EXPECT_EQ(is_new, expected_new);
  EXPECT_EQ(mapped->may_contain_batch(all, is_new), all.size());
  ASSERT_TRUE(mapped->close());
  EXPECT_EQ(saved.load().filter, expected);
}

TEST(MappedBlock, AFileThatWasNotClosedSaysSo) {
  const SavedFilter saved;
  {
    auto mapped = saved.open();
    ASSERT_TRUE(mapped);
    for (std::uint64_t i = 0; i < 5000; ++i) mapped->insert(bytes_of(key(i)));
  }
  const NativeBlock left = saved.load();
  EXPECT_TRUE(left.was_open);
  EXPECT_NEAR(static_cast<double>(*left.filter.provenance().keys_inserted), 5000, 100);
  const auto read_only = MappedNative::open(saved.path, {});
  ASSERT_TRUE(read_only);
  EXPECT_TRUE(read_only->was_open());
  EXPECT_EQ(read_only->provenance().keys_inserted, std::nullopt);
  EXPECT_FALSE(read_only->verify());

  auto again = saved.open();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->was_open());
  EXPECT_NEAR(static_cast<double>(*again->provenance().keys_inserted), 5000, 100);
  ASSERT_TRUE(again->close());
  EXPECT_FALSE(saved.load().was_open);
  EXPECT_TRUE(MappedNative::open(saved.path, {})->verify());
}

TEST(MappedBlock, AReaderMeanwhileSeesTheFlagAndTheKeys) {
  const SavedFilter saved;
  auto writer = saved.open();
  ASSERT_TRUE(writer);
  const auto reader = MappedNative::open(saved.path, {});
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->was_open());
  EXPECT_FALSE(reader->may_contain(bytes_of("just now")));
  writer->insert(bytes_of("just now"));
  EXPECT_TRUE(reader->may_contain(bytes_of("just now")));
}

TEST(MappedBlock, ASecondWriterIsRefused) {
  const SavedFilter saved;
  {
    const auto first = saved.open();
    ASSERT_TRUE(first);
    const auto second = saved.open();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kIo);
    EXPECT_NE(second.error().message.find("another program is writing"), std::string::npos);
  }
  EXPECT_TRUE(saved.open());
}

TEST(MappedBlock, WhatIsNoGoodBlockFilterIsNotOpened) {
  const SavedFilter saved;
  auto bytes = *read_file(saved.path, {});
  bytes.back() ^= std::byte{1};
  ASSERT_TRUE(save_file(saved.folder / "damaged.bloom", bytes));
  const auto damaged = MappedBlock::open(saved.folder / "damaged.bloom", {});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(*read_file(saved.folder / "damaged.bloom", {}), bytes) << "nothing was written";
  ASSERT_TRUE(save_file(saved.folder / "short.bloom", ByteView{bytes}.first(500)));
  EXPECT_EQ(MappedBlock::open(saved.folder / "short.bloom", {}).error().code,
            ErrorCode::kTruncated);
  ASSERT_TRUE(save_native(NativeClassic{ClassicFilter<BloomeryClassic>{Shape{640, 4}}},
                          saved.folder / "classic.bloom"));
  EXPECT_EQ(MappedBlock::open(saved.folder / "classic.bloom", {}).error().code,
            ErrorCode::kUnsupported);
  EXPECT_EQ(MappedBlock::open(saved.folder / "missing.bloom", {}).error().code, ErrorCode::kIo);
  EXPECT_EQ(MappedBlock::open(saved.folder.path(), {}).error().code, ErrorCode::kIo);
  const SavedFilter keyed{100, {Hasher{Profile::kSiphash, 0, SipKey{}}}};
  EXPECT_EQ(keyed.open().error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(MappedBlock::open(keyed.path, {.sip_key = SipKey{}}));
}

// Inserts for ever, and says after every hundred keys that they are in.
[[noreturn]] void insert_until_killed(const std::filesystem::path& path, int told) {
  auto mapped = MappedBlock::open(path, {});
  if (!mapped) ::_exit(1);
  for (std::uint64_t i = 0;; ++i) {
    mapped->insert(bytes_of(key(i)));
    if (i % 100 != 99) continue;
    if (!mapped->sync()) ::_exit(1);
    if (::write(told, &i, sizeof i) != sizeof i) ::_exit(1);
  }
}

// How many keys the child said were in before it was killed. The child is killed in the middle of
// its work: it never stops by itself.
std::uint64_t keys_before_the_kill(const std::filesystem::path& path, int reports) {
  int pipe[2];
  if (::pipe(pipe) != 0) return 0;
  const pid_t child = ::fork();
  if (child < 0) return 0;
  if (child == 0) insert_until_killed(path, pipe[1]);
  ::close(pipe[1]);
  std::uint64_t last = 0;
  for (int i = 0; i < reports; ++i)
    if (::read(pipe[0], &last, sizeof last) != sizeof last) break;
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  while (::read(pipe[0], &last, sizeof last) == sizeof last) {
  }
  ::close(pipe[0]);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return last + 1;
}

TEST(MappedBlock, AKilledWriterLosesNoKey) {
  for (const int reports : {1, 3, 20, 50}) {
    const SavedFilter saved;
    const std::uint64_t keys = keys_before_the_kill(saved.path, reports);
    EXPECT_GE(keys, 100U);
    const NativeBlock left = saved.load();
    EXPECT_TRUE(left.was_open);
    std::uint64_t lost = 0;
    for (std::uint64_t i = 0; i < keys; ++i)
      lost += left.filter.may_contain(bytes_of(key(i))) ? 0 : 1;
    EXPECT_EQ(lost, 0U);
    EXPECT_TRUE(left.filter.may_contain(bytes_of("an old key")));
    auto again = saved.open();
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->close());
    EXPECT_FALSE(saved.load().was_open);
  }
}

}  // namespace
}  // namespace bloomery
