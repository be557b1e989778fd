#include "apps/ethlog/index/bloombits/read_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <thread>

#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/index/adaptive/search.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/index/bloombits/search.h"
#include "apps/ethlog/index/bloombits/search_threads.h"
#include "apps/ethlog/model/log_match.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSectionBlocks = 8;
constexpr std::uint64_t kChainSections = 40;
constexpr BlockRange kWholeChain{0, kSectionBlocks* kChainSections - 1};
constexpr std::chrono::microseconds kDiskWait{300};  // above what ReadMeter takes for a disk

TEST(ReadMeter, JudgesByTheMeanOfSixReadsOrMore) {
  ReadMeter few;
  few.add(5s, 5);
  EXPECT_FALSE(few.waits_for_disk());
  EXPECT_FALSE(few.is_costly());
  few.add(0s, 1);
  EXPECT_TRUE(few.waits_for_disk());

  ReadMeter cached;
  cached.add(100us, 10);
  EXPECT_FALSE(cached.waits_for_disk());
  EXPECT_TRUE(cached.is_costly());

  ReadMeter memory;
  memory.add(40us, 10);
  EXPECT_FALSE(memory.is_costly());
}

// A store in memory whose reads take as long as the disk's would.
class SlowStore final : public KeyValueStore {
 public:
  explicit SlowStore(const std::atomic<std::chrono::microseconds>& wait) : wait_{wait} {}
  Result<std::optional<std::string>> get(std::string_view key) const override {
    sleep();
    return memory_.get(key);
  }
  Status scan(std::string_view first, std::string_view past, const Visit& visit) const override {
    sleep();
    return memory_.scan(first, past, visit);
  }
  Status write(const WriteBatch& batch, Durability durability) override {
    return memory_.write(batch, durability);
  }

 private:
  void sleep() const {
    if (const auto wait = wait_.load(); wait > 0us) std::this_thread::sleep_for(wait);
  }
  const std::atomic<std::chrono::microseconds>& wait_;
  MemoryStore memory_;
};

// A chain of 40 sections with both indexes, searched in the way that a program gets by default.
class AutomaticSearch : public ::testing::Test {
 protected:
  AutomaticSearch() {
    EXPECT_TRUE(store_.set_section_size(kSectionBlocks));
    add_all(store_, made_chain(0, kWholeChain.last + 1, Hash{}));
    EXPECT_TRUE((BloombitsIndexer{store_, 0}.run()));
    EXPECT_TRUE((AdaptiveIndexer{store_, {.confirms = 0}}.run()));
    query_.addresses.emplace_back().bytes.fill(std::byte{3});
  }

  // With threads of its own, or those that it shares with the interests of the test.
  std::uint64_t sections_by_threads(const decltype(&bloombits_source)& source,
                                    std::shared_ptr<SearchThreads> threads = nullptr,
                                    const BlockRange& range = kWholeChain) const {
    const auto made = source(store_.reader(), MatchMode::kAuto, std::move(threads));
    EXPECT_TRUE(made);
    IndexCost cost;
    std::vector<std::uint64_t> blocks;
    const auto collect = [&](std::uint64_t block) {
      blocks.push_back(block);
      return true;
    };
    EXPECT_TRUE(made->candidates(query_, range, collect, {}, cost));
    EXPECT_GE(blocks.size(), (range.last - range.first) / 7);
    EXPECT_TRUE(std::ranges::is_sorted(blocks));
    return cost.sections_threaded;
  }
  std::uint64_t sections_by_threads_beside(std::size_t others, const LogQuery& of_others) const {
    const auto threads = std::make_shared<SearchThreads>(store_.reader());
    std::list<SearchThreads::Interest> interests;
    for (std::size_t i = 0; i < others; ++i)
      interests.emplace_back(*threads, bit_clauses(clauses_of(of_others)));
    return sections_by_threads(bloombits_source, threads);
  }

  std::atomic<std::chrono::microseconds> wait_{0us};
  ChainStore store_{std::move(*ChainStore::over(std::make_unique<SlowStore>(wait_)))};
  LogQuery query_;
};

TEST_F(AutomaticSearch, ReadsByThreadsWhereReadsWaitForADisk) {
  wait_ = kDiskWait;
  for (const auto& source : {bloombits_source, adaptive_source}) {
    const std::uint64_t threaded = sections_by_threads(source);
    EXPECT_GE(threaded, SearchThreads::kLeastSections);
    EXPECT_LT(threaded, kChainSections);  // the first ones were measured
  }
}

// On a busy machine a search may lose its CPU for longer than a disk takes: not five in a row.
TEST_F(AutomaticSearch, ReadsDirectlyFromMemory) {
  for (const auto& source : {bloombits_source, adaptive_source}) {
    std::uint64_t threaded = kChainSections;
    for (int tries = 0; tries < 5 && threaded > 0; ++tries) threaded = sections_by_threads(source);
    EXPECT_EQ(threaded, 0U);
  }
}

TEST_F(AutomaticSearch, ReadsDirectlyWhereFewSectionsAreLeft) {
  wait_ = kDiskWait;
  const BlockRange few{0, kSectionBlocks * SearchThreads::kLeastSections - 1};
  for (const auto& source : {bloombits_source, adaptive_source})
    EXPECT_EQ(sections_by_threads(source, nullptr, few), 0U);
}

TEST_F(AutomaticSearch, ReadsDirectlyWhereOtherSearchesKeepTheDiskBusy) {
  wait_ = kDiskWait;
  LogQuery other;
  other.addresses.emplace_back().bytes.fill(std::byte{0x55});
  EXPECT_GT(sections_by_threads_beside(SearchThreads::kFewSearches - 1, other), 0U);
  EXPECT_EQ(sections_by_threads_beside(SearchThreads::kFewSearches, other), 0U);
}

TEST_F(AutomaticSearch, ReadsByThreadsWhatManySearchesRead) {
  wait_ = kDiskWait;
  EXPECT_EQ(sections_by_threads_beside(SearchThreads::kManyReaders - 2, query_), 0U);
  EXPECT_GT(sections_by_threads_beside(SearchThreads::kManyReaders - 1, query_), 0U);
}

}  // namespace
}  // namespace bloomery::ethlog
