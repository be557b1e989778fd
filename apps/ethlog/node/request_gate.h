// How many requests may be under way at a time: fewer after the node asked for that, one more after
// a row of successes. Any thread may call it.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <stop_token>

namespace bloomery::ethlog {

class RequestGate {
 public:
  explicit RequestGate(std::size_t most) : most_{most}, allowed_{most} {}

  // Waits for a place; false: stopped. Every true one is given back by leave().
  bool enter(const std::stop_token& stop);
  void leave(bool succeeded);
  // The node is busy: half as many from now on, and none before that time has passed.
  void slow_down(std::chrono::milliseconds wait);

  std::size_t allowed() const {
    const std::lock_guard lock{mutex_};
    return allowed_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t allowed_;
  std::size_t inside_ = 0;
  std::size_t successes_ = 0;
  Clock::time_point not_before_{};
};

// Doubles from `first` with every failure up to `most`; a random half is taken off, so that threads
// which failed together do not come back together.
std::chrono::milliseconds back_off(std::size_t failures, std::chrono::milliseconds first,
                                   std::chrono::milliseconds most);

}  // namespace bloomery::ethlog
