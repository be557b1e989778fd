// One filter filled by several threads at once, then every key asked for: nanoseconds per key, the
// rate, and how many keys were denied, which must be none.
//   concurrent_bench [keys] [threads] [bits per key]     1000000000 4 10 by default
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <vector>

#include "bloomery/filter/block/concurrent.h"

namespace bloomery::bench {
namespace {

constexpr std::size_t kBatch = 1024;

struct Plan {
  std::uint64_t keys = 1'000'000'000;
  std::uint64_t threads = 4;
  double bits_per_key = 10;
};

// Seconds that it takes all threads to do work(first, last), each for its share of the keys.
template <class Work>
double timed_in_threads(const Plan& plan, Work work) {
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < plan.threads; ++i)
      threads.emplace_back(work, plan.keys / plan.threads * i,
                           i + 1 == plan.threads ? plan.keys : plan.keys / plan.threads * (i + 1));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Hands the keys from first to last, in batches, to use(keys).
template <class Use>
void in_batches(std::uint64_t first, std::uint64_t last, Use use) {
  std::vector<std::uint64_t> keys(kBatch);
  for (std::uint64_t at = first; at < last; at += kBatch) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kBatch, last - at));
    // An odd factor: keys stay distinct, and neighbours lie apart.
    for (std::size_t i = 0; i < count; ++i) keys[i] = (at + i) * 0x9e3779b97f4a7c15;
    use(std::span<const std::uint64_t>{keys}.first(count));
  }
}

int run(const Plan& plan) {
  const auto keys = static_cast<double>(plan.keys);
  const auto blocks = static_cast<std::uint64_t>(keys * plan.bits_per_key / 512) + 1;
  const std::uint32_t probes = best_block_probes(blocks, keys);
  ConcurrentBlockFilter filter{{blocks, probes}, {Hasher{Profile::kAes}, true}};
  std::atomic<std::uint64_t> denied = 0;
  const double inserting = timed_in_threads(plan, [&](std::uint64_t first, std::uint64_t last) {
    in_batches(first, last, [&](auto batch) { filter.insert_batch(batch); });
  });
  const double asking = timed_in_threads(plan, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint8_t> answers(kBatch);
    in_batches(first, last, [&](auto batch) {
      denied += batch.size() - filter.may_contain_batch(batch, answers);
    });
  });
  const Health health = filter.health();
  std::cout << plan.keys << " keys, " << plan.threads << " threads, " << plan.bits_per_key
            << " bits per key, " << probes << " probes\n"
            << "insert " << inserting << " s, " << inserting / keys * 1e9 << " ns per key\n"
            << "lookup " << asking << " s, " << asking / keys * 1e9 << " ns per key\n"
            << "rate " << health.error_rate
            << (health.sampled ? " (sampled), expected " : ", expected ")
            << expected_rate(filter.block_shape(), keys) << ", keys estimated "
            << health.estimated_keys << "\n"
            << "denied " << denied << "\n";
  return denied == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bloomery::bench

int main(int count, char** arguments) {
  bloomery::bench::Plan plan;
  if (count > 1) plan.keys = std::strtoull(arguments[1], nullptr, 10);
  if (count > 2) plan.threads = std::strtoull(arguments[2], nullptr, 10);
  if (count > 3) plan.bits_per_key = std::strtod(arguments[3], nullptr);
  if (plan.keys < plan.threads || plan.threads == 0 || !(plan.bits_per_key > 0)) {
    std::cerr << "usage: concurrent_bench [keys] [threads] [bits per key]\n";
    return 2;
  }
  return bloomery::bench::run(plan);
}
