// Where the requests of all schedulers meet and the threads that fetch come for work: sections of
// one bit are handed out together, those of the lowest section first.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <vector>

namespace bloomery::ethlog {

// Safe for any number of threads.
class Distributor {
 public:
  void request(std::uint32_t bit, std::uint64_t section);

  // Waits for a bit with wanted sections, and takes the one whose lowest section is lowest. It is
  // the caller's alone until take(). Nothing once stopped.
  std::optional<std::uint32_t> allocate(const std::stop_token& stop);
  // How many sections wait for the bit.
  std::size_t pending(std::uint32_t bit) const;
  // Gives requests time to gather: until `most` wait for the bit, the time is over, or stopped.
  void gather(std::uint32_t bit, std::size_t most, std::chrono::nanoseconds time,
              const std::stop_token& stop);
  // Up to `most` sections of an allocated bit, the lowest first. If some remain, or `most` is zero,
  // the bit can be allocated again.
  std::vector<std::uint64_t> take(std::uint32_t bit, std::size_t most);
  // Sections that were taken and not fetched are wanted again.
  void put_back(std::uint32_t bit, std::span<const std::uint64_t> sections);

 private:
  struct Wanted {
    std::set<std::uint64_t> sections;
    bool allocated = false;
  };
  // Takes the bit out of unassigned_ while its sections change, and puts it back where it belongs.
  void withdraw(std::uint32_t bit, const Wanted& wanted);
  void offer(std::uint32_t bit, const Wanted& wanted);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint32_t, Wanted> wanted_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> unassigned_;  // (lowest section, bit)
};

}  // namespace bloomery::ethlog
