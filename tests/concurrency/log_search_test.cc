// The threads of a log search: a scheduler and a distributor that many use at once, and sessions
// that end early in every way there is. No test sleeps: a wait that is never ended hangs the test.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <latch>
#include <numeric>
#include <thread>

#include "apps/ethlog/import/import.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/index/bloombits/search.h"
#include "tests/apps/ethlog/index/bloombits/counting_fetch.h"
#include "tests/apps/ethlog/model/vector_chain.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using testing::Blocks;
using testing::Bytes;
using testing::CountingFetch;
using testing::SplitMix64;
using testing::VectorChain;

constexpr std::size_t kThreads = 4;
constexpr std::uint64_t kSections = 200;

template <class Work>
void in_all_threads(Work work) {
  std::barrier start{static_cast<std::ptrdiff_t>(kThreads)};
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
}

TEST(ConcurrencyLogSearch, AVectorThatManyAskForIsFetchedOnceAndHandedToAll) {
  Scheduler scheduler{0};
  Distributor distributor;
  std::atomic<std::size_t> wrong = 0;
  std::atomic<std::size_t> unique = 0;
  std::stop_source done;
  const auto vector_of = [](std::uint64_t section) {
    return FetchedVector{Bytes(8, static_cast<std::byte>(section * 37 % 256)), 8};
  };
  std::vector<std::jthread> servers;
  for (int i = 0; i < 2; ++i)
    servers.emplace_back([&] {
      while (const auto request = distributor.take(3, done.get_token()))
        for (const SectionId& section : request->sections) {
          scheduler.deliver(1, {section.number + 1000, {}}, vector_of(7));  // unrequested
          scheduler.deliver(1, section, vector_of(section.number));
          scheduler.deliver(1, section, vector_of(0));  // a second one
        }
    });
  std::latch all_hold{kThreads};  // before, a vector that no search holds may be dropped
  in_all_threads([&](std::size_t thread) {
    std::vector<Scheduler::Handle> held(kSections);
    for (std::uint64_t i = 0; i < kSections; ++i) {
      const std::uint64_t section = (i + thread * 50) % kSections;
      auto asked = scheduler.ask(1, {section, {}});
      held[section] = std::move(asked.vector);
      if (!asked.fresh) continue;
      ++unique;
      distributor.request(1, {section, {}});
    }
    for (std::uint64_t section = 0; section < kSections; ++section) {
      ASSERT_TRUE(scheduler.await(held[section], {}));
      wrong += held[section]->outcome()->bits == vector_of(section).bits ? 0 : 1;
    }
    all_hold.arrive_and_wait();
  });
  done.request_stop();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(unique, kSections);
}

TEST(ConcurrencyLogSearch, AStopWakesAllThatWait) {
  Scheduler scheduler{0};
  const auto asked = scheduler.ask(1, {1, {}});
  Distributor distributor;
  std::stop_source stop;
  std::latch waiting{2};
  std::vector<std::jthread> threads;
  const auto wait_in = [&](auto wait) {
    threads.emplace_back([&waiting, wait] {
      waiting.count_down();
      EXPECT_FALSE(wait());
    });
  };
  wait_in([&] { return scheduler.await(asked.vector, stop.get_token()); });
  wait_in([&] { return distributor.take(1, stop.get_token()).has_value(); });
  waiting.wait();
  stop.request_stop();
}

class Search {
 public:
  Search() : keys_{make_keys()}, chain_{VectorChain::random(64, kSections, 100, keys_, 90, 3)} {
    const std::vector<Clause> asked = {{keys_[0], keys_[1], keys_[2]}, {keys_[0]}};
    clauses_ = bit_clauses(asked);
    expected_ = chain_.brute_force(clauses_, 5, last());
  }
  std::uint64_t last() const { return chain_.size() - 3; }
  const std::vector<BitClause>& clauses() const { return clauses_; }
  const Blocks& expected() const { return expected_; }
  VectorSource source() const {
    return [this](std::uint32_t bit, std::uint64_t section) { return chain_.vector(bit, section); };
  }

 private:
  static std::vector<Bytes> make_keys() {
    SplitMix64 random{9};
    std::vector<Bytes> keys;
    for (int i = 0; i < 3; ++i) keys.push_back(random.bytes(32));
    return keys;
  }
  std::vector<Bytes> keys_;
  VectorChain chain_;
  std::vector<BitClause> clauses_;
  Blocks expected_;
};

// A fetch that waits until it is let go on.
class GatedFetch {
 public:
  explicit GatedFetch(FetchVector fetch) : fetch_{std::move(fetch)} {}
  FetchVector function() {
    return [this](std::uint32_t bit, const SectionId& section) {
      begun_ = true;
      begun_.notify_all();
      open_.wait(false);
      return fetch_(bit, section);
    };
  }
  void wait_for_first() { begun_.wait(false); }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  FetchVector fetch_;
  std::atomic<bool> begun_ = false;
  std::atomic<bool> open_ = false;
};

TEST(ConcurrencyLogSearch, EveryMixOfThreadsSectionsAndBatchesFindsTheSame) {
  const Search search;
  ASSERT_GT(search.expected().size(), 10U);
  for (const std::size_t ahead : {1U, 64U})
    for (const std::size_t threads : {1U, 5U})
      for (const std::size_t batch : {1U, 16U}) {
        CountingFetch fetch{search.source()};
        VectorFetcher fetcher{fetch.function(), {.most_threads = threads, .batch_sections = batch}};
        ASSERT_TRUE(fetcher.start_threads(100));
        EXPECT_EQ(fetcher.threads(), threads);
        const auto result = testing::search_with(fetcher, 64, search.clauses(), 5, search.last(),
                                                 {.sections_ahead = ahead});
        EXPECT_EQ(result.blocks, search.expected());
        EXPECT_EQ(fetch.total(), fetch.distinct());
        EXPECT_EQ(result.cost.vectors, fetch.total());
      }
}

// The fetch waits until all searches have asked, so that none finds what another left.
TEST(ConcurrencyLogSearch, SearchesAtOnceShareEveryFetch) {
  const Search search;
  CountingFetch fetch{search.source()};
  GatedFetch gate{fetch.function()};
  VectorFetcher fetcher{gate.function(), {.kept_bytes = std::size_t{1} << 20}};
  ASSERT_TRUE(fetcher.start_threads(4));
  std::atomic<std::uint64_t> shared = 0;
  std::atomic<std::uint64_t> used = 0;
  std::latch begun{kThreads};
  in_all_threads([&](std::size_t thread) {
    begun.count_down();
    if (thread == 0) {
      begun.wait();
      gate.wait_for_first();
      gate.open();
    }
    const auto result = testing::search_with(fetcher, 64, search.clauses(), 5, search.last());
    EXPECT_EQ(result.blocks, search.expected());
    shared += result.cost.shared;
    used += result.cost.vectors;
  });
  EXPECT_EQ(fetch.total(), fetch.distinct()) << "none was fetched twice";
  EXPECT_EQ(used, kThreads * fetch.total());
  EXPECT_EQ(shared, (kThreads - 1) * fetch.total());
}

TEST(ConcurrencyLogSearch, WithoutRoomToKeepVectorsSearchesStillFindTheSame) {
  const Search search;
  CountingFetch fetch{search.source()};
  VectorFetcher fetcher{fetch.function(), {.most_threads = 3, .kept_bytes = 0}};
  ASSERT_TRUE(fetcher.start_threads(3));
  in_all_threads([&](std::size_t thread) {
    const auto result = testing::search_with(fetcher, 64, search.clauses(), 5, search.last(),
                                             {.sections_ahead = 1 + 10 * thread});
    EXPECT_EQ(result.blocks, search.expected());
  });
}

TEST(ConcurrencyLogSearch, ASessionMayBeDroppedAtAnyMoment) {
  const Search search;
  CountingFetch fetch{search.source()};
  VectorFetcher fetcher{fetch.function()};
  ASSERT_TRUE(fetcher.start_threads(3));
  for (std::size_t taken = 0; taken < 12; ++taken) {
    MatcherSession session{fetcher,
                           64,
                           search.clauses(),
                           5,
                           search.last(),
                           testing::no_heads(),
                           {},
                           {.sections_ahead = 2}};
    Blocks found;
    for (std::size_t i = 0; i < taken; ++i) {
      const auto blocks = session.next_section();
      ASSERT_TRUE(blocks);
      found.insert(found.end(), blocks->begin(), blocks->end());
    }
    EXPECT_TRUE(std::ranges::equal(found, std::span{search.expected()}.first(found.size())));
  }
  const auto result = testing::search_with(fetcher, 64, search.clauses(), 5, search.last());
  EXPECT_EQ(result.blocks, search.expected());
}

// A client that goes: what only its search waited for is not fetched any more.
TEST(ConcurrencyLogSearch, WhatOnlyAStoppedSearchWantedIsNotFetched) {
  const Search search;
  CountingFetch fetch{search.source()};
  GatedFetch gate{fetch.function()};
  VectorFetcher fetcher{gate.function(), {.most_threads = 1, .batch_sections = 1}};
  ASSERT_TRUE(fetcher.start_threads(1));
  std::stop_source stop;
  {
    MatcherSession session{
        fetcher, 64, search.clauses(), 5, search.last(), testing::no_heads(), stop.get_token()};
    std::jthread canceller{[&] {
      gate.wait_for_first();
      stop.request_stop();
    }};
    EXPECT_FALSE(session.next_section());
    EXPECT_FALSE(session.error());
    EXPECT_GT(session.cost().vectors, 1U);
  }
  gate.open();
  // The only thread comes to this search after all that the other had asked for.
  const std::vector<BitClause> last_bit = {{{2047, 2047, 2047}}};
  const auto result = testing::search_with(fetcher, 64, last_bit, search.last() - 1, search.last());
  EXPECT_FALSE(result.error);
  EXPECT_LE(fetch.total(), 2U);
}

// A fetch that had begun before may still fail, and its error reaches the new search too: once for
// each such fetch, and no error is kept.
testing::SessionResult search_after_errors(VectorFetcher& fetcher, const Search& search) {
  testing::SessionResult result;
  for (int tries = 0; tries < 100; ++tries) {
    result = testing::search_with(fetcher, 64, search.clauses(), 5, search.last());
    if (!result.error) break;
  }
  return result;
}

TEST(ConcurrencyLogSearch, AnErrorOfAFetchReachesEverySearchThatWaitsForIt) {
  const Search search;
  CountingFetch good{search.source()};
  std::atomic<bool> broken = true;
  const FetchVector fetch = [&](std::uint32_t bit, const SectionId& section) {
    if (section.number < 100 || !broken) return good(bit, section);
    return Result<FetchedVector>{Error{ErrorCode::kIo, "the disk is gone"}};
  };
  VectorFetcher fetcher{fetch};
  ASSERT_TRUE(fetcher.start_threads(4));
  in_all_threads([&](std::size_t /*thread*/) {
    const auto result = testing::search_with(fetcher, 64, search.clauses(), 5, search.last());
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->message, "the disk is gone");
    // Everything before the section that could not be read was found.
    Blocks before = search.expected();
    std::erase_if(before, [](std::uint64_t block) { return block >= 100 * 64; });
    EXPECT_EQ(result.blocks, before);
  });
  broken = false;
  const auto again = search_after_errors(fetcher, search);
  EXPECT_FALSE(again.error) << "an error is not kept";
  EXPECT_EQ(again.blocks, search.expected());
}

TEST(ConcurrencyLogSearch, AVectorOfAnotherLengthIsAnError) {
  const Search search;
  for (const std::size_t bytes : {0U, 7U, 9U}) {
    VectorFetcher fetcher{[&](std::uint32_t, const SectionId&) {
      return Result<FetchedVector>{FetchedVector{Bytes(bytes), bytes}};
    }};
    ASSERT_TRUE(fetcher.start_threads(1));
    const auto result = testing::search_with(fetcher, 64, search.clauses(), 0, 63);
    ASSERT_TRUE(result.error);
    EXPECT_NE(result.error->message.find("should have 8 bytes and has " + std::to_string(bytes)),
              std::string::npos);
  }
}

TEST(ConcurrencyLogSearch, AnExceptionInAFetchIsAnErrorAndTheThreadGoesOn) {
  const Search search;
  CountingFetch good{search.source()};
  std::atomic<bool> broken = true;
  VectorFetcher fetcher{[&](std::uint32_t bit, const SectionId& section) {
    if (broken) throw std::bad_alloc{};
    return good(bit, section);
  }};
  ASSERT_TRUE(fetcher.start_threads(1));
  EXPECT_TRUE(testing::search_with(fetcher, 64, search.clauses(), 0, search.last()).error);
  broken = false;
  EXPECT_EQ(search_after_errors(fetcher, search).blocks, search.expected());
}

TEST(ConcurrencyLogSearch, ManySearchesAtOnceFindTheSame) {
  const Search search;
  const DirectMatcher direct{64, search.clauses()};
  CountingFetch fetch{search.source()};
  VectorFetcher fetcher{fetch.function()};
  ASSERT_TRUE(fetcher.start_threads(2));
  in_all_threads([&](std::size_t thread) {
    const std::uint64_t end = search.last() - 64 * 10 * thread;
    Blocks wanted;
    EXPECT_TRUE(direct.match(5, end, search.source(), wanted));
    EXPECT_EQ(testing::search_with(fetcher, 64, search.clauses(), 5, end).blocks, wanted);
  });
}

// Over one chain as the server searches it: modes that change while they run, and one that ends.
TEST(ConcurrencyLogSearch, SearchesOfAChainShareThreadsInEveryMode) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(128));
  add_all(store, golden_chain());
  ASSERT_TRUE((BloombitsIndexer{store, 32}.run()));
  const auto threads = std::make_shared<SearchThreads>(store.reader());
  LogQuery query;
  query.from = BlockBound{BlockTag::kNumber, 0};
  query.addresses = {*Address::from_hex("0x79d720b462a1724ea710687caae044404fd675fd")};
  std::array<std::vector<std::uint64_t>, kThreads> found;
  in_all_threads([&](std::size_t thread) {
    const MatchMode modes[] = {MatchMode::kDirect, MatchMode::kThreads, MatchMode::kAuto,
                               MatchMode::kThreads};
    const auto source = bloombits_source(store.reader(), modes[thread], threads);
    ASSERT_TRUE(source);
    IndexCost cost;
    const auto collect = [&](std::uint64_t block) {
      found[thread].push_back(block);
      return true;
    };
    EXPECT_TRUE(source->candidates(query, {0, 639}, collect, {}, cost));
    EXPECT_EQ(cost.sections, 5U);
    if (modes[thread] != MatchMode::kAuto) {
      EXPECT_EQ(cost.sections_threaded, modes[thread] == MatchMode::kThreads ? 5U : 0U);
    }
  });
  for (const auto& blocks : found) EXPECT_EQ(blocks, found[0]);
}

// Blocks are read and checked by threads while others are stored; in half of the rounds the import
// ends early, with work under way.
TEST(ConcurrencyImport, ChecksBlocksWhileOthersAreStored) {
  auto chain = made_chain(0, 300, Hash{});
  for (int round = 0; round < 6; ++round) {
    ChainStore store = store_in_memory();
    ASSERT_TRUE(store.set_section_size(16));
    auto blocks = chain;
    if (round % 2 == 1) blocks[200].receipts[0].logs.clear();
    ImportProgress progress;
    const Status imported =
        import_blocks(store, blocks_of(blocks),
                      {.sync_every = 50, .check_threads = 3, .index_confirms = 4}, progress);
    EXPECT_EQ(imported.has_value(), round % 2 == 0);
    EXPECT_EQ(store.counts().blocks, round % 2 == 0 ? 300U : 200U);
  }
}

}  // namespace
}  // namespace bloomery::ethlog
