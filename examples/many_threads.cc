// One filter that several threads fill and query at the same time, without a lock.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "bloomery/filter/block/concurrent.h"

int main() {
  auto made = bloomery::ConcurrentBlockFilter::for_goal(
      {.keys = 400'000, .false_positive_rate = 0.01},
      bloomery::KeyHash{bloomery::Hasher{bloomery::Profile::kAes},
                        true});  // true: keys are numbers
  if (!made) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    return 1;
  }
  bloomery::ConcurrentBlockFilter& seen = *made;

  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&seen, thread] {
      for (std::uint64_t i = 0; i < 100'000; ++i) seen.insert(thread * 100'000 + i);
    });
  for (std::thread& thread : threads) thread.join();

  std::printf("key 399999: %s\n", seen.may_contain(std::uint64_t{399'999}) ? "maybe" : "no");
  std::printf("about %.0f thousand keys\n", seen.health().estimated_keys / 1000);
}
