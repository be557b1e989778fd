// Filter<T> as a user writes it, beside Boost.Bloom's fast_multiblock64<8> of the same bits where
// its headers are found. Prints a line per contender: ns per key of a batch lookup, a single
// lookup, a bulk insert and a single insert; bits per key; the measured false-positive rate.
//   filter_bench KEYS RATE u64|23|61|23-hashes ROUNDS [THREADS]
// 23 is a length of string keys; with -hashes our filter is there once with each hash of such keys.
// Contenders take turns within a round. Medians over rounds of the thread's CPU time count, because
// machines are shared. Half of the queries are present. Each loop is a function of its own, so that
// no contender's loop has the registers of a larger function around it.
// With THREADS, prints a line per contender of batch lookups by that many threads on one filter, in
// wall time: ns per key of one thread, ns per key of all together, and how many times as fast.
#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "bloomery/bloomery.h"

#if __has_include(<boost/bloom/filter.hpp>)
#define HAS_BOOST_BLOOM 1
#define XXH_INLINE_ALL
#include <sys/mman.h>
#include <xxhash.h>

#include <boost/bloom/fast_multiblock64.hpp>
#include <boost/bloom/filter.hpp>
#endif

namespace {

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Random {  // SplitMix64
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

template <class Key>
struct Keys {
  std::vector<Key> present, absent, mixed;
  std::vector<char> text;  // of string keys
};

template <class Key>
Keys<Key> make_keys(std::size_t count, std::size_t key_bytes) {
  constexpr bool kNumbers = std::is_same_v<Key, std::uint64_t>;
  // At least a million: a branch predictor learns fewer.
  const std::size_t queries = std::clamp<std::size_t>(count, 1'000'000, 4'000'000);
  Keys<Key> keys;
  Random random{count + key_bytes};
  if constexpr (!kNumbers) keys.text.reserve((count + queries) * key_bytes);
  const auto make = [&]() -> Key {
    if constexpr (kNumbers) {
      return random();
    } else {
      const std::size_t begin = keys.text.size();
      for (std::size_t i = 0; i < key_bytes; ++i)
        keys.text.push_back(static_cast<char>('a' + random() % 26));
      return {keys.text.data() + begin, key_bytes};
    }
  };
  for (std::size_t i = 0; i < count; ++i) keys.present.push_back(make());
  for (std::size_t i = 0; i < queries; ++i) keys.absent.push_back(make());
  for (std::size_t i = 0; i < queries; ++i)
    keys.mixed.push_back(random() % 2 == 0 ? keys.present[random() % count] : keys.absent[i]);
  return keys;
}

template <class Key>
class Ours {
 public:
  Ours(std::string name, std::size_t keys, double rate, bloomery::Profile profile)
      : name_{std::move(name)},
        filter_{*bloomery::Filter<Key>::for_goal({.keys = keys, .false_positive_rate = rate},
                                                 bloomery::Hasher{profile, 0})} {}
  const char* name() const { return name_.c_str(); }
  std::size_t bits() const { return filter_.raw().size_bytes() * 8; }
  void clear() { filter_.clear(); }
  [[gnu::noinline]] void add_one_by_one(const std::vector<Key>& keys) {
    for (const Key& key : keys) filter_.add(key);
  }
  [[gnu::noinline]] void add_all(const std::vector<Key>& keys) { filter_.add_range(keys); }
  [[gnu::noinline]] std::size_t look_up_one_by_one(const std::vector<Key>& keys) const {
    std::size_t found = 0;
    for (const Key& key : keys) found += filter_.may_contain(key) ? 1 : 0;
    return found;
  }
  [[gnu::noinline]] void look_up_all(const std::vector<Key>& keys,
                                     std::vector<std::uint8_t>& answers) const {
    filter_.may_contain(keys, answers);
  }

 private:
  std::string name_;
  bloomery::Filter<Key> filter_;
};

#if defined(HAS_BOOST_BLOOM)
struct Xxh3 {
  using is_avalanching = void;
  std::size_t operator()(std::string_view key) const { return XXH3_64bits(key.data(), key.size()); }
};
// Huge pages as ours: both or neither.
template <class T>
struct HugeAllocator {
  using value_type = T;
  HugeAllocator() = default;
  template <class U>
  explicit HugeAllocator(const HugeAllocator<U>&) {}
  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    constexpr std::size_t kHuge = std::size_t{2} << 20;
    const bool is_large = bytes >= kHuge;
    const std::size_t alignment = is_large ? kHuge : 64;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc{};
    if (is_large) (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  template <class U>
  bool operator==(const HugeAllocator<U>&) const {
    return true;
  }
};
template <class Key>
class Boost {
 public:
  static const char* name() { return "boost fast_multiblock64<8>"; }
  Boost(std::size_t bits) : filter_(bits) {}
  std::size_t bits() const { return filter_.capacity(); }
  void clear() { filter_.clear(); }
  [[gnu::noinline]] void add_one_by_one(const std::vector<Key>& keys) {
    for (const Key& key : keys) filter_.insert(key);
  }
  [[gnu::noinline]] void add_all(const std::vector<Key>& keys) {
    filter_.insert(keys.begin(), keys.end());
  }
  [[gnu::noinline]] std::size_t look_up_one_by_one(const std::vector<Key>& keys) const {
    std::size_t found = 0;
    for (const Key& key : keys) found += filter_.may_contain(key) ? 1 : 0;
    return found;
  }
  [[gnu::noinline]] void look_up_all(const std::vector<Key>& keys,
                                     std::vector<std::uint8_t>& answers) const {
    std::uint8_t* out = answers.data();
    filter_.may_contain(keys.begin(), keys.end(),
                        [&](const Key&, bool found) { *out++ = found ? 1 : 0; });
  }

 private:
  using Hash = std::conditional_t<std::is_same_v<Key, std::uint64_t>, boost::hash<Key>, Xxh3>;
  boost::bloom::filter<Key, 1, boost::bloom::fast_multiblock64<8>, 0, Hash,
                       HugeAllocator<unsigned char>>
      filter_;
};
#endif

enum Measured { kBatch, kOne, kBulkInsert, kOneInsert, kMeasured };
using Rounds = std::array<std::vector<double>, kMeasured>;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A small filter is filled many times: one filling is too short to be timed.
template <class Filter, class Key, class Add>
double time_adds(Filter& filter, const std::vector<Key>& keys, Add add) {
  const std::size_t fillings = std::max<std::size_t>(1, 1'000'000 / keys.size());
  double sum = 0;
  for (std::size_t i = 0; i < fillings; ++i) {
    filter.clear();
    const double begin = seconds();
    add(keys);
    sum += seconds() - begin;
  }
  return sum / static_cast<double>(fillings * keys.size()) * 1e9;
}

template <class Filter, class Key>
void measure(Filter& filter, const Keys<Key>& keys, std::vector<std::uint8_t>& answers,
             Rounds& rounds) {
  rounds[kOneInsert].push_back(
      time_adds(filter, keys.present, [&](const auto& all) { filter.add_one_by_one(all); }));
  rounds[kBulkInsert].push_back(
      time_adds(filter, keys.present, [&](const auto& all) { filter.add_all(all); }));
  const auto count = static_cast<double>(keys.mixed.size());
  double begin = seconds();
  filter.look_up_all(keys.mixed, answers);
  rounds[kBatch].push_back((seconds() - begin) / count * 1e9);
  std::size_t in_batch = 0;
  for (const std::uint8_t answer : answers) in_batch += answer;
  begin = seconds();
  const std::size_t one_by_one = filter.look_up_one_by_one(keys.mixed);
  rounds[kOne].push_back((seconds() - begin) / count * 1e9);
  if (in_batch != one_by_one) {
    std::fprintf(stderr, "%s: batch and single answers differ\n", filter.name());
    std::exit(1);
  }
}

template <class Filter, class Key>
void print(const Filter& filter, const Keys<Key>& keys, const Rounds& rounds) {
  const double rate = static_cast<double>(filter.look_up_one_by_one(keys.absent)) /
                      static_cast<double>(keys.absent.size());
  std::printf("%s,%.3f,%.3f,%.3f,%.3f,%.2f,%.4g\n", filter.name(), median(rounds[kBatch]),
              median(rounds[kOne]), median(rounds[kBulkInsert]), median(rounds[kOneInsert]),
              static_cast<double>(filter.bits()) / static_cast<double>(keys.present.size()), rate);
}

// Every thread looks up all keys, some times over; the time is the slowest thread's.
template <class Filter, class Key>
double wall_ns(const Filter& filter, const Keys<Key>& keys, std::size_t threads) {
  constexpr int kPasses = 4;
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<std::uint8_t>> answers(threads,
                                                 std::vector<std::uint8_t>(keys.mixed.size(), 1));
  std::vector<Clock::time_point> begins(threads), ends(threads);
  std::barrier start{static_cast<std::ptrdiff_t>(threads)};
  std::vector<std::jthread> running;
  for (std::size_t i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      filter.look_up_all(keys.mixed, answers[i]);  // warm
      start.arrive_and_wait();
      begins[i] = Clock::now();
      for (int pass = 0; pass < kPasses; ++pass) filter.look_up_all(keys.mixed, answers[i]);
      ends[i] = Clock::now();
    });
  running.clear();  // joins
  const std::chrono::duration<double, std::nano> wall =
      *std::ranges::max_element(ends) - *std::ranges::min_element(begins);
  return wall.count() / (kPasses * static_cast<double>(threads * keys.mixed.size()));
}

template <class Filter, class Key>
void run_threads(const Filter& filter, const Keys<Key>& keys, std::size_t threads, int rounds) {
  std::vector<double> alone, together;
  for (int i = 0; i < rounds; ++i) {
    alone.push_back(wall_ns(filter, keys, 1));
    together.push_back(wall_ns(filter, keys, threads));
  }
  std::printf("%s,%zu threads,%.3f,%.3f,%.2f\n", filter.name(), threads, median(alone),
              median(together), median(alone) / median(together));
}

template <class Key>
std::vector<Ours<Key>> our_filters(std::size_t count, double rate, bool each_hash) {
  std::vector<Ours<Key>> ours;
  if (each_hash)
    for (const bloomery::Profile profile :
         {bloomery::Profile::kXxh3, bloomery::Profile::kXxh3_64, bloomery::Profile::kAes})
      ours.emplace_back("bloomery " + std::string{bloomery::profile_name(profile)}, count, rate,
                        profile);
  else
    ours.emplace_back("bloomery", count, rate, bloomery::Filter<Key>::kDefaultProfile);
  return ours;
}

template <class Key>
void run(std::size_t count, double rate, std::size_t key_bytes, int rounds, std::size_t threads,
         bool each_hash = false) {
  const Keys<Key> keys = make_keys<Key>(count, key_bytes);
  std::vector<std::uint8_t> answers(keys.mixed.size());
  std::vector<Ours<Key>> ours = our_filters<Key>(count, rate, each_hash);
  std::vector<Rounds> our_rounds(ours.size());
#if defined(HAS_BOOST_BLOOM)
  Boost<Key> boost{ours[0].bits()};
  Rounds boost_rounds;
#endif
  if (threads != 0) {
    for (Ours<Key>& one : ours) {
      one.add_all(keys.present);
      run_threads(one, keys, threads, rounds);
    }
#if defined(HAS_BOOST_BLOOM)
    boost.add_all(keys.present);
    run_threads(boost, keys, threads, rounds);
#endif
    return;
  }
  for (int i = 0; i < rounds; ++i) {
    for (std::size_t which = 0; which < ours.size(); ++which)
      measure(ours[which], keys, answers, our_rounds[which]);
#if defined(HAS_BOOST_BLOOM)
    measure(boost, keys, answers, boost_rounds);
#endif
  }
  for (std::size_t which = 0; which < ours.size(); ++which)
    print(ours[which], keys, our_rounds[which]);
#if defined(HAS_BOOST_BLOOM)
  print(boost, keys, boost_rounds);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: filter_bench KEYS RATE u64|23|61|23-hashes ROUNDS [THREADS]\n");
    return 2;
  }
  const auto count = static_cast<std::size_t>(std::atoll(argv[1]));
  const double rate = std::atof(argv[2]);
  const int rounds = std::atoi(argv[4]);
  const auto threads = static_cast<std::size_t>(argc == 6 ? std::atoi(argv[5]) : 0);
  const std::string_view kind = argv[3];
  if (kind == "u64")
    run<std::uint64_t>(count, rate, 8, rounds, threads);
  else
    run<std::string_view>(count, rate, static_cast<std::size_t>(std::atoi(argv[3])), rounds,
                          threads, kind.ends_with("-hashes"));
}
