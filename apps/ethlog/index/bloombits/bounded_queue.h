// A queue between two threads that holds so many values and no more: the faster one waits. Every
// wait ends when the queue is closed or the session stops.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

namespace bloomery::ethlog {

// Safe for any number of threads on either side.
template <class T>
class BoundedQueue {
 public:
  // Precondition: most is not zero.
  explicit BoundedQueue(std::size_t most) : most_{most} {}

  // False if it was stopped or closed before there was room; the value is lost then.
  bool push(T value, const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    wait(room_, lock, stop, [this] { return closed_ || values_.size() < most_; });
    if (stop.stop_requested() || closed_) return false;
    values_.push_back(std::move(value));
    lock.unlock();
    filled_.notify_one();
    return true;
  }
  // Nothing if it is closed and empty, or was stopped.
  std::optional<T> pop(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    wait(filled_, lock, stop, [this] { return closed_ || !values_.empty(); });
    if (stop.stop_requested() || values_.empty()) return std::nullopt;
    std::optional<T> value{std::move(values_.front())};
    values_.pop_front();
    lock.unlock();
    room_.notify_one();
    return value;
  }
  // What is in it can still be popped.
  void close() {
    const std::lock_guard lock{mutex_};
    closed_ = true;
    room_.notify_all();
    filled_.notify_all();
  }

 private:
  // A stop token is only registered with where there is something to wait for.
  template <class Ready>
  static void wait(std::condition_variable_any& condition, std::unique_lock<std::mutex>& lock,
                   const std::stop_token& stop, Ready ready) {
    if (!ready()) condition.wait(lock, stop, ready);
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable_any room_;
  std::condition_variable_any filled_;
  std::deque<T> values_;
  bool closed_ = false;
};

}  // namespace bloomery::ethlog
