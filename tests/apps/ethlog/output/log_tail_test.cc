#include "apps/ethlog/output/log_tail.h"

#include <gtest/gtest.h>

#include "tests/base/scratch_folder.h"
#include "tests/formats/split_mix.h"
#include "tests/full_run.h"

namespace bloomery::ethlog {
namespace {

using testing::SplitMix64;

Hash hash_with(std::uint64_t number, std::uint64_t salt) {
  const std::string text = std::to_string(number) + '/' + std::to_string(salt);
  return keccak_hash(std::as_bytes(std::span{text}));
}

struct FakeBlock {
  Hash hash;
  std::vector<LogRecord> logs;
};

// A chain in memory. Where it is not steady, it may be reorganised before any answer.
class FakeFeed final : public LogFeed {
 public:
  std::vector<FakeBlock> blocks;
  std::function<void()> before_answer = [] {};
  bool steady = true;

  void grow(std::size_t count, std::uint64_t salt, SplitMix64& random) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t number = blocks.size();
      FakeBlock block{hash_with(number, salt), {}};
      for (std::uint64_t log = 0; log < random.below(3); ++log) {
        LogRecord record;
        record.block_number = number;
        record.block_hash = block.hash;
        record.log_index = log;
        block.logs.push_back(record);
      }
      blocks.push_back(block);
    }
  }
  std::vector<LogRecord> all_logs(std::uint64_t from) const {
    std::vector<LogRecord> all;
    for (std::size_t i = from; i < blocks.size(); ++i)
      all.insert(all.end(), blocks[i].logs.begin(), blocks[i].logs.end());
    return all;
  }

  Result<std::optional<TailBlock>> refresh() override {
    if (blocks.empty()) return std::optional<TailBlock>{};
    return std::optional{TailBlock{blocks.size() - 1, blocks.back().hash}};
  }
  void release() override {}
  Result<std::uint64_t> chain_id() override { return std::uint64_t{1}; }
  Result<std::uint64_t> lowest() override { return std::uint64_t{0}; }
  Result<std::optional<std::uint64_t>> tagged(BlockTag) override {
    return std::optional<std::uint64_t>{};
  }
  Result<std::optional<Hash>> hash_of(std::uint64_t number) override {
    before_answer();
    if (number >= blocks.size()) return std::optional<Hash>{};
    return std::optional{blocks[number].hash};
  }
  Status logs(const LogQuery&, std::uint64_t first, std::uint64_t last,
              const OnLogRecord& on_record) override {
    before_answer();
    for (std::uint64_t i = first; i <= last && i < blocks.size(); ++i)
      for (LogRecord log : blocks[i].logs)
        if (Status s = on_record(std::move(log)); !s) return s;
    return ok();
  }
  bool is_steady() const override { return steady; }
  bool is_waited_for(const Error&) override { return false; }
};

// What a reader of the output has: a log that is removed must be there, and none comes twice.
class Reader {
 public:
  Status take(LogRecord record) {
    const bool removed = std::exchange(record.removed, false);
    const auto found = std::find(logs_.begin(), logs_.end(), record);
    EXPECT_EQ(found != logs_.end(), removed)
        << "block " << record.block_number << " log " << record.log_index;
    if (removed && found != logs_.end())
      logs_.erase(found);
    else
      logs_.push_back(record);
    return ok();
  }
  std::vector<LogRecord> sorted() const {
    auto all = logs_;
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::pair{a.block_number, a.log_index} < std::pair{b.block_number, b.log_index};
    });
    return all;
  }

 private:
  std::vector<LogRecord> logs_;
};

// Each step goes through the text of a checkpoint; some are done twice, as after a kill in between.
void follow_to_the_end(FakeFeed& feed, TailState& state, Reader& reader, const TailOptions& options,
                       SplitMix64& random) {
  LogTail tail{feed, {}, options};
  for (;;) {
    const auto head = feed.refresh();
    ASSERT_TRUE(head);
    if (!*head) return;
    if (random.below(4) == 0) {  // killed before the checkpoint: a file is cut back
      TailState lost = state;
      ASSERT_TRUE(tail.step(**head, lost, [](LogRecord&&) { return ok(); }));
      continue;
    }
    const auto step = tail.step(**head, state,
                                [&](LogRecord&& record) { return reader.take(std::move(record)); });
    ASSERT_TRUE(step) << step.error().message;
    if (*step == LogTail::Step::kIdle) return;
    const auto again = decode_tail_state(encode_tail_state(state));
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(*again, state);
    state = *again;
  }
}

TEST(LogTail, AReaderHasTheLogsOfTheChainThroughReorganisations) {
  const std::uint64_t seeds = testing::full_run() ? 1000 : 60;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix64 random{seed};
    FakeFeed feed;
    feed.grow(1 + random.below(120), 0, random);
    TailOptions options;
    options.window = 1 + random.below(40);
    options.step_blocks = 1 + random.below(30);
    options.recent_step = 1 + random.below(8);
    TailState state;
    state.first = random.below(feed.blocks.size());
    Reader reader;
    for (std::uint64_t round = 1; round < 30; ++round) {
      follow_to_the_end(feed, state, reader, options, random);
      if (HasFatalFailure()) return;
      ASSERT_EQ(reader.sorted(), feed.all_logs(state.first));
      const std::uint64_t depth =
          random.below(2) == 0 ? 0 : random.below(std::min<std::uint64_t>(options.window, 20));
      const std::uint64_t most =
          feed.blocks.size() - 1 - state.first;  // below it nothing is followed
      feed.blocks.resize(feed.blocks.size() - std::min(depth, most));
      // As long again at least, so that it is seen.
      feed.grow(depth + random.below(25), round, random);
    }
    follow_to_the_end(feed, state, reader, options, random);
    ASSERT_EQ(reader.sorted(), feed.all_logs(state.first));
  }
}

TEST(LogTail, AChainThatChangesUnderAStepIsLookedAtAgain) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix64 random{seed};
    FakeFeed feed;
    feed.steady = false;
    feed.grow(80, 0, random);
    std::uint64_t salt = 1;
    std::uint64_t changes = 200;
    feed.before_answer = [&] {
      if (changes == 0 || random.below(12) != 0) return;
      --changes;
      const std::uint64_t depth = random.below(6);
      feed.blocks.resize(feed.blocks.size() - depth);
      feed.grow(depth + random.below(3), salt++, random);
    };
    TailOptions options;
    options.window = 40;
    options.recent_step = 5;
    TailState state;
    Reader reader;
    for (int round = 0; round < 100; ++round) {
      follow_to_the_end(feed, state, reader, options, random);
      if (HasFatalFailure()) return;
    }
    changes = 0;
    follow_to_the_end(feed, state, reader, options, random);
    ASSERT_EQ(reader.sorted(), feed.all_logs(0));
  }
}

TEST(LogTail, AnIdleStepBeforeTheEndIsNotComplete) {
  SplitMix64 random{8};
  FakeFeed feed;
  feed.steady = false;
  feed.grow(40, 0, random);
  std::uint64_t salt = 1;
  feed.before_answer = [&] {  // a new head before each answer
    feed.blocks.resize(1);
    feed.grow(39, salt++, random);
  };
  LogTail tail{feed, {}, {}};
  TailState state;
  state.first = 1;
  const TailBlock head = **feed.refresh();
  const auto step = tail.step(head, state, [](LogRecord&&) { return ok(); });
  ASSERT_TRUE(step);
  EXPECT_EQ(*step, LogTail::Step::kIdle);
  EXPECT_FALSE(tail.is_complete(head, state));
  state.done = {{39, head.hash}};
  EXPECT_TRUE(tail.is_complete(head, state));
}

TEST(LogTail, AChainThatIsBehindIsWaitedFor) {
  SplitMix64 random{3};
  FakeFeed feed;
  feed.grow(50, 0, random);
  TailState state;
  Reader reader;
  follow_to_the_end(feed, state, reader, {}, random);
  const auto whole = feed.blocks;
  feed.blocks.resize(30);
  follow_to_the_end(feed, state, reader, {}, random);
  feed.blocks = whole;
  EXPECT_EQ(reader.sorted(), feed.all_logs(0));
}

TEST(LogTail, AReorganisationBelowTheWindowIsAnError) {
  SplitMix64 random{4};
  FakeFeed feed;
  feed.grow(100, 0, random);
  TailOptions options;
  options.window = 10;
  TailState state;
  Reader reader;
  follow_to_the_end(feed, state, reader, options, random);
  feed.blocks.resize(50);
  feed.grow(60, 1, random);
  LogTail tail{feed, {}, options};
  const auto step = tail.step(**feed.refresh(), state, [](LogRecord&&) { return ok(); });
  ASSERT_FALSE(step);
  EXPECT_NE(step.error().message.find("this is another chain, or a reorganisation reached below"),
            std::string::npos);
}

TEST(LogTail, AServerThatAnswersSomethingElseIsAnError) {
  SplitMix64 random{5};
  FakeFeed feed;
  feed.steady = false;
  feed.grow(20, 0, random);
  feed.blocks[4].logs.assign(2, LogRecord{});
  LogTail tail{feed, {}, {}};
  TailState state;
  Result<LogTail::Step> step = LogTail::Step::kAdvanced;
  while (step && *step == LogTail::Step::kAdvanced)
    step = tail.step(**feed.refresh(), state, [](LogRecord&&) { return ok(); });
  ASSERT_FALSE(step);
  EXPECT_NE(step.error().message.find("does not answer eth_getLogs as it should"),
            std::string::npos);
}

TailState sample_state() {
  TailState state;
  state.search = "--from \"earliest\"";
  state.chain_id = 5;
  state.first = 3;
  state.done = {{7, hash_with(7, 0)}, {9, hash_with(9, 0)}};
  state.whole = false;
  state.logs = 12;
  state.output_bytes = 99;
  state.output_tail = hash_with(1, 1);
  LogRecord log;
  log.block_number = 8;
  log.log.data = {std::byte{1}};
  log.timestamp = 77;
  state.recent.push_back(log);
  return state;
}

TEST(TailState, IsReadAsItWasWritten) {
  const auto again = decode_tail_state(encode_tail_state(sample_state()));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, sample_state());
}

TEST(TailState, EveryDamagedByteIsNoticed) {
  const std::string text = encode_tail_state(sample_state());
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(decode_tail_state(text.substr(0, i)));
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(decode_tail_state(other)) << i;
  }
}

TEST(Checkpoint, IsSavedByOneProcessAtATime) {
  const ScratchFolder folder;
  Checkpoint mine{folder.path() / "state"};
  ASSERT_TRUE(mine.load());
  ASSERT_FALSE(*mine.load());
  ASSERT_TRUE(mine.save(sample_state()));
  ASSERT_TRUE(mine.save(sample_state()));
  Checkpoint other{folder.path() / "state"};
  const auto loaded = other.load();
  ASSERT_TRUE(loaded);
  EXPECT_EQ(**loaded, sample_state());
  TailState next = sample_state();
  ++next.logs;
  ASSERT_TRUE(other.save(next));
  const Status refused = mine.save(sample_state());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("another process changed the checkpoint"),
            std::string::npos);
}

}  // namespace
}  // namespace bloomery::ethlog
