// The stages of dedup with ranges of a block filter, which threads fill without atomics: each range
// belongs to the thread whose turn it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "apps/cli/records/stages.h"
#include "bloomery/filter/block/block.h"
#include "bloomery/layout/block.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kChunks = 300;
constexpr std::uint64_t kKeys = 64;  // of a chunk
constexpr std::size_t kRanges = 4;
constexpr BlockShape kShape{64, 8};

// Half of the keys are repeats of the chunks before.
Hash128 hash_of(std::uint64_t chunk, std::uint64_t key) {
  return KeyHash{}.digest(bytes_of(std::to_string(chunk * kKeys / 2 + key)));
}

struct Filling {
  std::vector<std::uint8_t> is_new;
  BlockFilter filter{kShape};
};

void fill_by_ranges(Filling& run, std::uint32_t threads) {
  std::uint64_t next = 0;
  Stages stages;
  stages.fill = [&](Chunk& chunk) -> Result<bool> {
    chunk.first_index = next++;
    return chunk.first_index < kChunks;
  };
  stages.prepare = [](Chunk& chunk) -> Status {
    chunk.inserts.digests.resize(kKeys);
    chunk.is_new.assign(kKeys, 0);
    for (std::uint64_t i = 0; i < kKeys; ++i)
      chunk.inserts.digests[i] = hash_of(chunk.first_index, i);
    return ok();
  };
  for (std::size_t range = 0; range < kRanges; ++range)
    stages.ranges.emplace_back([&run, range](Chunk& chunk) -> Status {
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        const Hash128 hash = chunk.inserts.digests[i];
        if (block::block_of(hash.low, kShape.blocks) / (kShape.blocks / kRanges) == range)
          chunk.is_new[i] = run.filter.view().insert(hash) ? 1 : 0;
      }
      return ok();
    });
  stages.print = [&run](Chunk& chunk) -> Status {
    run.is_new.insert(run.is_new.end(), chunk.is_new.begin(), chunk.is_new.end());
    return ok();
  };
  ASSERT_TRUE(run_stages(stages, threads));
}

TEST(DedupStages, FillRangesOfOneFilterAsOneThreadDoes) {
  Filling one;
  fill_by_ranges(one, 1);
  EXPECT_GT(std::ranges::count(one.is_new, 1), 100);
  for (const std::uint32_t threads : {2U, 3U, 8U}) {
    Filling many;
    fill_by_ranges(many, threads);
    EXPECT_EQ(one.is_new, many.is_new);
    EXPECT_TRUE(one.filter == many.filter);
  }
}

TEST(DedupStages, EndAtAnErrorWhileOtherThreadsWork) {
  for (std::uint64_t bad = 0; bad < 20; ++bad) {
    std::uint64_t next = 0;
    std::uint64_t printed = 0;
    Stages stages;
    stages.fill = [&](Chunk& chunk) -> Result<bool> {
      chunk.first_index = next++;
      return true;
    };
    stages.prepare = [bad](Chunk& chunk) -> Status {
      if (chunk.first_index >= bad) return Error{ErrorCode::kIo, "bad"};
      return ok();
    };
    stages.print = [&](Chunk&) -> Status {
      ++printed;
      return ok();
    };
    EXPECT_FALSE(run_stages(stages, 4));
    EXPECT_EQ(printed, bad);
  }
}

}  // namespace
}  // namespace bloomery::cli
