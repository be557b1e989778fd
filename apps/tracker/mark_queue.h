// A bounded queue of changed paths between the threads that see changes and the one that collects
// them. What does not fit is not waited for: it is counted, and whoever collects hears of it.
#pragma once
#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::tracker {

class MarkQueue {
 public:
  // Bytes that may wait, paths and their lengths together.
  explicit MarkQueue(std::size_t max_bytes) : stripe_bytes_{max_bytes / kStripes} {}

  // False if it did not fit; then the next Batch says so. `below`: all below the path changed.
  bool push(std::string_view clean, bool below = false);
  // Also for changes that were lost before they came here.
  void lose(std::uint64_t marks);

  struct Batch {
    std::vector<char> bytes;  // records; read them with for_each
    std::uint64_t lost = 0;   // marks that did not fit before this batch was taken
    bool empty() const { return bytes.empty() && lost == 0; }
  };
  // What waits now, from all threads. `reuse` gives back the memory of an older batch.
  Batch take(Batch reuse = {});
  // Waits until something is there, or wake() is called, or the deadline is over.
  template <class Deadline>
  void wait_until(Deadline deadline);
  void wake();

  // fn(path, below) for each record.
  template <class Use>
  static void for_each(const Batch& batch, Use use);

  std::uint64_t pushed() const;  // marks accepted or lost so far

 private:
  static constexpr std::size_t kStripes = 8;
  struct alignas(64) Stripe {
    mutable std::mutex mutex;
    std::vector<char> bytes;
    std::uint64_t pushed = 0;
  };
  std::size_t stripe_bytes_;
  std::array<Stripe, kStripes> stripes_;
};

}  // namespace bloomery::tracker
