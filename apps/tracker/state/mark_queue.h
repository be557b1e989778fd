// A bounded queue of changed paths between the threads that see changes and the one that collects
// them. A push never waits: what does not fit is counted, and the next batch reports the count.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>
#include <vector>

namespace bloomery::tracker {

class MarkQueue {
 public:
  // `max_bytes` may wait, paths and their lengths together.
  explicit MarkQueue(std::size_t max_bytes) : stripe_bytes_{max_bytes / kStripes} {}

  // What became of one path: it changed, or all below it may have too.
  enum class Reach : std::uint32_t { kPath, kBelow };

  // False if it did not fit; then the next batch says so.
  bool push(std::string_view path, Reach reach = Reach::kPath);

  // What waited, from all threads; marks of one thread stay in order only by chance.
  class Batch {
   public:
    std::uint64_t lost() const { return lost_; }    // marks that did not fit before it was taken
    std::uint64_t marks() const { return marks_; }  // in it
    bool empty() const { return marks_ == 0 && lost_ == 0; }
    template <class Use>  // use(path, reach)
    void for_each(Use use) const {
      for (const std::vector<char>& bytes : bytes_)
        for (const char* at = bytes.data(); at != bytes.data() + bytes.size();) {
          std::uint32_t head = 0;
          std::memcpy(&head, at, sizeof head);
          at += sizeof head;
          use(std::string_view{at, head >> 1}, static_cast<Reach>(head & 1));
          at += head >> 1;
        }
    }

   private:
    friend class MarkQueue;
    std::array<std::vector<char>, 8> bytes_;
    std::uint64_t marks_ = 0;
    std::uint64_t lost_ = 0;
  };
  // Replaces what the batch held with what waits now; its memory serves again.
  void take(Batch& batch);

  // For the one collector: note signal(), take(), and if there was nothing, wait for another
  // signal.
  std::uint32_t signal() const { return signal_.load(std::memory_order_acquire); }
  void wait(std::uint32_t seen) const { signal_.wait(seen, std::memory_order_acquire); }
  void wake() {
    signal_.fetch_add(1, std::memory_order_acq_rel);
    signal_.notify_one();
  }

 private:
  static constexpr std::size_t kStripes = 8;
  // Threads that mark at the same time rarely meet in one stripe.
  struct alignas(64) Stripe {
    std::mutex mutex;
    std::vector<char> bytes;
    std::uint64_t marks = 0;
  };
  enum class Outcome : std::uint8_t { kFull, kFirst, kLater };
  Outcome push_into(Stripe& stripe, std::string_view path, Reach reach) const;

  std::size_t stripe_bytes_;
  std::array<Stripe, kStripes> stripes_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::uint32_t> signal_ = 0;
};

}  // namespace bloomery::tracker
