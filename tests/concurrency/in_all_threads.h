// Runs a piece of work in several threads that start together.
#pragma once
#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace bloomery {

// Calls work(0) to work(count - 1), each in its own thread, and returns when all are done.
template <class Work>
void in_all_threads(std::size_t count, Work work) {
  std::barrier start{static_cast<std::ptrdiff_t>(count)};
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < count; ++thread)
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
}

}  // namespace bloomery
