// The policies beside LevelDB's own, at ten bits per key.
//
//   leveldb_bench filters                         makes and asks single filters
//   leveldb_bench make DIR KEYS BLOCK_SIZE        two databases of the same keys: built-in and
//   block leveldb_bench get DIR KEYS BLOCK_SIZE GETS    absent keys of these: none, built-in,
//   compatible, block
//   leveldb_bench turns DIR KEYS BLOCK_SIZE GETS        absent keys of one open database, its
//   filters asked by the built-in and the compatible policy in turn
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/leveldb/filter_policy.h"
#include "tests/apps/leveldb/counting_reads.h"

namespace {

using leveldb::Slice;
using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

// CPU time of this thread: other programs on the machine do not count.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;
  static time_point now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point{std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec}};
  }
};
using Key = std::array<char, 16>;

constexpr int kBitsPerKey = 10;

enum class Which { kNone, kBuiltin, kCompatible, kBlock };
constexpr std::array<const char*, 4> kNames = {"none", "built-in", "ours, compatible",
                                               "ours, block"};

Policy make_policy(Which which) {
  if (which == Which::kBuiltin) return Policy{leveldb::NewBloomFilterPolicy(kBitsPerKey)};
  if (which == Which::kCompatible) return Policy{bloomery::NewBloomeryPolicy(kBitsPerKey)};
  if (which == Which::kBlock) return Policy{bloomery::NewBloomeryBlockPolicy(kBitsPerKey)};
  return nullptr;
}

void check(const leveldb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

// Sixteen hexadecimal digits of a bijection: keys of different numbers differ, and absent ones lie
// between the present.
Key key_of(std::uint64_t number) {
  number *= 0x9e3779b97f4a7c15;
  number ^= number >> 32;
  number *= 0xd6e8feb86659fd93;
  number ^= number >> 32;
  Key key;
  for (char& digit : key) {
    digit = "0123456789abcdef"[number >> 60];
    number <<= 4;
  }
  return key;
}
constexpr std::uint64_t kAbsent = std::uint64_t{1} << 40;

Slice slice(const Key& key) { return {key.data(), key.size()}; }

double nanoseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// One filter of n keys, or many small ones, so that every round handles a million keys.
struct FilterTimes {
  std::vector<double> add, hit, miss;
  double false_rate = 0;
  double bytes_per_key = 0;
};

void filter_round(const leveldb::FilterPolicy& policy, std::size_t n,
                  const std::vector<Slice>& keys, const std::vector<Slice>& absent,
                  FilterTimes& times) {
  const auto total = static_cast<double>(keys.size());
  std::vector<std::string> filters(keys.size() / n);
  auto start = Clock::now();
  for (std::size_t i = 0; i < filters.size(); ++i)
    policy.CreateFilter(&keys[i * n], static_cast<int>(n), &filters[i]);
  times.add.push_back(nanoseconds(start) / total);
  std::size_t bytes = 0;
  const auto count_maybe = [&](const std::vector<Slice>& asked) {
    std::size_t maybe = 0;
    const Slice* key = asked.data();
    for (const std::string& filter : filters)
      for (std::size_t i = 0; i < n; ++i) maybe += policy.KeyMayMatch(*key++, filter) ? 1 : 0;
    return maybe;
  };
  start = Clock::now();
  const std::size_t hits = count_maybe(keys);
  times.hit.push_back(nanoseconds(start) / total);
  start = Clock::now();
  const std::size_t passed = count_maybe(absent);
  times.miss.push_back(nanoseconds(start) / total);
  if (hits != keys.size()) std::puts("A KEY WAS LOST");
  for (const auto& filter : filters) bytes += filter.size();
  times.false_rate = static_cast<double>(passed) / total;
  times.bytes_per_key = static_cast<double>(bytes) / total;
}

void bench_filters() {
  std::printf(
      "| keys per filter | policy | make | hit | miss | bytes/key | false "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const std::size_t n : {20UL, 35UL, 60UL, 120UL, 560UL, 1000UL, 1000000UL}) {
    const std::size_t total = 1000000 / n * n;
    std::vector<Key> present_keys, absent_keys;
    std::vector<Slice> present, absent;
    for (std::size_t i = 0; i < total; ++i) present_keys.push_back(key_of(i));
    for (std::size_t i = 0; i < total; ++i) absent_keys.push_back(key_of(i + kAbsent));
    for (const Key& key : present_keys) present.push_back(slice(key));
    for (const Key& key : absent_keys) absent.push_back(slice(key));
    std::array<FilterTimes, 4> times;
    for (int round = 0; round < 7; ++round)
      for (std::size_t which = 1; which < 4; ++which)
        filter_round(*make_policy(Which{static_cast<int>(which)}), n, present, absent,
                     times[which]);
    for (std::size_t which = 1; which < 4; ++which)
      std::printf("| %zu | %s | %.1f | %.1f | %.1f | %.4f | %.3f %% |\n", n, kNames[which],
                  median(times[which].add), median(times[which].hit), median(times[which].miss),
                  times[which].bytes_per_key, 100 * times[which].false_rate);
  }
}

// Counts what a policy was asked and let pass; for a run of its own, for it takes time.
class CountingPolicy final : public leveldb::FilterPolicy {
 public:
  explicit CountingPolicy(const leveldb::FilterPolicy& policy) : policy_{policy} {}
  const char* Name() const override { return policy_.Name(); }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    policy_.CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    const bool passes = policy_.KeyMayMatch(key, filter);
    ++asked;
    passed += passes ? 1 : 0;
    filter_bytes += filter.size();
    return passes;
  }
  mutable std::uint64_t asked = 0, passed = 0, filter_bytes = 0;

 private:
  const leveldb::FilterPolicy& policy_;
};

leveldb::Options options_for(const leveldb::FilterPolicy* policy, std::size_t block_size,
                             leveldb::Env* env, leveldb::Cache* cache) {
  leveldb::Options options;
  options.filter_policy = policy;
  options.block_size = block_size;
  options.compression = leveldb::kNoCompression;
  options.write_buffer_size = 32 << 20;
  options.max_file_size = 8 << 20;
  options.env = env;
  options.block_cache = cache;
  return options;
}

std::unique_ptr<leveldb::DB> open(const leveldb::Options& options, const std::string& path) {
  leveldb::DB* database = nullptr;
  check(leveldb::DB::Open(options, path, &database));
  return std::unique_ptr<leveldb::DB>{database};
}

std::string path_of(const std::string& directory, Which which, std::size_t block_size) {
  return directory + (which == Which::kBlock ? "/block-" : "/built-in-") +
         std::to_string(block_size);
}

// In an order that is random by key, so that tables overlap and are compacted.
void make_database(const std::string& directory, Which which, std::uint64_t keys,
                   std::size_t block_size) {
  const Policy policy = make_policy(which);
  auto options = options_for(policy.get(), block_size, leveldb::Env::Default(), nullptr);
  options.create_if_missing = options.error_if_exists = true;
  const auto start = Clock::now();
  const auto database = open(options, path_of(directory, which, block_size));
  std::string value(48, '.');
  leveldb::WriteBatch batch;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const Key key = key_of(i);
    std::memcpy(value.data(), key.data(), key.size());
    batch.Put(slice(key), value);
    if (i % 100 != 99 && i + 1 != keys) continue;
    check(database->Write({}, &batch));
    batch.Clear();
  }
  const double seconds = nanoseconds(start) / 1e9;
  // All in one level: tables in several are compacted while they are read, and that is read, too.
  database->CompactRange(nullptr, nullptr);
  std::string levels;
  database->GetProperty("leveldb.stats", &levels);
  std::printf("%s, blocks of %zu bytes: %.1f s, %.0f ns per key\n%s",
              kNames[static_cast<std::size_t>(which)], block_size, seconds,
              seconds * 1e9 / static_cast<double>(keys), levels.c_str());
}

void ask_absent(leveldb::DB& database, std::uint64_t first, std::uint64_t gets) {
  std::string value;
  for (std::uint64_t i = 0; i < gets; ++i)
    if (!database.Get({}, slice(key_of(kAbsent + first + i)), &value).IsNotFound())
      std::puts("AN ABSENT KEY WAS FOUND");
}

void ask_present(leveldb::DB& database, std::uint64_t keys, std::uint64_t gets) {
  std::string value;
  for (std::uint64_t i = 0; i < gets; ++i)
    check(database.Get({}, slice(key_of(i * 7919 % keys)), &value));
}

struct GetTimes {
  std::vector<double> absent, present;
  double reads = 0, asked = 0, false_rate = 0, bytes = 0;
};

void get_round(const std::string& path, Which which, std::uint64_t keys, std::size_t block_size,
               std::uint64_t gets, bool counted, GetTimes& times) {
  const Policy policy = make_policy(which);
  std::unique_ptr<CountingPolicy> counting;
  if (counted && policy) counting = std::make_unique<CountingPolicy>(*policy);
  bloomery::testing::CountingEnv env;
  const std::unique_ptr<leveldb::Cache> cache{leveldb::NewLRUCache(8 << 20)};
  auto options =
      options_for(counting ? counting.get() : policy.get(), block_size, &env, cache.get());
  const auto database = open(options, path);
  const auto count = static_cast<double>(gets);
  ask_present(*database, keys, 20000);  // opens the tables
  ask_absent(*database, gets, 20000);
  env.reads = 0;
  if (counting) counting->asked = counting->passed = counting->filter_bytes = 0;
  auto start = Clock::now();
  ask_absent(*database, 0, gets);
  if (!counted) {
    times.absent.push_back(nanoseconds(start) / count);
    start = Clock::now();
    constexpr std::uint64_t kPresent = 50000;
    ask_present(*database, keys, kPresent);
    times.present.push_back(nanoseconds(start) / kPresent);
    return;
  }
  times.reads = static_cast<double>(env.reads) / count;
  if (!counting || counting->asked == 0) return;
  const auto asked = static_cast<double>(counting->asked);
  times.asked = asked / count;
  times.false_rate = static_cast<double>(counting->passed) / asked;
  times.bytes = static_cast<double>(counting->filter_bytes) / asked;
}

void bench_gets(const std::string& directory, std::uint64_t keys, std::size_t block_size,
                std::uint64_t gets) {
  std::array<GetTimes, 4> times;
  constexpr int kRounds = 7;  // that are timed; the last only counts
  for (int round = 0; round <= kRounds; ++round)
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Which which{static_cast<int>(i)};
      // Without filters every get reads blocks: fewer of them tell as much.
      const std::uint64_t asked = which == Which::kNone ? gets / 10 : gets;
      get_round(path_of(directory, which, block_size), which, keys, block_size, asked,
                round == kRounds, times[i]);
    }
  std::printf("\n%llu keys, blocks of %zu bytes, cache of 8 MiB\n",
              static_cast<unsigned long long>(keys), block_size);
  std::printf(
      "| policy | absent, ns/get | present, ns/get | blocks read/get | filters asked/get | false | "
      "bytes/filter asked |\n|---|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < times.size(); ++i)
    std::printf("| %s | %.0f | %.0f | %.4f | %.2f | %.3f %% | %.1f |\n", kNames[i],
                median(times[i].absent), median(times[i].present), times[i].reads, times[i].asked,
                100 * times[i].false_rate, times[i].bytes);
}

// Two policies of one name in turn, behind the same call.
class SwitchingPolicy final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return policies[0]->Name(); }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    policies[now]->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return policies[now]->KeyMayMatch(key, filter);
  }
  std::array<Policy, 2> policies = {make_policy(Which::kBuiltin), make_policy(Which::kCompatible)};
  std::size_t now = 0;
};

void bench_turns(const std::string& directory, std::uint64_t keys, std::size_t block_size,
                 std::uint64_t gets) {
  SwitchingPolicy policy;
  const std::unique_ptr<leveldb::Cache> cache{leveldb::NewLRUCache(8 << 20)};
  const auto database = open(options_for(&policy, block_size, leveldb::Env::Default(), cache.get()),
                             path_of(directory, Which::kBuiltin, block_size));
  ask_present(*database, keys, 20000);
  constexpr std::uint64_t kTurn = 10000;
  std::array<std::vector<double>, 2> times;
  std::vector<double> ratios;
  for (std::uint64_t first = 0; first + 2 * kTurn <= gets; first += 2 * kTurn) {
    for (std::uint64_t turn = 0; turn < 2; ++turn) {
      policy.now = (turn + first / (2 * kTurn)) % 2;  // each is first every other time
      const auto start = Clock::now();
      ask_absent(*database, first + turn * kTurn, kTurn);
      times[policy.now].push_back(nanoseconds(start) / kTurn);
    }
    ratios.push_back(times[1].back() / times[0].back());
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf(
      "absent, ns/get: built-in %.0f, compatible %.0f; compatible / built-in %.3f (quartiles "
      "%.3f and %.3f) of %zu turns\n",
      median(times[0]), median(times[1]), median(ratios), ratios[ratios.size() / 4],
      ratios[ratios.size() * 3 / 4], ratios.size());
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  if (words.size() == 1 && words[0] == "filters") {
    bench_filters();
  } else if (words.size() == 5 && words[0] == "make") {
    make_database(words[2], words[1] == "block" ? Which::kBlock : Which::kBuiltin,
                  std::stoull(words[3]), std::stoull(words[4]));
  } else if (words.size() == 5 && words[0] == "get") {
    bench_gets(words[1], std::stoull(words[2]), std::stoull(words[3]), std::stoull(words[4]));
  } else if (words.size() == 5 && words[0] == "turns") {
    bench_turns(words[1], std::stoull(words[2]), std::stoull(words[3]), std::stoull(words[4]));
  } else {
    std::fprintf(
        stderr,
        "usage: leveldb_bench filters | make built-in|block DIR KEYS BLOCK_SIZE | get|turns "
        "DIR KEYS BLOCK_SIZE GETS\n");
    return 2;
  }
}
