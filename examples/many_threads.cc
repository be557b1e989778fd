// One filter that several threads fill and query at the same time, without a lock.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "bloomery/concurrent_filter.h"

int main() {
  bloomery::ConcurrentFilter<std::uint64_t> seen({.keys = 400'000, .false_positive_rate = 0.01});

  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&seen, thread] {
      for (std::uint64_t i = 0; i < 100'000; ++i) seen.insert(thread * 100'000 + i);
    });
  for (std::thread& thread : threads) thread.join();

  std::printf("key 399999: %s\n", seen.may_contain(399'999) ? "maybe" : "no");
  std::printf("about %.0f thousand keys\n", seen.health().estimated_keys / 1000);
}
