// Threads that run jobs in the order they came, short ones before long ones: while every thread has
// a long one there is still another for the short. How many wait is bounded by who adds them: a
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

  enum class Length { kShort, kLong };
  void add(Length length, std::function<void()> job);
  // Runs what was added, then ends the threads.
  void finish();

 private:
  using Jobs = std::deque<std::function<void()>>;
  void run(Length longest);
  Jobs* next(Length longest);  // null: there is nothing to do

  std::mutex mutex_;
  std::condition_variable changed_;
  Jobs short_jobs_, long_jobs_;
  bool finishing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace bloomery::http
