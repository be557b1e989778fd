// The threads of a log search: schedulers and queues that many use at once, and sessions that end
// early in every way there is. No test sleeps: a wait that nobody ends is a test that never does.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <latch>
#include <numeric>
#include <thread>

#include "tests/apps/ethlog/index/bloombits/counting_fetch.h"
#include "tests/apps/ethlog/model/vector_chain.h"

namespace bloomery::ethlog {
namespace {

using testing::Blocks;
using testing::Bytes;
using testing::CountingFetch;
using testing::drain;
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

// Waits until the request's session stops.
void wait_for_stop(const VectorRequest& request) {
  std::latch stopped{1};
  const std::stop_callback callback{request.stop, [&] { stopped.count_down(); }};
  stopped.wait();
}

TEST(ConcurrencyLogSearch, AQueueHandsOverEachValueOnceAndHoldsNoMoreThanItsLimit) {
  constexpr std::uint64_t kValues = 2000;
  BoundedQueue<std::uint64_t> queue{3};
  std::atomic<std::uint64_t> sum = 0;
  std::atomic<std::uint64_t> count = 0;
  std::atomic<std::int64_t> inside = 0;
  std::atomic<std::int64_t> most_inside = 0;
  std::latch pushed{kThreads / 2};
  in_all_threads([&](std::size_t thread) {
    if (thread % 2 == 0) {
      for (std::uint64_t i = 1; i <= kValues; ++i) {
        ASSERT_TRUE(queue.push(i, {}));
        const std::int64_t now = ++inside;
        std::int64_t most = most_inside;
        while (now > most && !most_inside.compare_exchange_weak(most, now)) {
        }
      }
      pushed.count_down();
      if (thread == 0) {
        pushed.wait();
        queue.close();
      }
      return;
    }
    while (const auto value = queue.pop({})) {
      --inside;
      sum += *value;
      ++count;
    }
  });
  EXPECT_EQ(count, kThreads / 2 * kValues);
  EXPECT_EQ(sum, kThreads / 2 * (kValues * (kValues + 1) / 2));
  // Each thread may have pushed or popped one value that it has not yet counted.
  EXPECT_LE(most_inside, static_cast<std::int64_t>(3 + kThreads));
}

Bytes vector_of(std::uint64_t section) {
  return Bytes(8, static_cast<std::byte>(section * 37 % 256));
}

TEST(ConcurrencyLogSearch, AVectorThatManyAskForIsFetchedOnceAndHandedToAll) {
  Scheduler scheduler{1};
  BoundedQueue<std::uint64_t> requests{4};
  std::atomic<std::size_t> wrong = 0;
  std::atomic<std::size_t> unique = 0;
  std::jthread server{[&] {
    SplitMix64 random{1};
    std::vector<std::uint64_t> waiting;
    const auto deliver = [&](std::uint64_t section) {
      const std::vector<std::uint64_t> sections = {section, section + 1000};  // one unrequested
      scheduler.deliver(sections, {vector_of(section), vector_of(7)});
      scheduler.deliver({sections.data(), 1}, {Bytes(1)});  // a second one
    };
    while (const auto section = requests.pop({})) {  // delivered out of order
      waiting.push_back(*section);
      std::swap(waiting.back(), waiting[random.below(waiting.size())]);
      if (random.below(3) == 0) continue;
      deliver(waiting.back());
      waiting.pop_back();
    }
    for (const std::uint64_t section : waiting) deliver(section);
  }};
  std::latch asked{kThreads};
  in_all_threads([&](std::size_t thread) {
    for (std::uint64_t i = 0; i < kSections; ++i) {
      const std::uint64_t section = (i + thread * 50) % kSections;
      if (!scheduler.ask(section)) continue;
      ++unique;
      ASSERT_TRUE(requests.push(section, {}));
    }
    asked.count_down();
    if (thread == 0) {
      asked.wait();
      requests.close();
    }
    for (std::uint64_t section = 0; section < kSections; ++section) {
      const auto vector = scheduler.await(section, {});
      wrong += vector && std::ranges::equal(*vector, vector_of(section)) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(unique, kSections);
}

TEST(ConcurrencyLogSearch, AStopWakesAllWhoWait) {
  Scheduler scheduler{1};
  scheduler.ask(1);
  BoundedQueue<int> empty{1};
  BoundedQueue<int> full{1};
  ASSERT_TRUE(full.push(1, {}));
  Distributor distributor;
  std::stop_source stop;
  std::latch waiting{4};
  std::vector<std::jthread> threads;
  const auto wait_in = [&](auto wait) {
    threads.emplace_back([&waiting, wait] {
      waiting.count_down();
      EXPECT_FALSE(wait());
    });
  };
  wait_in([&] { return scheduler.await(1, stop.get_token()).has_value(); });
  wait_in([&] { return empty.pop(stop.get_token()).has_value(); });
  wait_in([&] { return full.push(2, stop.get_token()); });
  wait_in([&] { return distributor.allocate(stop.get_token()).has_value(); });
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

TEST(ConcurrencyLogSearch, EveryMixOfThreadsQueuesAndBatchesFindsTheSame) {
  const Search search;
  ASSERT_GT(search.expected().size(), 10U);
  for (const std::size_t queued : {1U, 64U})
    for (const std::size_t threads : {1U, 5U})
      for (const std::size_t batch : {1U, 16U}) {
        CountingFetch fetch{search.source()};
        Matcher matcher{64, search.clauses()};
        auto session = matcher.start(5, search.last(), fetch.function(),
                                     {.queued_sections = queued,
                                      .fetch_threads = threads,
                                      .batch_sections = batch,
                                      .batch_wait = std::chrono::microseconds{batch}});
        ASSERT_TRUE(session);
        EXPECT_EQ(drain(**session), search.expected());
        EXPECT_EQ(fetch.total(), fetch.distinct());
        EXPECT_LE(std::ranges::max(fetch.batches()), batch);
      }
}

// With time enough to gather, a request has as many sections as the queues let run ahead.
TEST(ConcurrencyLogSearch, RetrievalsGatherInBatches) {
  const Search search;
  CountingFetch fetch{search.source()};
  Matcher matcher{64, {search.clauses()[1]}};
  auto session = matcher.start(
      0, 64 * 32 - 1, fetch.function(),
      {.queued_sections = 64, .batch_sections = 16, .batch_wait = std::chrono::hours{1}});
  ASSERT_TRUE(session);
  drain(**session);
  EXPECT_EQ(fetch.batches(), std::vector<std::size_t>(2 * kProbes, 16));
}

TEST(ConcurrencyLogSearch, ASessionMayBeDroppedAtAnyMoment) {
  const Search search;
  Matcher matcher{64, search.clauses()};
  CountingFetch fetch{search.source()};
  for (std::size_t taken = 0; taken < 12; ++taken) {
    auto session = matcher.start(5, search.last(), fetch.function(), {.queued_sections = 2});
    ASSERT_TRUE(session);
    for (std::size_t i = 0; i < taken; ++i) EXPECT_EQ((*session)->next(), search.expected()[i]);
  }
  // What was under way then is asked for again, and what had come is not.
  auto session = matcher.start(5, search.last(), fetch.function());
  ASSERT_TRUE(session);
  EXPECT_EQ(drain(**session), search.expected());
  EXPECT_EQ(drain(**session), Blocks{});
}

TEST(ConcurrencyLogSearch, AnAbortedSessionLeavesOnlyWhatWasDelivered) {
  const Search search;
  Matcher matcher{64, search.clauses()};
  std::atomic<std::size_t> delivered = 0;
  const auto some_only =
      [&](const VectorRequest& request) -> Result<std::vector<std::vector<std::byte>>> {
    if (request.sections.front() >= 20) wait_for_stop(request);
    if (request.stop.stop_requested()) return Error{ErrorCode::kIo, "too late"};
    std::vector<std::vector<std::byte>> vectors;
    for (const std::uint64_t section : request.sections) {
      const ByteView vector = search.source()(request.bit, section);
      vectors.emplace_back(vector.begin(), vector.end());
    }
    delivered += vectors.size();
    return vectors;
  };
  {
    auto session = matcher.start(5, search.last(), some_only);
    ASSERT_TRUE(session);
    for (const std::uint64_t expected : search.expected()) {
      if (expected >= 15 * 64) break;
      EXPECT_EQ((*session)->next(), expected);
    }
  }
  CountingFetch whole{search.source()};
  Matcher untouched{64, search.clauses()};
  EXPECT_EQ(drain(**untouched.start(5, search.last(), whole.function())), search.expected());
  CountingFetch rest{search.source()};
  EXPECT_EQ(drain(**matcher.start(5, search.last(), rest.function())), search.expected());
  EXPECT_GT(delivered, 0U);
  EXPECT_GE(rest.total() + delivered, whole.total());
  EXPECT_LT(rest.total(), whole.total());
}

TEST(ConcurrencyLogSearch, AnOuterStopEndsASearchWhoseVectorsNeverCome) {
  const Search search;
  for (const bool before : {false, true}) {
    Matcher matcher{64, search.clauses()};
    std::stop_source stop;
    if (before) stop.request_stop();
    std::atomic<bool> asked = false;
    auto session = matcher.start(
        5, search.last(),
        [&](const VectorRequest& request) -> Result<std::vector<std::vector<std::byte>>> {
          asked = true;
          asked.notify_all();
          wait_for_stop(request);
          return std::vector<std::vector<std::byte>>(request.sections.size());
        },
        {}, stop.get_token());
    ASSERT_TRUE(session);
    std::jthread canceller{[&] {
      if (!before) asked.wait(false);
      stop.request_stop();
    }};
    EXPECT_EQ((*session)->next(), std::nullopt);
    EXPECT_FALSE((*session)->error());
  }
}

TEST(ConcurrencyLogSearch, AnErrorEndsTheSessionAndIsTold) {
  const Search search;
  Matcher matcher{64, search.clauses()};
  CountingFetch good{search.source()};
  auto session = matcher.start(5, search.last(), [&](const VectorRequest& request) {
    if (request.sections.back() < 100) return good(request);
    return Result<std::vector<std::vector<std::byte>>>{Error{ErrorCode::kIo, "the disk is gone"}};
  });
  ASSERT_TRUE(session);
  const Blocks found = drain(**session);
  ASSERT_TRUE((*session)->error());
  EXPECT_EQ((*session)->error()->message, "the disk is gone");
  EXPECT_LT(found.size(), search.expected().size());
  EXPECT_TRUE(std::ranges::equal(found, std::span{search.expected()}.first(found.size())));
  (*session)->close();
  (*session)->close();
  EXPECT_TRUE((*session)->error()) << "it is told after the end too";
  auto again = matcher.start(5, search.last(), good.function());
  ASSERT_TRUE(again);
  EXPECT_EQ(drain(**again), search.expected());
}

TEST(ConcurrencyLogSearch, VectorsOfAnotherLengthOrNumberAreErrors) {
  const Search search;
  const auto error_with = [&](std::size_t vectors_too_few, std::size_t bytes) {
    Matcher matcher{64, search.clauses()};
    auto session = matcher.start(0, 63, [&](const VectorRequest& request) {
      return Result<std::vector<std::vector<std::byte>>>{std::vector<std::vector<std::byte>>(
          request.sections.size() - vectors_too_few, Bytes(bytes))};
    });
    drain(**session);
    const auto error = (*session)->error();
    return error ? error->message : "";
  };
  EXPECT_NE(error_with(0, 7).find("should have 8 bytes and has 7"), std::string::npos);
  EXPECT_NE(error_with(1, 8).find("were asked for"), std::string::npos);
  EXPECT_EQ(error_with(0, 8), "");
}

TEST(ConcurrencyLogSearch, AnExceptionInAFetchIsAnError) {
  const Search search;
  Matcher matcher{64, search.clauses()};
  auto session =
      matcher.start(0, 63, [](const VectorRequest&) -> Result<std::vector<std::vector<std::byte>>> {
        throw std::bad_alloc{};
      });
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->next(), std::nullopt);
  EXPECT_TRUE((*session)->error());
}

// An empty vector is one that is not there yet: it is asked for again until it is.
TEST(ConcurrencyLogSearch, MissingVectorsAreAskedForAgain) {
  const Search search;
  Matcher matcher{64, search.clauses()};
  CountingFetch fetch{search.source()};
  std::atomic<std::uint64_t> calls = 0;
  std::atomic<std::size_t> missing = 0;
  auto session = matcher.start(5, search.last(), [&](const VectorRequest& request) {
    auto vectors = fetch(request);
    for (std::vector<std::byte>& vector : *vectors)
      if (++calls % 3 == 0) {
        vector.clear();
        ++missing;
      }
    return vectors;
  });
  ASSERT_TRUE(session);
  EXPECT_EQ(drain(**session), search.expected());
  EXPECT_GT(missing, 0U);
  EXPECT_EQ(fetch.total(), fetch.distinct() + missing);
}

TEST(ConcurrencyLogSearch, ManySearchesAtOnceFindTheSame) {
  const Search search;
  const DirectMatcher direct{64, search.clauses()};
  in_all_threads([&](std::size_t /*thread*/) {
    Matcher matcher{64, search.clauses()};
    CountingFetch fetch{search.source()};
    EXPECT_EQ(drain(**matcher.start(5, search.last(), fetch.function())), search.expected());
    Blocks blocks;
    EXPECT_TRUE(direct.match(5, search.last(), search.source(), blocks));
    EXPECT_EQ(blocks, search.expected());
  });
}

}  // namespace
}  // namespace bloomery::ethlog
