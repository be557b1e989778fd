// Threads that fill and ask one filter at the same time. The thread sanitizer sees the races, this
// program the answers: no key whose insert came before is ever denied.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <latch>
#include <thread>

#include "bloomery/filter/block/concurrent.h"
#include "bloomery/filter/seeded/builder.h"
#include "tests/concurrency/in_all_threads.h"

namespace bloomery {
namespace {

constexpr std::size_t kThreads = 4;
// The sanitizer makes each operation some thirty times slower. Defined, it may be any number.
#if defined(BLOOMERY_CONCURRENT_OPERATIONS)
constexpr std::uint64_t kOperations = BLOOMERY_CONCURRENT_OPERATIONS;
#elif defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kOperations = 2'000'000;
#else
constexpr std::uint64_t kOperations = 50'000'000;
#endif

const KeyHash kNumbers{Hasher{Profile::kAes, 7}, true};

// Key i of a thread; those of absent keys use a number that is no thread's.
std::uint64_t key_of(std::uint64_t thread, std::uint64_t i) { return thread << 40 | i; }
constexpr std::uint64_t kNobody = 1000;

// How many of its keys each thread has inserted, for the others to read.
struct alignas(64) Progress {
  std::atomic<std::uint64_t> inserted = 0;
};

// One thread of the mixture. Every round: one key or sixteen are inserted, one of its own and one
// of another thread's are asked for, and two that no thread inserts.
class Mixture {
 public:
  Mixture(ConcurrentBlockFilter& filter, std::array<Progress, kThreads>& progress,
          std::size_t thread)
      : filter_{filter}, progress_{progress}, thread_{thread} {}

  void run(std::uint64_t operations) {
    while (done_ < operations) {
      if (next() % 2 == 0)
        insert_one();
      else
        insert_sixteen();
      progress_[thread_].inserted.store(inserted_, std::memory_order_release);
      ask(thread_, inserted_);
      const std::size_t other = next() % kThreads;
      ask(other, progress_[other].inserted.load(std::memory_order_acquire));
      ask_absent();
    }
  }
  std::uint64_t done() const { return done_; }
  std::uint64_t inserted() const { return inserted_; }
  std::uint64_t denied() const { return denied_; }
  std::uint64_t absent_asked() const { return absent_asked_; }
  std::uint64_t absent_found() const { return absent_found_; }

 private:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 33;
  }
  void insert_one() {
    filter_.insert(key_of(thread_, inserted_));
    ++inserted_;
    ++done_;
  }
  void insert_sixteen() {
    std::array<std::uint64_t, 16> keys;
    for (std::uint64_t& key : keys) key = key_of(thread_, inserted_++);
    filter_.insert_batch(std::span<const std::uint64_t>{keys});
    done_ += keys.size();
  }
  void ask(std::size_t thread, std::uint64_t inserted) {
    if (inserted == 0) return;
    std::array<std::uint64_t, 8> keys;
    for (std::uint64_t& key : keys) key = key_of(thread, next() % inserted);
    std::array<std::uint8_t, 8> answers;
    denied_ +=
        keys.size() - filter_.may_contain_batch(std::span<const std::uint64_t>{keys}, answers);
    denied_ += filter_.may_contain(keys[0]) ? 0 : 1;
    done_ += keys.size() + 1;
  }
  void ask_absent() {
    for (std::uint64_t i = 0; i < 2; ++i)
      absent_found_ += filter_.may_contain(key_of(kNobody + thread_, absent_asked_++)) ? 1 : 0;
    done_ += 2;
  }

  ConcurrentBlockFilter& filter_;
  std::array<Progress, kThreads>& progress_;
  std::size_t thread_;
  std::uint64_t state_ = thread_ + 1;
  std::uint64_t done_ = 0;
  std::uint64_t inserted_ = 0;
  std::uint64_t denied_ = 0;
  std::uint64_t absent_asked_ = 0;
  std::uint64_t absent_found_ = 0;
};

TEST(ConcurrentBlock, NoKeyIsDeniedWhileFourThreadsInsertAndAsk) {
  auto filter = *ConcurrentBlockFilter::for_goal({kOperations / 2, 0.01}, kNumbers);
  std::array<Progress, kThreads> progress;
  std::vector<Mixture> mixtures;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    mixtures.emplace_back(filter, progress, thread);
  in_all_threads(kThreads,
                 [&](std::size_t thread) { mixtures[thread].run(kOperations / kThreads); });
  std::uint64_t operations = 0;
  std::uint64_t asked = 0;
  std::uint64_t found = 0;
  BlockFilter alone{filter.block_shape(), kNumbers};
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(mixtures[thread].denied(), 0U);
    operations += mixtures[thread].done();
    asked += mixtures[thread].absent_asked();
    found += mixtures[thread].absent_found();
    for (std::uint64_t i = 0; i < mixtures[thread].inserted(); ++i) alone.insert(key_of(thread, i));
  }
  EXPECT_GE(operations, kOperations);
  EXPECT_LT(static_cast<double>(found), 0.01 * static_cast<double>(asked));
  EXPECT_TRUE(filter.snapshot() == alone);  // as if one thread had done it all
}

TEST(ConcurrentBlock, ASnapshotInTheMiddleHoldsAllThatCameBefore) {
  constexpr std::uint64_t kKeys = kOperations / 100;  // of each thread
  ConcurrentBlockFilter filter{{kKeys * kThreads * 10 / 512 + 1, 6}, kNumbers};
  std::array<Progress, kThreads> progress;
  std::latch tenth{static_cast<std::ptrdiff_t>(kThreads)};
  const auto insert_all = [&](std::size_t thread) {
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      filter.insert(key_of(thread, i));
      progress[thread].inserted.store(i + 1, std::memory_order_release);
      if (i == kKeys / 10) tenth.count_down();
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back(insert_all, thread);
  tenth.wait();
  std::uint64_t denied = 0;
  for (std::uint64_t least = 0; least < kKeys;) {
    std::array<std::uint64_t, kThreads> before{};
    for (std::size_t thread = 0; thread < kThreads; ++thread)
      before[thread] = progress[thread].inserted.load(std::memory_order_acquire);
    const BlockFilter snapshot = filter.snapshot();
    EXPECT_GT(filter.health().fill, 0.03);
    for (std::size_t thread = 0; thread < kThreads; ++thread)
      for (std::uint64_t i = 0; i < before[thread]; ++i)
        denied += snapshot.may_contain(key_of(thread, i)) ? 0 : 1;
    least = std::ranges::min(before);
    EXPECT_GT(least, kKeys / 10);
  }
  EXPECT_EQ(denied, 0U);
}

// All threads insert the same keys: a thread that sets a bit learns it, and every bit is set once.
TEST(ConcurrentBlock, TheSameKeysFromAllThreadsAreEachNewToSomebody) {
  constexpr std::uint64_t kKeys = kOperations / 100;
  ConcurrentBlockFilter filter{{kKeys * 10 / 512 + 1, 6}, kNumbers};
  std::array<std::vector<std::uint8_t>, kThreads> is_new;
  in_all_threads(kThreads, [&](std::size_t thread) {
    is_new[thread].resize(kKeys);
    for (std::uint64_t i = 0; i < kKeys; ++i) is_new[thread][i] = filter.insert(i) ? 1 : 0;
  });
  BlockFilter alone{filter.block_shape(), kNumbers};
  std::uint64_t told = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    alone.insert(i);
    for (const auto& answers : is_new) told += answers[i];
  }
  EXPECT_TRUE(filter.snapshot() == alone);
  EXPECT_EQ(filter.provenance().keys_inserted, told);
  EXPECT_GT(told, kKeys * 98 / 100);  // but for false positives
}

TEST(ConcurrentBlock, AFilterIsBuiltInThreadsWithoutARace) {
  std::vector<std::uint64_t> keys(200'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(i % 7, i);
  const auto build = [&](std::uint32_t threads) {
    auto builder = SeededBuilder::create({5000, 6, true}, kNumbers,
                                         {.memory_bytes = 1 << 20, .threads = threads});
    EXPECT_TRUE(builder->add(std::span<const std::uint64_t>{keys}));
    return *builder->finish();
  };
  EXPECT_TRUE(build(kThreads) == build(1));
}

}  // namespace
}  // namespace bloomery
