#include "apps/cli/records/stages.h"

#include <gtest/gtest.h>

#include <new>

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kNever = 1000;

struct Outcome {
  Status status = ok();
  std::vector<std::uint64_t> decided;
  std::vector<std::uint64_t> printed;
};

// Forty chunks; a stage fails at the given chunk.
Outcome run(std::uint32_t threads, std::uint64_t fill_fails, std::uint64_t decide_fails,
            std::uint64_t print_fails) {
  Outcome run;
  std::uint64_t next = 0;
  const auto fails = [](const char* what) { return Error{ErrorCode::kIo, what}; };
  run.status = run_stages({[&](Chunk& chunk) -> Result<bool> {
                             chunk.first_index = next++;
                             if (chunk.first_index == fill_fails) return fails("fill");
                             return chunk.first_index < 40;
                           },
                           [&](Chunk& chunk) -> Status {
                             if (chunk.first_index == decide_fails) return fails("decide");
                             run.decided.push_back(chunk.first_index);
                             return ok();
                           },
                           [&](Chunk& chunk) -> Status {
                             if (chunk.first_index == print_fails) return fails("print");
                             run.printed.push_back(chunk.first_index);
                             return ok();
                           }},
                          threads);
  return run;
}

class StagesWithThreads : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, StagesWithThreads, ::testing::Values(1, 2, 3, 8));

TEST_P(StagesWithThreads, TakeEveryChunkInOrder) {
  const Outcome all = run(GetParam(), kNever, kNever, kNever);
  EXPECT_TRUE(all.status);
  ASSERT_EQ(all.printed.size(), 40U);
  for (std::uint64_t i = 0; i < 40; ++i) EXPECT_EQ(all.printed[i], i);
  EXPECT_EQ(all.decided, all.printed);
}

TEST_P(StagesWithThreads, PrintAllThatLiesBeforeAnError) {
  struct Case {
    std::uint64_t fill, decide, print;
    const char* what;
  };
  for (const Case& one : {Case{7, kNever, kNever, "fill"}, Case{kNever, 7, kNever, "decide"},
                          Case{kNever, kNever, 7, "print"}}) {
    const Outcome stopped = run(GetParam(), one.fill, one.decide, one.print);
    ASSERT_FALSE(stopped.status);
    EXPECT_EQ(stopped.status.error().message, one.what);
    EXPECT_EQ(stopped.printed.size(), 7U);
  }
}

TEST_P(StagesWithThreads, TellTheErrorThatComesFirstInTheInput) {
  EXPECT_EQ(run(GetParam(), 9, 8, 7).status.error().message, "print");
}

TEST_P(StagesWithThreads, NeedNothingToPrint) {
  std::uint64_t filled = 0;
  std::uint64_t decided = 0;
  EXPECT_TRUE(run_stages({[&](Chunk&) -> Result<bool> { return ++filled <= 20; },
                          [&](Chunk&) -> Status {
                            ++decided;
                            return ok();
                          },
                          {}},
                         GetParam()));
  EXPECT_EQ(decided, 20U);
}

TEST_P(StagesWithThreads, LetExhaustedMemoryThroughToTheCaller) {
  const auto no_memory = [](Chunk&) -> Result<bool> { throw std::bad_alloc{}; };
  EXPECT_THROW((void)run_stages({no_memory, [](Chunk&) { return ok(); }, {}}, GetParam()),
               std::bad_alloc);
}

TEST_P(StagesWithThreads, TakeTheChunksOfEachRangeInOrder) {
  std::uint64_t next = 0;
  std::vector<std::vector<std::uint64_t>> taken(5);
  Stages stages;
  stages.fill = [&](Chunk& chunk) -> Result<bool> {
    chunk.first_index = next++;
    return chunk.first_index < 200;
  };
  stages.prepare = [](Chunk& chunk) -> Status {
    chunk.offset = chunk.first_index * 2;
    return ok();
  };
  for (auto& of_range : taken)
    stages.ranges.emplace_back([&of_range](Chunk& chunk) -> Status {
      of_range.push_back(chunk.offset);
      return ok();
    });
  stages.arrange = [](Chunk& chunk) -> Status {
    chunk.offset += 1;
    return ok();
  };
  std::vector<std::uint64_t> printed;
  stages.print = [&](Chunk& chunk) -> Status {
    printed.push_back(chunk.offset);
    return ok();
  };
  ASSERT_TRUE(run_stages(stages, GetParam()));
  ASSERT_EQ(printed.size(), 200U);
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(printed[i], i * 2 + 1);
    for (const auto& of_range : taken) EXPECT_EQ(of_range.at(i), i * 2);
  }
}

TEST_P(StagesWithThreads, PrintAChunkBeforeItsOwnError) {
  std::uint64_t next = 0;
  std::vector<std::uint64_t> printed;
  Stages stages;
  stages.fill = [&](Chunk& chunk) -> Result<bool> {
    chunk.first_index = next++;
    return true;
  };
  stages.prepare = [](Chunk& chunk) -> Status {
    if (chunk.first_index >= 7) chunk.failed = Error{ErrorCode::kIo, "bad record"};
    return ok();
  };
  stages.print = [&](Chunk& chunk) -> Status {
    printed.push_back(chunk.first_index);
    return ok();
  };
  const Status stopped = run_stages(stages, GetParam());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "bad record");
  EXPECT_EQ(printed, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace bloomery::cli
