// A filter that four threads fill at the same time. A key is new to the first thread, and also to a
// thread that inserts it at the same moment.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/concurrent_filter.h"

int main() {
  bloomery::ConcurrentFilter<std::string> seen({.keys = 100'000, .false_positive_rate = 0.001});
  std::atomic<int> fetched = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&seen, &fetched] {
      for (int i = 0; i < 50'000; ++i)
        if (seen.insert("https://example.org/" + std::to_string(i))) ++fetched;
    });
  for (std::thread& thread : threads) thread.join();

  const bloomery::Filter<std::string> filter = std::move(seen).into_filter();
  std::printf("fetched: %s\n", fetched >= 49'900 ? "every URL" : "too few");
  std::printf("seen: %s\n", filter.may_contain("https://example.org/7") ? "maybe" : "no");
}
