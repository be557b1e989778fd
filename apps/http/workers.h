// Threads that run jobs in the order they came. How many wait is bounded by who adds them: a
// connection has at most one under way.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bloomery::http {

class Workers {
 public:
  explicit Workers(std::size_t threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // finish()

  void add(std::function<void()> job);
  // Runs what was added, then ends the threads.
  void finish();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool finishing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace bloomery::http
