#include "apps/tracker/state/mark_queue.h"

#include <functional>
#include <thread>
#include <utility>

namespace bloomery::tracker {
namespace {

// Threads in the order of their first mark: neighbours get different stripes.
std::size_t number_of_this_thread() {
  static std::atomic<std::size_t> threads = 0;
  thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

constexpr std::size_t kLongestPath = std::size_t{1} << 30;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;  // a burst's memory is given back

}  // namespace

MarkQueue::Outcome MarkQueue::push_into(Stripe& stripe, std::string_view path, Reach reach) const {
  const auto head =
      static_cast<std::uint32_t>(path.size() << 1) | static_cast<std::uint32_t>(reach);
  const std::lock_guard lock{stripe.mutex};
  const std::size_t old_size = stripe.bytes.size();
  if (old_size + sizeof head + path.size() > stripe_bytes_) return Outcome::kFull;
  stripe.bytes.resize(old_size + sizeof head + path.size());
  std::memcpy(stripe.bytes.data() + old_size, &head, sizeof head);
  if (!path.empty())
    std::memcpy(stripe.bytes.data() + old_size + sizeof head, path.data(), path.size());
  ++stripe.marks;
  return old_size == 0 ? Outcome::kFirst : Outcome::kLater;
}

bool MarkQueue::push(std::string_view path, Reach reach) {
  const std::size_t home = number_of_this_thread();
  for (std::size_t i = 0; path.size() <= kLongestPath && i < kStripes; ++i) {
    const Outcome outcome = push_into(stripes_[(home + i) % kStripes], path, reach);
    if (outcome == Outcome::kFull) continue;
    // The thread that found a stripe empty wakes the collector; the others need not.
    if (outcome == Outcome::kFirst) wake();
    return true;
  }
  lost_.fetch_add(1, std::memory_order_acq_rel);
  wake();
  return false;
}

void MarkQueue::take(Batch& batch) {
  batch.marks_ = 0;
  batch.lost_ = lost_.exchange(0, std::memory_order_acq_rel);
  for (std::size_t i = 0; i < kStripes; ++i) {
    std::vector<char>& bytes = batch.bytes_[i];
    if (bytes.capacity() > kKeptBytes) bytes = {};
    bytes.clear();
    const std::lock_guard lock{stripes_[i].mutex};
    bytes.swap(stripes_[i].bytes);
    batch.marks_ += std::exchange(stripes_[i].marks, 0);
  }
}

}  // namespace bloomery::tracker
