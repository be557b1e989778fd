// A thread that moves events from the kernel's short queues into memory, and the queue in which
// they wait to be handled, together with work for the same thread.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::tracker {

class WatchBacklog {
 public:
  // Each entry of `queues` is a source, by its place. `mounts`: a descriptor that has a condition
  // when filesystems are mounted or unmounted; -1 for none.
  WatchBacklog(std::vector<int> queues, int mounts, std::size_t max_bytes);
  WatchBacklog(const WatchBacklog&) = delete;
  WatchBacklog& operator=(const WatchBacklog&) = delete;
  ~WatchBacklog();
  Status start();
  void stop();  // the thread ends; what waits can still be taken

  struct Entry {
    enum class Kind : std::uint8_t { kNothing, kEvents, kLost, kMounts, kWork };
    Kind kind = Kind::kNothing;
    std::size_t source = 0;
    std::uint64_t number = 0;  // counts what was read
    std::vector<std::byte> bytes = {};
    std::function<void()> work = {};
  };
  // Waits for the next entry; kNothing after `patience`, or when it is stopped and empty.
  Entry take(std::chrono::milliseconds patience);
  void add_work(std::function<void()> work);
  bool is_empty() const;
  std::uint64_t last_number() const;
  std::size_t bytes() const;

  // For tests: the kernel's queues fill while it is held.
  void hold(bool held);

 private:
  void read_all();
  void read_from(std::size_t source);
  void add(Entry entry);

  const std::vector<int> queues_;
  const int mounts_;
  const std::size_t max_bytes_;
  int wake_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable released_;
  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
  std::uint64_t number_ = 0;
  bool stops_ = false;
  bool held_ = false;
  bool holds_ = false;  // the thread heard of it
  std::vector<std::byte> buffer_;
  std::thread thread_;
};

}  // namespace bloomery::tracker
