#include "apps/cli/dedup/ranges.h"

#include <gtest/gtest.h>

#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

// Many repeats, near and far, in many chunks; some lines are empty.
std::string lines_with_repeats() {
  std::string text;
  std::uint64_t state = 7;
  for (int i = 0; i < 120'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t number = state >> 33;
    if (number % 50 != 0) text += "https://example.com/" + std::to_string(number % 40'000);
    text += '\n';
  }
  return text;
}

AnyFilter filter_for(Layout layout, double rate) {
  CreateOptions create;
  create.sizing.keys = 20'000;  // too few: false positives must agree too
  create.sizing.rate = rate;
  create.layout = layout;
  auto filter = find_format("bloomery")->create(create);
  EXPECT_TRUE(filter);
  return std::move(*filter);
}

struct RangedRun {
  std::vector<std::uint8_t> is_new;
  std::vector<std::byte> filter;
};

RangedRun run_ranged(const std::string& path, AnyFilter filter, std::uint32_t threads,
                     std::vector<QueryableFilter> against = {}) {
  SeenKeys seen{std::move(filter), find_format("bloomery"), std::move(against)};
  Globals globals;
  globals.quiet = true;
  Progress progress{globals, std::nullopt};
  ChunkSequence input{files_to_open({{path, std::nullopt}}), {{}, ByteOrder::kLittle}, progress};
  KeyRanges ranges{seen, threads};
  Stages stages = insertion_stages(input, ranges, threads);
  RangedRun outcome;
  stages.decide = [&](Chunk& chunk) -> Status {
    outcome.is_new.insert(outcome.is_new.end(), chunk.is_new.begin(), chunk.is_new.end());
    return ok();
  };
  EXPECT_TRUE(run_stages(stages, threads));
  ranges.finish();
  outcome.filter = *seen.format().encode(seen.filter());
  return outcome;
}

TEST(KeyRanges, AnswerAndFillAsOneThreadDoes) {
  const TemporaryFile file{lines_with_repeats()};
  for (const auto& [layout, rate] : {std::pair{Layout::kBlock, 1e-3},
                                     {Layout::kLines, 1e-6},
                                     {Layout::kClassic, 1e-3},
                                     {Layout::kScalable, 1e-3}}) {
    const RangedRun one = run_ranged(file.path(), filter_for(layout, rate), 1);
    EXPECT_GT(std::ranges::count(one.is_new, 1), 20'000);
    for (const std::uint32_t threads : {2U, 3U, 8U, 40U}) {
      const RangedRun many = run_ranged(file.path(), filter_for(layout, rate), threads);
      EXPECT_EQ(one.is_new, many.is_new) << threads;
      EXPECT_EQ(one.filter, many.filter) << threads;
    }
  }
}

TEST(KeyRanges, LeaveOutWhatAnotherFilterKnows) {
  const TemporaryFile file{lines_with_repeats()};
  const TemporaryFile half{lines_with_repeats().substr(0, 300'000)};
  const auto known = [&] {
    Session session;
    const TemporaryFile saved{
        std::string{text_of(run_ranged(half.path(), filter_for(Layout::kBlock, 1e-3), 1).filter)}};
    std::vector<QueryableFilter> against;
    against.push_back(std::move(*QueryableFilter::open(saved.path(), {}, session)));
    return against;
  };
  const RangedRun one = run_ranged(file.path(), filter_for(Layout::kBlock, 1e-3), 1, known());
  EXPECT_EQ(one.is_new.front(), 0);
  for (const std::uint32_t threads : {2U, 8U}) {
    const RangedRun many =
        run_ranged(file.path(), filter_for(Layout::kBlock, 1e-3), threads, known());
    EXPECT_EQ(one.is_new, many.is_new);
    EXPECT_EQ(one.filter, many.filter);
  }
}

TEST(KeyRanges, AreAsManyAsTheThreadsNeedAndTheBlocksAllow) {
  SeenKeys large{filter_for(Layout::kBlock, 1e-3), find_format("bloomery"), {}};
  EXPECT_EQ((KeyRanges{large, 2}.ranges()), 1U);
  EXPECT_GT((KeyRanges{large, 3}.ranges()), 1U);
  EXPECT_LE((KeyRanges{large, 1000}.ranges()), 16U);
  SeenKeys lines{filter_for(Layout::kLines, 1e-6), find_format("bloomery"), {}};
  EXPECT_EQ((KeyRanges{lines, 8}.ranges()), 1U) << "a key of several lines lies in several ranges";
}

}  // namespace
}  // namespace bloomery::cli
