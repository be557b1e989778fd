// The policies are used by LevelDB's own thread and by every reader at once.
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/slice.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/leveldb/filter_policy.h"
#include "tests/base/scratch_folder.h"

// Of the thread sanitizer's own; absent in other builds.
extern "C" {
[[gnu::weak]] void AnnotateIgnoreReadsAndWritesBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsAndWritesEnd(const char* file, int line);
}

namespace bloomery {
namespace {

using leveldb::Slice;
using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

constexpr int kThreads = 4;

template <class Work>
void in_all_threads(Work work) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(work, thread);
}

std::vector<Policy> all_policies() {
  std::vector<Policy> policies;
  policies.emplace_back(NewBloomeryPolicy(10));
  policies.emplace_back(NewBloomeryPolicy(10, BuiltinPolicyName::kGoLevelDb));
  policies.emplace_back(NewBloomeryBlockPolicy(10));
  return policies;
}

// Filters are made and asked by all threads through one policy, and one filter is asked by all.
TEST(ConcurrencyOfLevelDbPolicies, ManyThreadsMakeAndAskFilters) {
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back("key " + std::to_string(i));
  const std::vector<Slice> slices{keys.begin(), keys.end()};
  for (const Policy& policy : all_policies()) {
    std::string shared;
    policy->CreateFilter(slices.data(), 1000, &shared);
    std::atomic<int> lost = 0;
    in_all_threads([&](int thread) {
      for (int round = 0; round < 20; ++round) {
        const int count = 20 + 240 * ((round + thread) % 4);
        std::string own;
        policy->CreateFilter(slices.data(), count, &own);
        for (int i = 0; i < 1000; ++i) {
          if (!policy->KeyMayMatch(slices[static_cast<std::size_t>(i)], shared)) ++lost;
          if (i < count && !policy->KeyMayMatch(slices[static_cast<std::size_t>(i)], own)) ++lost;
        }
      }
    });
    EXPECT_EQ(lost, 0);
  }
}

// Debian's LevelDB is not instrumented: the sanitizer misses the atomics by which it hands memory
// from thread to thread, and yet sees the templates that it shares with this program. So a thread
// is watched while it is in a policy, and not while it is in LevelDB.
class Unwatched {
 public:
  Unwatched() { begin(); }
  ~Unwatched() { end(); }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
  static void begin() {
    if (AnnotateIgnoreReadsAndWritesBegin != nullptr)
      AnnotateIgnoreReadsAndWritesBegin(__FILE__, __LINE__);
  }
  static void end() {
    if (AnnotateIgnoreReadsAndWritesEnd != nullptr)
      AnnotateIgnoreReadsAndWritesEnd(__FILE__, __LINE__);
  }
};

class WatchedPolicy final : public leveldb::FilterPolicy {
 public:
  explicit WatchedPolicy(const leveldb::FilterPolicy& policy) : policy_{policy} {}
  const char* Name() const override { return policy_.Name(); }
  // Called in LevelDB's own thread, which is watched from its start: from its first filter on, no
  // longer.
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    thread_local bool known = false;
    if (known) Unwatched::end();
    known = true;
    policy_.CreateFilter(keys, n, dst);
    ++created;
    Unwatched::begin();
  }
  // Called in ours.
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    Unwatched::end();
    const bool may = policy_.KeyMayMatch(key, filter);
    Unwatched::begin();
    ++asked;
    return may;
  }
  mutable std::atomic<int> created = 0;
  mutable std::atomic<int> asked = 0;

 private:
  const leveldb::FilterPolicy& policy_;
};

TEST(ConcurrencyOfLevelDbPolicies, ManyThreadsReadAndWriteADatabaseWhileItIsCompacted) {
  for (const Policy& policy : all_policies()) {
    const ScratchFolder folder;
    const WatchedPolicy watched{*policy};
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    options.filter_policy = &watched;
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, folder / "db", &opened).ok());
    std::atomic<int> lost = 0;
    in_all_threads([&](int thread) {
      const Unwatched in_leveldb;
      const std::string own = "thread " + std::to_string(thread) + " key ";
      std::string value;
      for (int i = 0; i < 3000; ++i) {
        if (!opened->Put({}, own + std::to_string(i), std::string(40, 'v')).ok()) ++lost;
        if (!opened->Get({}, own + std::to_string(i / 2), &value).ok()) ++lost;
        if (!opened->Get({}, own + std::to_string(i) + " absent", &value).IsNotFound()) ++lost;
      }
    });
    const Unwatched in_leveldb;
    delete opened;
    EXPECT_EQ(lost, 0);
    EXPECT_GT(watched.created, 100);
    EXPECT_GT(watched.asked, 1000);
  }
}

}  // namespace
}  // namespace bloomery

// What LevelDB itself calls in the sanitizer's runtime (memcmp, memcpy) is seen all the same.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:libleveldb.so\n"; }
