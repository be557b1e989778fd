#include "apps/cli/dedup/checkpoint.h"

#include <gtest/gtest.h>

#include "bloomery/hash/xxh.h"
#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

CheckpointState sample_state() {
  CheckpointState state;
  state.options = " --fields 2";
  state.inputs = {{"a.txt", 10, -11, 12, 13}, {"b.txt", 20, 21, 22, 23}};
  state.position = {1, 7, 3};
  state.records = 100;
  state.kept = 60;
  state.skipped = 5;
  state.expected_wrong = 0.25;
  state.seconds = 1.5;
  state.output_bytes = 600;
  state.dupes_bytes = 400;
  state.had_saved = true;
  state.saved_hash = 99;
  state.format = "bloomery";
  state.filter = {std::byte{1}, std::byte{2}, std::byte{3}};
  return state;
}

TEST(Checkpoint, ReadsWhatItWrote) {
  const CheckpointState state = sample_state();
  const auto bytes = encode_checkpoint(state);
  const auto again = decode_checkpoint(bytes);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->options, state.options);
  EXPECT_EQ(again->inputs, state.inputs);
  EXPECT_EQ(again->position.file, 1U);
  EXPECT_EQ(again->position.bytes, 7U);
  EXPECT_EQ(again->position.records, 3U);
  EXPECT_EQ(again->kept, 60U);
  EXPECT_EQ(again->expected_wrong, 0.25);
  EXPECT_EQ(again->filter, state.filter);
  EXPECT_TRUE(again->had_saved);
  EXPECT_FALSE(again->finished);
  EXPECT_EQ(encode_checkpoint(*again), bytes);
}

TEST(Checkpoint, RefusesEveryTruncationAndEveryChangedByte) {
  auto bytes = encode_checkpoint(sample_state());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_checkpoint(ByteView{bytes}.first(size))) << size;
  for (std::byte& byte : bytes) {
    byte ^= std::byte{1};
    EXPECT_FALSE(decode_checkpoint(bytes));
    byte ^= std::byte{1};
  }
  EXPECT_TRUE(decode_checkpoint(bytes));
}

TEST(Checkpoint, RefusesNumbersThatContradictEachOther) {
  CheckpointState state = sample_state();
  state.position.file = 3;
  EXPECT_FALSE(decode_checkpoint(encode_checkpoint(state)));
  state.position = {2, 0, 0};  // all were read
  EXPECT_TRUE(decode_checkpoint(encode_checkpoint(state)));
  state.position = {2, 7, 0};
  EXPECT_FALSE(decode_checkpoint(encode_checkpoint(state)));
  state.position = {2, 0, 3};
  EXPECT_FALSE(decode_checkpoint(encode_checkpoint(state)));
  state = sample_state();
  state.kept = 101;
  EXPECT_FALSE(decode_checkpoint(encode_checkpoint(state)));
}

TEST(Checkpoint, AnIntervalIsRecordsOrBytes) {
  EXPECT_EQ(parse_interval("1m")->records, 1'000'000U);
  EXPECT_EQ(parse_interval("1M")->records, 1'000'000U);
  EXPECT_EQ(parse_interval("20k")->records, 20'000U);
  EXPECT_EQ(parse_interval("7")->records, 7U);
  EXPECT_EQ(parse_interval("64MB")->bytes, 64'000'000U);
  EXPECT_EQ(parse_interval("1GiB")->bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(parse_interval("64MB")->records, 0U);
  EXPECT_FALSE(parse_interval("0"));
  EXPECT_FALSE(parse_interval("often"));
}

TEST(Checkpoint, NoticesEveryDifferenceOfTheInput) {
  const CheckpointState state = sample_state();
  EXPECT_TRUE(check_same_run("c", state, state.options, state.inputs));
  EXPECT_FALSE(check_same_run("c", state, "", state.inputs));
  EXPECT_FALSE(check_same_run("c", state, state.options, {state.inputs[0]}));
  for (int member = 0; member < 5; ++member) {
    auto inputs = state.inputs;
    InputIdentity& input = inputs[1];
    if (member == 0) input.path = "other";
    if (member == 1) ++input.bytes;
    if (member == 2) ++input.end;
    if (member == 3) ++input.modified;
    if (member == 4) ++input.start;
    EXPECT_FALSE(check_same_run("c", state, state.options, inputs)) << member;
  }
}

TEST(Checkpoint, TheSavedFilterIsTheOldOneOrThatOfTheFinishedRun) {
  CheckpointState state = sample_state();
  EXPECT_TRUE(check_saved("c", state, "s", {true, 99}));
  EXPECT_FALSE(check_saved("c", state, "s", {true, 98}));
  EXPECT_FALSE(check_saved("c", state, "s", {}));
  const SavedHash saved{true, xxh3_64(state.filter)};
  EXPECT_FALSE(check_saved("c", state, "s", saved));
  state.finished = true;
  EXPECT_TRUE(check_saved("c", state, "s", saved));
}

}  // namespace
}  // namespace bloomery::cli
