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
  // Whether it takes longer than a lookup in a map does: then reading once for two searches pays.
  bool is_costly() const { return is_slower_than(kMemoryRead); }

 private:
  bool is_slower_than(std::chrono::microseconds read) const {
    return reads_ >= kLeastReads && time_ > read * static_cast<std::int64_t>(reads_);
  }
  static constexpr std::uint64_t kLeastReads = 6;  // two sections of a query by one key
  // A warm read from LevelDB takes 8 microseconds of processor time, and 17 of wall clock on a busy
  // machine (bench/RESULTS.md). The first reads of a cold folder take more than 60.
  static constexpr std::chrono::microseconds kDiskRead{60};
  static constexpr std::chrono::microseconds kMemoryRead{4};
  Clock::duration time_{};
  std::uint64_t reads_ = 0;
};

}  // namespace bloomery::ethlog
