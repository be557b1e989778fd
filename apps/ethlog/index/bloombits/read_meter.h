// Measures the reads of a search, to find out whether they wait for a disk.
#pragma once
#include <chrono>
#include <cstdint>

namespace bloomery::ethlog {

// For one thread.
class ReadMeter {
 public:
  using Clock = std::chrono::steady_clock;

  void add(Clock::duration time, std::uint64_t reads) {
    time_ += time;
    reads_ += reads;
  }
  // Whether the mean read takes as long as one that waits for a disk. False until enough were
  // measured.
  bool waits_for_disk() const { return is_slower_than(kDiskRead); }
  // Whether it takes longer than a lookup in a map does: then reading once for many searches pays.
  bool is_costly() const { return is_slower_than(kMemoryRead); }

 private:
  bool is_slower_than(std::chrono::microseconds read) const {
    return reads_ >= kLeastReads && time_ > read * static_cast<std::int64_t>(reads_);
  }
  static constexpr std::uint64_t kLeastReads = 6;  // two sections of a query by one key
  // A warm read from LevelDB takes 4 to 8 microseconds, 17 on a busy machine; a cold one from a
  // fast disk takes 12 on the mean, because the kernel reads ahead (bench/RESULTS.md). Threads cost
  // more than they save there; a disk that must seek, or a network, takes milliseconds.
  static constexpr std::chrono::microseconds kDiskRead{200};
  static constexpr std::chrono::microseconds kMemoryRead{4};
  Clock::duration time_{};
  std::uint64_t reads_ = 0;
};

}  // namespace bloomery::ethlog
