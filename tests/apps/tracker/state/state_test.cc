#include "apps/tracker/state/state.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "apps/tracker/state/state_files.h"
#include "apps/tracker/state/tracker_model.h"
#include "bloomery/hash/xxh.h"
#include "tests/base/scratch_folder.h"
#include "tests/formats/hostile.h"

namespace bloomery::tracker {
namespace {

State example() {
  TrackerModel model{
      State{.history = History::starting_at({1, 11}, 100, {.rate = 0.05, .first_keys = 64},
                                            "the tracker is new")}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(model.cycle(model.next_request(), 200 + i));
    model.mark("bucket/folder/object");
    model.flush();
  }
  model.mark_below("tree");
  State state = model.state()->snapshot();
  state.sequence = 42;
  state.saved_unix = 300;
  state.watched = true;
  state.settings = {{"/data/tree"}, {"/drive1", "/drive2"}};
  return state;
}

TEST(TrackerState, BytesComeBackAsTheSameState) {
  const State state = example();
  const auto bytes = encode_state(state);
  const auto decoded = decode_state(bytes, {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->sequence, 42U);
  EXPECT_EQ(decoded->saved_unix, 300);
  EXPECT_TRUE(decoded->watched);
  EXPECT_FALSE(decoded->session_open);
  EXPECT_EQ(decoded->settings, state.settings);
  EXPECT_EQ(decoded->history.current().id, state.history.current().id);
  EXPECT_EQ(decoded->history.past().size(), 3U);
  EXPECT_EQ(decoded->history.knows_from(), 2U);
  EXPECT_TRUE(encode_state(*decoded) == bytes);
}

TEST(TrackerState, SurvivesHostileBytesWithAndWithoutARightChecksum) {
  const auto good = encode_state(example());
  const auto ask = [](const State& state) { (void)state.history.may_have_changed("a", {2}); };
  const auto decode = [](ByteView bytes) { return decode_state(bytes, {.max_bytes = 1 << 20}); };
  testing::survive_hostile_bytes(good, decode, ask);
  const auto mended = [&](ByteView bytes) {
    std::vector<std::byte> copy{bytes.begin(), bytes.end()};
    if (copy.size() >= 8)
      store_le(copy.data() + copy.size() - 8, xxh3_64(ByteView{copy}.first(copy.size() - 8)));
    return decode(copy);
  };
  testing::survive_hostile_bytes(good, mended, ask);
  for (std::size_t i = 0; i < good.size(); i += 13) {
    auto bad = good;
    bad[i] ^= std::byte{1};
    EXPECT_FALSE(decode_state(bad, {})) << i;
  }
}

TEST(StateLock, OneProgramOwnsTheFolderUntilItEnds) {
  const ScratchFolder folder;
  {
    const auto lock = StateLock::take(folder.path());
    ASSERT_TRUE(lock) << lock.error().message;
    EXPECT_TRUE(is_locked(folder.path()));
    const auto second = StateLock::take(folder.path());
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos);
  }
  EXPECT_FALSE(is_locked(folder.path()));
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = StateLock::take(folder.path());
    ::_exit(lock ? 0 : 1);  // without unlocking
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(StateLock::take(folder.path()));
}

TEST(Heartbeat, IsReadAsWrittenOrNotAtAll) {
  const ScratchFolder folder;
  EXPECT_FALSE(read_heartbeat(folder.path()));
  ASSERT_TRUE(write_heartbeat(folder.path(), {1234, 56}));
  ASSERT_TRUE(write_heartbeat(folder.path(), {1240, 56}));
  const auto heartbeat = read_heartbeat(folder.path());
  ASSERT_TRUE(heartbeat);
  EXPECT_EQ(heartbeat->unix_seconds, 1240);
  EXPECT_EQ(heartbeat->process, 56);
  std::ofstream{folder / std::string{kHeartbeatFile}} << "torn";
  EXPECT_FALSE(read_heartbeat(folder.path()));
}

TEST(Copies, AreWrittenWhereverTheyCanBe) {
  const ScratchFolder folder;
  std::ofstream{folder / "file"} << "no folder";
  const Copies copies{{folder / "a", folder / "file", folder / "b"}, "copy"};
  EXPECT_FALSE(copies.any_exists());
  const auto saved = copies.save(bytes_of("content"));
  EXPECT_EQ(saved.copies, 2U);
  ASSERT_EQ(saved.failures.size(), 1U);
  const auto read = copies.read({});
  EXPECT_TRUE(read[0]);
  EXPECT_FALSE(read[1]);
  EXPECT_EQ(text_of(*read[2]), "content");
}

}  // namespace
}  // namespace bloomery::tracker
