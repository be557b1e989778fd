// How many bytes of requests and replies a server holds at once, for all its connections.
#pragma once
#include <atomic>
#include <cstddef>

namespace bloomery::http {

// Any thread may use it.
class Budget {
 public:
  explicit Budget(std::size_t bytes) : limit_{bytes} {}

  // What lies alone may be as large as it likes: its own limit was checked already.
  bool take(std::size_t bytes) {
    const std::size_t before = taken_.fetch_add(bytes);
    if (bytes == 0 || before == 0 || (before <= limit_ && bytes <= limit_ - before)) return true;
    taken_.fetch_sub(bytes);
    return false;
  }
  void give(std::size_t bytes) { taken_.fetch_sub(bytes); }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> taken_{0};
};

// One connection's part of it.
class Share {
 public:
  // Below this nothing is taken: while large replies fill the budget, short ones are still given.
  static constexpr std::size_t kFreeBytes = 64 << 10;

  explicit Share(Budget& budget) : budget_{budget} {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { resize(0); }

  // False if there is not so much left; then it is as large as before.
  bool resize(std::size_t bytes) {
    const std::size_t wanted = bytes > kFreeBytes ? bytes : 0;
    if (wanted > taken_ && !budget_.take(wanted - taken_)) return false;
    if (wanted < taken_) budget_.give(taken_ - wanted);
    taken_ = wanted;
    return true;
  }

 private:
  Budget& budget_;
  std::size_t taken_ = 0;
};

}  // namespace bloomery::http
