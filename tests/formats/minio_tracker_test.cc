#include "bloomery/formats/minio_tracker.h"

#include <cryptopp/sha.h>
#include <gmock/gmock.h>

#include <iterator>

#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::to_hex;

nlohmann::json golden() { return testing::golden_json("formats/minio.json"); }

std::string sha256(ByteView bytes) {
  std::array<std::byte, CryptoPP::SHA256::DIGESTSIZE> digest;
  CryptoPP::SHA256{}.CalculateDigest(reinterpret_cast<CryptoPP::byte*>(digest.data()),
                                     reinterpret_cast<const CryptoPP::byte*>(bytes.data()),
                                     bytes.size());
  return to_hex(digest);
}

Bytes golden_file(const std::string& name) {
  std::ifstream file{BLOOMERY_GOLDEN_DIR "/formats/" + name, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const ByteView bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

std::vector<std::uint64_t> history_of(const MinioTracker& tracker) {
  std::vector<std::uint64_t> indexes;
  for (const MinioCycle& cycle : tracker.history) indexes.push_back(cycle.index);
  return indexes;
}

void check_filter(const MinioFilter& filter, const nlohmann::json& expected) {
  EXPECT_EQ(sha256(encode_bits_and_blooms(filter)), expected.at("sha256"));
  EXPECT_EQ(filter.filter.size_bits(), expected.at("m"));
  EXPECT_EQ(filter.filter.shape().probes, expected.at("k"));
  std::vector<std::uint64_t> ones;
  for_each_one(filter.filter.bytes(), [&](std::uint64_t bit) { ones.push_back(bit); });
  if (!expected.contains("set_bits")) return;
  EXPECT_EQ(ones, expected.at("set_bits").get<std::vector<std::uint64_t>>());
}

void check_answer(const MinioCycleAnswer& answer, const nlohmann::json& expected) {
  EXPECT_EQ(answer.complete, expected.at("Complete"));
  EXPECT_EQ(answer.current_index, expected.at("CurrentIdx"));
  EXPECT_EQ(answer.oldest_index, expected.at("OldestIdx"));
  EXPECT_EQ(answer.newest_index, expected.at("NewestIdx"));
  ASSERT_TRUE(answer.filter);
  check_filter(*answer.filter, expected.at("filter"));
  const MinioCycle as_cycle{0, answer.filter->clone()};
  for (const auto& dir : expected.at("containsDir"))
    EXPECT_EQ(as_cycle.contains_dir(dir.at(0).get<std::string>()), dir.at(1)) << dir.at(0);
}

// A saved file has the peer's checksum, and the peer's bytes where they are at hand; it decodes to
// the same tracker.
void check_saved(const MinioTracker& tracker, const nlohmann::json& saved) {
  const Bytes bytes = encode_minio_tracker(tracker);
  EXPECT_EQ(bytes.size(), saved.at("len"));
  EXPECT_EQ(sha256(bytes), saved.at("sha256"));
  const Bytes carried = golden_file(saved.at("file"));
  EXPECT_TRUE(carried.empty() || carried == bytes);
  const auto decoded = decode_minio_tracker(bytes, {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->saved_unix, saved.at("saved_unix"));
  EXPECT_EQ(history_of(*decoded), history_of(tracker));
  EXPECT_TRUE(encode_minio_tracker(*decoded) == bytes);
}

void run_step(MinioTracker& tracker, const nlohmann::json& step, MinioBuckets buckets) {
  const std::string op = step.at("op");
  if (op == "mark") {
    tracker.mark_dirty(step.at("bucket").get<std::string>(), step.at("prefix").get<std::string>(),
                       buckets);
  } else if (op == "save") {
    tracker.saved_unix = step.at("saved").at("saved_unix");
    check_saved(tracker, step.at("saved"));
  } else if (op == "cycle") {
    check_answer(tracker.cycle_filter({step.at("oldest"), step.at("current")}),
                 step.at("response"));
  } else if (op == "filterFrom") {
    check_answer(tracker.filter_from(step.at("oldest"), step.at("newest")), step.at("response"));
  } else {
    ASSERT_EQ(op, "oldestClean");
    const auto answer = tracker.cycle_filter({.oldest_clean = step.at("dir")});
    EXPECT_EQ(answer.oldest_index, step.at("OldestIdx"));
    EXPECT_FALSE(answer.filter);
  }
}

TEST(MinioTracker, GoldenSequencesEndInThePeersStatesFiltersAndFiles) {
  const auto all = golden();
  ASSERT_EQ(all.at("sequences").size(), 5U);
  std::size_t steps = 0;
  for (const auto& sequence : all.at("sequences")) {
    MinioTracker tracker = MinioTracker::starting_at();
    const auto buckets =
        sequence.at("debug").get<bool>() ? MinioBuckets::kUsableOnly : MinioBuckets::kAny;
    for (const auto& step : sequence.at("steps")) {
      SCOPED_TRACE(sequence.at("id").get<std::string>() + " step " + std::to_string(steps));
      run_step(tracker, step, buckets);
      EXPECT_EQ(tracker.current.index, step.at("state_after").at("current"));
      EXPECT_EQ(history_of(tracker),
                step.at("state_after").at("history_idx").get<std::vector<std::uint64_t>>());
      ++steps;
    }
    check_filter(tracker.current.filter, sequence.at("final_current_filter"));
  }
  EXPECT_EQ(steps, 101U);
}

TEST(MinioTracker, ThreeThousandMarksGiveThePeersFile) {
  const auto bulk = golden().at("bulk");
  MinioTracker tracker = MinioTracker::starting_at();
  for (int i = 0; i < 3000; ++i) {
    char prefix[32];
    std::snprintf(prefix, sizeof prefix, "p%03d/o%05d", i % 100, i);
    tracker.mark_dirty("bulk", prefix);
  }
  EXPECT_TRUE(tracker.dirty);
  EXPECT_EQ(count_ones(tracker.current.filter.filter.bytes()), bulk.at("bits_set"));
  check_filter(tracker.current.filter, bulk.at("filter"));
  tracker.saved_unix = bulk.at("saved").at("saved_unix");
  check_saved(tracker, bulk.at("saved"));
}

// What was marked before the peer saved is not known, so the filter's bits are not compared.
TEST(MinioTracker, ASavedTrackerStartsAndEndsAsByThePeersSaver) {
  const auto saver = golden().at("saver");
  MinioTracker tracker = MinioTracker::starting_at(saver.at("after_start_idx"));
  const Bytes start = testing::from_hex(saver.at("file_first_17_bytes_hex").get<std::string>());
  tracker.saved_unix = load_le<std::int64_t>(start.data() + 1);
  const Bytes bytes = encode_minio_tracker(tracker);
  EXPECT_EQ(to_hex(ByteView{bytes}.first(17)), to_hex(start));
  EXPECT_EQ(bytes.size(), saver.at("file_len"));
}

TEST(MinioTracker, TheShapeFollowsFromTheGoal) {
  EXPECT_EQ(*BitsAndBlooms::shape_for(kMinioGoal), kMinioShape);
}

TEST(MinioTracker, TheCarriedFilesAreRecognisedAndAnswer) {
  const Bytes bytes = golden_file("minio/peek-a.tracker.bin");
  ASSERT_EQ(bytes.size(), 239713U);
  EXPECT_TRUE(looks_like_minio_tracker(bytes));
  EXPECT_FALSE(looks_like_minio_tracker(ByteView{bytes}.subspan(17)));
  const auto tracker = decode_minio_tracker(bytes, {});
  ASSERT_TRUE(tracker) << tracker.error().message;
  EXPECT_EQ(tracker->newest_cycle_with("bucket/directory/"), 1U);
  EXPECT_EQ(tracker->newest_cycle_with("/logs/app"), 2U);
  EXPECT_EQ(tracker->newest_cycle_with("nowhere"), std::nullopt);
  const ByteView keys[] = {bytes_of("bucket/directory"), bytes_of("logs/app/1"), bytes_of("no")};
  std::uint8_t answers[3];
  tracker->may_contain_batch(keys, answers);
  EXPECT_THAT(answers, ::testing::ElementsAre(1, 1, 0));
  EXPECT_EQ(tracker->clone().newest_cycle_with("logs"), 2U);
  const Description description = describe(*tracker);
  EXPECT_EQ(description.layout, "container");
  ASSERT_EQ(description.layers.size(), 2U);
  EXPECT_EQ(description.layers[0].name, "current cycle 2");
  EXPECT_EQ(description.layers[1].name, "cycle 1");
}

MinioTracker scanned_twice() {
  MinioTracker tracker = MinioTracker::starting_at();
  tracker.mark_dirty("cyc-1", "obj-1");
  (void)tracker.cycle_filter({0, 2});
  tracker.mark_dirty("cyc-2", "obj-2");
  (void)tracker.cycle_filter({0, 3});
  tracker.saved_unix = 1650000360;
  return tracker;
}

ErrorCode code_of(ByteView bytes) {
  const auto decoded = decode_minio_tracker(bytes, {});
  EXPECT_FALSE(decoded);
  return decoded ? ErrorCode::kIo : decoded.error().code;
}

// The peer skips old versions silently; a reader should hear why there is nothing.
TEST(MinioTracker, GoldenReadErrorsAreErrorsHere) {
  const Bytes good = encode_minio_tracker(scanned_twice());
  ASSERT_EQ(sha256(good), "4c20639e80ce32fd4b82d837916c50a8300b3d057a4c639d267849274f3860bb");
  std::size_t truncations = 0;
  std::size_t versions = 0;
  const auto cases = golden().at("deserialize");
  for (const auto& one : cases) {
    const std::string name = one.at("case");
    SCOPED_TRACE(name);
    unsigned number = 0;
    if (std::sscanf(name.c_str(), "version byte %u", &number) == 1) {
      ++versions;
      Bytes bytes = good;
      bytes[0] = static_cast<std::byte>(number);
      if (number == 7) {
        EXPECT_TRUE(decode_minio_tracker(bytes, {}));
      } else {
        const bool skipped = one.at("error") == "";
        EXPECT_EQ(code_of(bytes), skipped ? ErrorCode::kUnsupported : ErrorCode::kMalformed);
      }
    } else if (std::sscanf(name.c_str(), "truncated to %u of 359561", &number) == 1) {
      ++truncations;
      EXPECT_EQ(code_of(ByteView{good}.first(number)), ErrorCode::kTruncated);
    }
  }
  EXPECT_EQ(versions, 10U);
  EXPECT_EQ(truncations, 15U);
  EXPECT_EQ(code_of({}), ErrorCode::kTruncated);
}

TEST(MinioTracker, AHistoryCountIsNotBelieved) {
  const Bytes good = encode_minio_tracker(scanned_twice());
  for (const std::uint64_t count : {std::uint64_t{1} << 20, std::uint64_t{1} << 62}) {
    Bytes bytes = good;
    store_le(bytes.data() + 17 + 119840, count);
    EXPECT_EQ(code_of(bytes), ErrorCode::kTruncated);
  }
  const auto limited = decode_minio_tracker(good, {.limits = {.max_bytes = 200000}});
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, ErrorCode::kTooLarge);
}

TEST(MinioTracker, TrailingBytesAreIgnoredAndReported) {
  Bytes bytes = encode_minio_tracker(scanned_twice());
  const Bytes good = bytes;
  bytes.push_back(std::byte{9});
  const auto tracker = decode_minio_tracker(bytes, {});
  ASSERT_TRUE(tracker) << tracker.error().message;
  EXPECT_EQ(tracker->trailing_bytes, 1U);
  EXPECT_NE(describe(*tracker).notes.back().find("1 bytes follow"), std::string::npos);
  EXPECT_TRUE(encode_minio_tracker(*tracker) == good);
}

TEST(MinioTracker, OfSeveralDrivesTheNewestOrExactlyThePeersIsChosen) {
  const auto cases = golden().at("load_from_drives");
  ASSERT_EQ(cases.size(), 3U);
  for (const auto& one : cases) {
    std::vector<Result<MinioTracker>> drives;
    for (std::size_t i = 0; i < 3; ++i) {
      MinioTracker tracker = MinioTracker::starting_at(one.at("drives_current_idx").at(i));
      tracker.saved_unix = one.at("drives_saved_unix").at(i);
      drives.emplace_back(std::move(tracker));
    }
    const auto exact = choose_minio_tracker(drives, MinioLoad::kLastReadable);
    ASSERT_TRUE(exact);
    EXPECT_EQ(drives[*exact]->current.index, one.at("loaded_current_idx"));
    const auto newest = choose_minio_tracker(drives, MinioLoad::kNewest);
    ASSERT_TRUE(newest);
    EXPECT_EQ(drives[*newest]->saved_unix, 3000);
    drives.emplace_back(drives[*newest]->clone());  // an equal second is not newer
    drives.emplace_back(Error{ErrorCode::kIo, "no such file"});
    EXPECT_EQ(choose_minio_tracker(drives, MinioLoad::kNewest), newest);
    EXPECT_EQ(choose_minio_tracker(drives, MinioLoad::kLastReadable), 3U);
  }
  EXPECT_EQ(choose_minio_tracker({}, MinioLoad::kNewest), std::nullopt);
}

// The peer's time of a tracker that was never saved is the first second of the year 1.
TEST(MinioTracker, ATrackerThatWasNeverSavedIsNotChosen) {
  constexpr std::int64_t kNever = -62135596800;
  for (const MinioLoad rule : {MinioLoad::kNewest, MinioLoad::kLastReadable}) {
    std::vector<Result<MinioTracker>> drives;
    drives.emplace_back(MinioTracker::starting_at());
    drives[0]->saved_unix = kNever;
    EXPECT_EQ(choose_minio_tracker(drives, rule), std::nullopt);
    drives[0]->saved_unix = kNever + 1;
    EXPECT_EQ(choose_minio_tracker(drives, rule), 0U);
  }
}

TEST(MinioTracker, HugeCycleNumbersCostNothing) {
  MinioTracker tracker = MinioTracker::starting_at();
  const auto answer = tracker.filter_from(0, UINT64_MAX);
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(tracker.cycle_filter({0, UINT64_MAX}).newest_index, 1U);
  EXPECT_EQ(tracker.latest_with_dir("bucket"), UINT64_MAX - 1);
}

TEST(MinioTracker, AFilterOfAnotherShapeMakesTheAnswerIncomplete) {
  MinioTracker tracker = MinioTracker::starting_at();
  tracker.history.push_back({0, MinioFilter{.filter = ClassicFilter<BitsAndBlooms>{Shape{1000, 3}},
                                            .bitset_length = 1000}});
  const auto answer = tracker.filter_from(0, 1);
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(answer.oldest_index, 0U);
}

TEST(MinioTracker, SurvivesHostileBytes) {
  // Small filters keep the many copies of the file small; the layout is the same.
  MinioTracker tracker = MinioTracker::starting_at();
  const auto small = [] {
    return MinioFilter{.filter = ClassicFilter<BitsAndBlooms>{Shape{130, 3}}, .bitset_length = 130};
  };
  tracker.current = {2, small()};
  tracker.history.push_back({1, small()});
  testing::survive_hostile_bytes(encode_minio_tracker(tracker), [](ByteView bytes) {
    return decode_minio_tracker(bytes, {.limits = {.max_bytes = 1 << 20}});
  });
}

}  // namespace
}  // namespace bloomery
