// What proves that no change is missing: the seal of the state, and the rules.
#include "apps/tracker/state/coverage.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "apps/tracker/fleet/leader.h"
#include "apps/tracker/fleet/redis.h"
#include "apps/tracker/open_tracker.h"
#include "apps/tracker/state/private_files.h"
#include "apps/tracker/state/seal.h"
#include "apps/tracker/state/state_files.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/file.h"
#include "bloomery/hash/xxh.h"
#include "tests/base/scratch_folder.h"
#include "tests/formats/hostile.h"

namespace bloomery::tracker {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

// A state with drives that marks only, two cycles old.
class Sealed : public ::testing::Test {
 protected:
  TrackerOptions options(bool marks_only = false) const {
    return {.folder = folder_ / "state", .background = false, .marks_only = marks_only};
  }
  void SetUp() override {
    TrackerOptions first = options(true);
    first.drives = std::vector<std::string>{(folder_ / "drive").string()};
    auto tracker = Tracker::open(first);
    ASSERT_TRUE(tracker) << tracker.error().message;
    ASSERT_TRUE((*tracker)->next_cycle());
    since_ = (*tracker)->next_cycle()->current;
    ASSERT_TRUE((*tracker)->close());
  }
  void mark(const std::string& path) {
    auto tracker = Tracker::open(options());
    ASSERT_TRUE(tracker) << tracker.error().message;
    (*tracker)->mark(path);
    ASSERT_TRUE((*tracker)->close());
  }
  fs::path main() const { return folder_ / "state" / kStateFile; }
  fs::path drive() const { return folder_ / "drive" / kStateFile; }
  // Why everything may have changed; empty: it is known what did.
  std::string gap() {
    TrackerOptions reading = options();
    reading.read_only = true;
    auto tracker = Tracker::open(reading);
    EXPECT_TRUE(tracker) << tracker.error().message;
    const Coverage coverage = coverage_of((*tracker)->current_status());
    EXPECT_EQ((*tracker)->may_have_changed("untouched", since_), !coverage.proven());
    return coverage.gap;
  }
  ScratchFolder folder_;
  CycleId since_;
};

TEST_F(Sealed, IsProvenUntilSomethingHappensToIt) {
  EXPECT_EQ(gap(), "");
  mark("a");
  EXPECT_EQ(gap(), "");
}

TEST_F(Sealed, ADamagedMainCopyIsMadeUpForByTheDriveThatOnlyTheSealRemembers) {
  mark("a");
  fs::resize_file(main(), 50);
  EXPECT_EQ(gap(), "") << "the drive's is the one that was saved last";
  fs::remove(main());
  EXPECT_EQ(gap(), "");
  mark("b");
  EXPECT_TRUE(fs::exists(main()));
  fs::resize_file(main(), 50);
  fs::resize_file(drive(), 50);
  EXPECT_NE(gap().find("no copy of the tracker's state could be read"), std::string::npos);
}

TEST_F(Sealed, AnOlderCopyOnADriveIsNotTakenForTheLast) {
  fs::copy_file(drive(), folder_ / "old");
  mark("a");
  fs::remove(main());
  fs::copy_file(folder_ / "old", drive(), fs::copy_options::overwrite_existing);
  EXPECT_NE(gap().find("not the one that was saved last"), std::string::npos);
}

TEST_F(Sealed, ACopiedFolderARestoredOneAndHardLinksAreNotBelieved) {
  fs::remove(drive());
  const fs::path state = folder_ / "state";
  const auto put_back = [&](auto save) {
    fs::remove_all(folder_ / "backup");
    save();
    mark("lost");
    fs::remove_all(state);
    fs::rename(folder_ / "backup", state);
    fs::remove(drive());
    EXPECT_NE(gap(), "");
    // After the next cycle it knows again.
    auto tracker = Tracker::open(options());
    ASSERT_TRUE(tracker) << tracker.error().message;
    EXPECT_TRUE((*tracker)->may_have_changed("lost", since_));
    since_ = (*tracker)->next_cycle()->current;
    ASSERT_TRUE((*tracker)->close());
    EXPECT_EQ(gap(), "");
  };
  put_back([&] { fs::copy(state, folder_ / "backup"); });
  put_back([&] {
    fs::create_directory(folder_ / "backup");
    for (const auto& entry : fs::directory_iterator{state})
      fs::create_hard_link(entry.path(), folder_ / "backup" / entry.path().filename());
  });
}

TEST_F(Sealed, WithoutItsSealItIsNotBelieved) {
  fs::remove(folder_ / "state" / std::string{kSealFile});
  EXPECT_NE(gap().find("tracker.seal"), std::string::npos);
}

TEST_F(Sealed, ANewerVersionIsKeptAndNotOverwritten) {
  fs::remove(drive());
  auto bytes = *read_file(main(), {.max_bytes = 1 << 20});
  store_le(bytes.data() + 8, std::uint32_t{9});
  store_le(bytes.data() + bytes.size() - 8, xxh3_64(ByteView{bytes}.first(bytes.size() - 8)));
  ASSERT_TRUE(save_file(main(), bytes));
  EXPECT_NE(gap().find("version 9"), std::string::npos);
  mark("a");
  EXPECT_EQ(*read_file(fs::path{main()} += ".newer", {.max_bytes = 1 << 20}), bytes);
}

TEST_F(Sealed, AWatcherTakesThePromiseBackAndTheCallerMayGiveItAgain) {
  TrackerOptions watching = options();
  watching.watching = true;
  ASSERT_TRUE((*Tracker::open(watching))->close());
  EXPECT_NE(gap().find("no watcher ran since"), std::string::npos);
  auto tracker = Tracker::open(options(true));
  ASSERT_TRUE((*tracker)->next_cycle());
  since_ = (*tracker)->next_cycle()->current;
  ASSERT_TRUE((*tracker)->close());
  EXPECT_EQ(gap(), "");
}

TEST(Coverage, ATimeIsADateInWords) {
  CoverageFacts facts{};
  facts.watched = true;
  facts.seen_unix = 1'792'206'056;
  EXPECT_EQ(gap_at_opening(facts), "no watcher ran since 2026-10-17 03:00:56 UTC");
  facts.session_open = true;
  EXPECT_EQ(gap_at_opening(facts),
            "the last session did not end properly; it was alive at 2026-10-17 03:00:56 UTC");
}

TEST(Coverage, AStateThatNobodyFeedsKnowsNothingInAnyCycle) {
  const ScratchFolder folder;
  auto tracker = Tracker::open({.folder = folder.path(), .background = false});
  ASSERT_TRUE(tracker);
  for (int i = 0; i < 3; ++i) {
    const auto cycle = (*tracker)->next_cycle();
    ASSERT_TRUE(cycle);
    EXPECT_FALSE(cycle->complete);
    EXPECT_TRUE((*tracker)->may_have_changed("a", cycle->current));
    EXPECT_NE(coverage_of((*tracker)->current_status()).gap.find("--marks-only"),
              std::string::npos);
  }
}

TEST(Coverage, AFleetsStateKnowsNothingWithoutItsRedis) {
  const ScratchFolder folder;
  const ClientOptions options{.tracker = {.folder = folder.path(), .marks_only = true}};
  { ASSERT_TRUE((*open_tracker(options))->next_cycle()); }
  for (const char* name : {"fleet.leader", "fleet.node"}) {
    std::ofstream{folder / name} << "damaged";
    const auto client = open_tracker(options);
    ASSERT_TRUE(client) << client.error().message;
    const auto cycle = (*client)->next_cycle();
    ASSERT_TRUE(cycle);
    EXPECT_FALSE(cycle->complete);
    EXPECT_TRUE((*client)->snapshot()->may_have_changed("a", cycle->current));
    std::vector<std::uint8_t> answers;
    ASSERT_TRUE((*client)->query(std::vector<std::string>{"a"}, cycle->current, answers));
    EXPECT_EQ(answers, std::vector<std::uint8_t>{1});
    EXPECT_NE((*client)->coverage()->gap.find("--redis"), std::string::npos);
    fs::remove(folder / name);
  }
  EXPECT_TRUE((*open_tracker(options))->coverage()->proven());
}

TEST(Seal, IsReadAsWrittenAndSurvivesHostileBytes) {
  const Seal seal{.content = 7,
                  .epoch = 9,
                  .marks_only = true,
                  .drives = {"/a", "/b"},
                  .copies = {{"/s", {1, 2, 3}}, {"/a", {4, -5, 6}}}};
  const auto bytes = encode_seal(seal);
  EXPECT_EQ(*decode_seal(bytes), seal);
  const auto mended = [&](ByteView hostile) {
    std::vector<std::byte> copy{hostile.begin(), hostile.end()};
    if (copy.size() >= 8)
      store_le(copy.data() + copy.size() - 8, xxh3_64(ByteView{copy}.first(copy.size() - 8)));
    return decode_seal(copy);
  };
  testing::survive_hostile_bytes(bytes, mended, [](const Seal& read) { (void)encode_seal(read); });
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto bad = bytes;
    bad[i] ^= std::byte{1};
    EXPECT_FALSE(decode_seal(bad)) << i;
  }
}

TEST(PrivateFiles, AreForTheirOwnerAloneAlsoWhereTheyWereNot) {
  const ScratchFolder folder;
  const mode_t before = ::umask(0);
  ASSERT_TRUE(make_private_folder(folder / "a/b"));
  EXPECT_EQ(mode_of(folder / "a"), 0700U);
  EXPECT_EQ(mode_of(folder / "a/b"), 0700U);
  ASSERT_TRUE(save_private(folder / "file", bytes_of("x")));
  EXPECT_EQ(mode_of(folder / "file"), 0600U);
  fs::permissions(folder / "file", fs::perms{0644});
  ASSERT_TRUE(save_private(folder / "file", bytes_of("y")));
  EXPECT_EQ(mode_of(folder / "file"), 0600U);
  std::ofstream{folder / "lock"} << "";
  EXPECT_EQ(mode_of(folder / "lock"), 0666U);
  { ASSERT_TRUE(StateLock::take(folder.path())); }
  EXPECT_EQ(mode_of(folder / "lock"), 0600U);
  ASSERT_TRUE(write_heartbeat(folder.path(), {}));
  EXPECT_EQ(mode_of(folder / "heartbeat"), 0600U);
  EXPECT_EQ(trouble_with_folder(folder.path()), "");
  fs::permissions(folder.path(), fs::perms{0777});
  EXPECT_NE(trouble_with_folder(folder.path()), "");
  ::umask(before);
}

TEST(Fleet, ALeaderThatDiedIsWaitedForLongerThanItsLockLives) {
  EXPECT_GT(FleetLeaderOptions{}.lock_patience, FleetRedisOptions{}.lock_time);
}

}  // namespace
}  // namespace bloomery::tracker
