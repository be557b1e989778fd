// The golden sequences of the real tracker, through the facade: every state, answer and file.
#include "apps/tracker/state/minio_exact.h"

#include <cryptopp/sha.h>
#include <gtest/gtest.h>

#include "apps/tracker/state/tracker.h"
#include "bloomery/base/file.h"
#include "tests/base/scratch_folder.h"
#include "tests/formats/golden.h"

namespace bloomery::tracker {
namespace {

using testing::Bytes;

std::string sha256(ByteView bytes) {
  std::array<std::byte, CryptoPP::SHA256::DIGESTSIZE> digest;
  CryptoPP::SHA256{}.CalculateDigest(reinterpret_cast<CryptoPP::byte*>(digest.data()),
                                     reinterpret_cast<const CryptoPP::byte*>(bytes.data()),
                                     bytes.size());
  return testing::to_hex(digest);
}

// A tracker in its folder, with a clock that tells what the golden file was saved at.
struct Exact {
  ScratchFolder folder;
  std::int64_t now = 0;
  std::unique_ptr<Tracker> tracker;

  explicit Exact(Mode mode = Mode::kMinioExact, bool background = false, std::int64_t start = 0)
      : now{start},
        tracker{*Tracker::open({.folder = folder.path(),
                                .mode = mode,
                                .background = background,
                                .marks_only = true,
                                .save_every = std::chrono::hours{1},
                                .now_unix = [this] { return now; }})} {}
  Bytes file() const {
    return *read_file(folder / std::string{kMinioStateFile}, {.max_bytes = 1 << 24});
  }
};

std::vector<std::uint64_t> cycles_of(const TrackerStatus& status) {
  std::vector<std::uint64_t> indexes;
  for (const CycleStatus& cycle : status.cycles) indexes.push_back(cycle.id.index);
  return indexes;
}

void check_cycle(Tracker& tracker, const nlohmann::json& step) {
  const auto answer = tracker.cycle({step.at("oldest"), step.at("current")});
  ASSERT_TRUE(answer) << answer.error().message;
  const auto& expected = step.at("response");
  EXPECT_EQ(answer->complete, expected.at("Complete"));
  EXPECT_EQ(answer->current.index, expected.at("CurrentIdx"));
  EXPECT_EQ(answer->oldest, expected.at("OldestIdx"));
  EXPECT_EQ(answer->newest, expected.at("NewestIdx"));
  // The facade answers for a folder what the peer's scanner would do with this answer.
  const std::uint64_t oldest = step.at("oldest");
  // But for a cycle of the future: there the peer's answer is empty, and denies everything.
  if (oldest == 0 || oldest > answer->current.index) return;
  for (const auto& dir : expected.at("containsDir"))
    EXPECT_EQ(tracker.may_have_changed(dir.at(0).get<std::string>(), {oldest}),
              !answer->complete || dir.at(1).get<bool>())
        << dir.at(0);
}

// A cycle is saved at once, so the clock tells what the next golden file was saved at.
std::int64_t next_save(const nlohmann::json& steps, std::size_t from) {
  for (; from < steps.size(); ++from)
    if (steps[from].at("op") == "save") return steps[from].at("saved").at("saved_unix");
  return 0;
}

void run_step(Exact& exact, const nlohmann::json& step, std::size_t& files) {
  const std::string op = step.at("op");
  const auto& tracker = exact.tracker;
  if (op == "mark") {
    tracker->mark(step.at("bucket").get<std::string>(), step.at("prefix").get<std::string>());
    (void)tracker->barrier();
  } else if (op == "save") {
    ASSERT_TRUE(tracker->save());
    EXPECT_EQ(sha256(exact.file()), step.at("saved").at("sha256"));
    ++files;
  } else if (op == "cycle") {
    check_cycle(*tracker, step);
  } else if (op == "oldestClean") {
    EXPECT_EQ(tracker->cycle({.oldest_clean = step.at("dir")})->oldest, step.at("OldestIdx"));
  }  // filterFrom is inside of cycle, and tested with the format
}

TEST(MinioExact, GoldenSequencesGoThroughTheFacade) {
  const auto golden = testing::golden_json("formats/minio.json");
  std::size_t steps = 0;
  std::size_t files = 0;
  for (const bool background : {false, true})
    for (const auto& sequence : golden.at("sequences")) {
      if (sequence.at("debug").get<bool>()) continue;  // a switch for MinIO's developers
      const auto& all = sequence.at("steps");
      Exact exact{Mode::kMinioExact, background, next_save(all, 0)};
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& step = all[i];
        exact.now = next_save(all, i);
        SCOPED_TRACE(sequence.at("id").get<std::string>() + " step " + std::to_string(steps));
        run_step(exact, step, files);
        auto expected = step.at("state_after").at("history_idx").get<std::vector<std::uint64_t>>();
        expected.insert(expected.begin(),
                        step.at("state_after").at("current").get<std::uint64_t>());
        EXPECT_EQ(cycles_of(exact.tracker->current_status()), expected);
        ++steps;
      }
    }
  EXPECT_EQ(steps, 186U);
  EXPECT_EQ(files, 18U);
}

TEST(MinioExact, ThreeThousandMarksThroughTheQueueGiveThePeersFile) {
  const auto bulk = testing::golden_json("formats/minio.json").at("bulk");
  Exact exact{Mode::kMinioNewest, true};
  for (int i = 0; i < 3000; ++i) {
    char prefix[32];
    std::snprintf(prefix, sizeof prefix, "p%03d/o%05d", i % 100, i);
    ASSERT_TRUE(exact.tracker->mark("bulk", prefix));
  }
  exact.now = bulk.at("saved").at("saved_unix");
  ASSERT_TRUE(exact.tracker->close());
  EXPECT_EQ(sha256(exact.file()), bulk.at("saved").at("sha256"));
}

TEST(MinioExact, OfSeveralDrivesTheLastOrTheNewestIsLoaded) {
  const auto cases = testing::golden_json("formats/minio.json").at("load_from_drives");
  ASSERT_EQ(cases.size(), 3U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.at("case").get<std::string>());
    const ScratchFolder folder;
    std::vector<std::string> drives;
    std::uint64_t newest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      MinioTracker tracker = MinioTracker::starting_at(one.at("drives_current_idx").at(i));
      tracker.saved_unix = one.at("drives_saved_unix").at(i);
      if (tracker.saved_unix == 3000) newest = tracker.current.index;
      drives.push_back((folder / std::to_string(i)).string());
      std::filesystem::create_directory(drives.back());
      ASSERT_TRUE(save_file(std::filesystem::path{drives.back()} / kMinioStateFile,
                            encode_minio_tracker(tracker)));
    }
    const auto loaded = [&](std::optional<Mode> mode) {
      const std::vector<std::string> others{drives.begin() + 1, drives.end()};
      auto tracker =
          Tracker::open({.folder = drives[0], .mode = mode, .drives = others, .background = false});
      EXPECT_TRUE(tracker);
      return (*tracker)->current_status().cycles.front().id.index;
    };
    EXPECT_EQ(loaded(Mode::kMinioExact), one.at("loaded_current_idx"));
    EXPECT_EQ(loaded(Mode::kMinioNewest), newest);
    EXPECT_EQ(loaded({}), newest) << "the folder says whose file it holds";
  }
}

TEST(MinioExact, EverythingIsAFilterOfOnesThatTheFormatReads) {
  Exact exact;
  exact.tracker->mark_everything("the queue was full");
  EXPECT_TRUE(exact.tracker->may_have_changed("whatever/folder", {0}));
  ASSERT_TRUE(exact.tracker->save());
  const auto decoded = decode_minio_tracker(exact.file(), {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(count_ones(decoded->current.filter.filter.bytes()), kMinioShape.bits);
}

TEST(MinioExact, RefusesWhatItsFileCannotSay) {
  const ScratchFolder folder;
  const auto rated = Tracker::open(
      {.folder = folder.path(), .mode = Mode::kMinioExact, .rate = 0.01, .background = false});
  ASSERT_FALSE(rated);
  EXPECT_EQ(rated.error().code, ErrorCode::kInvalidArgument);
  { ASSERT_TRUE(Tracker::open({.folder = folder.path(), .background = false})); }
  EXPECT_FALSE(
      Tracker::open({.folder = folder.path(), .mode = Mode::kMinioExact, .background = false}));
}

}  // namespace
}  // namespace bloomery::tracker
