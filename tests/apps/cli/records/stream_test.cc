#include "apps/cli/records/stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>

#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

// All that is seen of a stream, in the order in which it is seen.
struct Streamed {
  std::string text;
  std::uint64_t records = 0;
  std::uint64_t skipped = 0;
  std::string error;
  bool operator==(const Streamed&) const = default;
};

// Answers whether a key is even in length. Stops behind the batch that holds the record `last`.
Streamed stream(const std::vector<std::string>& paths, const RecordOptions& options,
                std::uint32_t threads, std::string_view last = "no record") {
  Globals globals;
  globals.progress = When::kNever;
  globals.quiet = true;
  globals.threads = threads;
  KeyReader keys{options, ByteOrder::kLittle};
  Streamed all;
  BatchSteps steps;
  steps.answer = [](std::span<const ByteView> asked, std::span<std::uint8_t> answers) -> Status {
    for (std::size_t i = 0; i < asked.size(); ++i) answers[i] = asked[i].size() % 2 == 0 ? 1 : 0;
    return ok();
  };
  bool had_last = false;
  steps.use = [&](const Batch& batch) -> Result<bool> {
    EXPECT_EQ(batch.answers.size(), batch.records.size());
    EXPECT_FALSE(had_last);
    for (std::size_t i = 0; i < batch.records.size(); ++i) {
      all.text += std::string{batch.file} + ":" + std::to_string(batch.number(i)) + " " +
                  std::string{text_of(batch.records[i])} + "=" +
                  std::string{text_of(batch.keys[i])} + (batch.answers[i] != 0 ? "+\n" : "-\n");
      had_last = had_last || text_of(batch.records[i]) == last;
    }
    return !had_last;
  };
  const auto totals = for_each_batch(*find_inputs(paths), keys, globals, steps);
  if (!totals) all.error = totals.error().message;
  if (totals) all.records = totals->records;
  if (totals) all.skipped = totals->skipped;
  return all;
}

std::string lines(std::size_t count, const std::string& begin) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += begin + std::to_string(i) +
            (i % 1000 == 7 ? "\n" : "\tfield " + std::to_string(i % 97) + "\n");
  return text;
}

class Streams : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, Streams, ::testing::Values(2, 3, 8));

TEST_P(Streams, AreThoseOfOneThread) {
  const TemporaryFile plain{lines(100'000, "plain ")};
  const TemporaryFile gzip{testing::gzip(lines(90'000, "gzip "))};
  const TemporaryFile zstd{testing::zstd(lines(80'000, "zstd "))};
  const TemporaryFile small{testing::gzip("one\ttwo\nno end\tof line")};
  const TemporaryFile empty{""};
  const std::vector<std::string> paths{gzip.path(),  zstd.path(), empty.path(), plain.path(),
                                       small.path(), zstd.path(), empty.path(), gzip.path()};
  RecordOptions skipping;
  skipping.fields = *parse_fields("2");
  skipping.missing = MissingKey::kSkip;
  for (const RecordOptions& options : {RecordOptions{}, skipping}) {
    const Streamed one = stream(paths, options, 1);
    EXPECT_EQ(one.records, 440'002U);
    EXPECT_EQ(one.skipped, options.fields.empty() ? 0U : 440U);
    EXPECT_TRUE(stream(paths, options, GetParam()) == one);
  }
}

TEST_P(Streams, UseWhatComesBeforeAnError) {
  const TemporaryFile good{lines(50'000, "good ")};
  RecordOptions options;
  options.fields = *parse_fields("2");
  const Streamed missing = stream({good.path()}, options, GetParam());
  EXPECT_TRUE(missing.error.starts_with(good.path() + ": record 8 (byte ")) << missing.error;
  EXPECT_TRUE(missing == stream({good.path()}, options, 1));
  std::string cut = testing::gzip(lines(90'000, "cut "));
  cut.resize(cut.size() / 2);
  const TemporaryFile broken{cut};
  const Streamed one = stream({good.path(), broken.path(), good.path()}, {}, 1);
  EXPECT_NE(one.error.find(broken.path() + ": record "), std::string::npos) << one.error;
  EXPECT_TRUE(stream({good.path(), broken.path(), good.path()}, {}, GetParam()) == one);
}

TEST_P(Streams, EndWhereTheUserHasHadEnough) {
  const TemporaryFile file{lines(100'000, "x")};
  const Streamed some = stream({file.path()}, {}, GetParam(), "x7");
  EXPECT_EQ(some.error, "");
  EXPECT_GE(some.records, 8U);
  EXPECT_LT(some.records, 100'000U);
}

// No thread waits for bytes that are not needed any more.
TEST_P(Streams, EndWhileAPipeIsStillOpen) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x7\nx8\n", 6), 6);
  std::promise<void> done;
  bool had_to_close = false;
  std::jthread closer{[&] {
    had_to_close =
        done.get_future().wait_for(std::chrono::seconds{10}) == std::future_status::timeout;
    ::close(ends[1]);
  }};
  const Streamed some = stream({"/dev/fd/" + std::to_string(ends[0])}, {}, GetParam(), "x8");
  done.set_value();
  closer.join();
  ::close(ends[0]);
  EXPECT_EQ(some.records, 2U);
  EXPECT_FALSE(had_to_close);
}

}  // namespace
}  // namespace bloomery::cli
