#include "apps/ethlog/index/bloombits/scheduler.h"

#include <functional>

namespace bloomery::ethlog {
namespace {

std::size_t vector_bytes(const Result<FetchedVector>& outcome) {
  return outcome ? outcome->bits.size() : 0;
}

}  // namespace

std::condition_variable_any& Scheduler::condition_of(const Vector* vector) {
  return delivered_[std::hash<const Vector*>{}(vector) / alignof(std::max_align_t) %
                    delivered_.size()];
}

Scheduler::Asked Scheduler::ask(std::uint32_t bit, const SectionId& section) {
  const Key key{section, bit};
  const std::lock_guard lock{mutex_};
  if (const auto found = vectors_.find(key); found != vectors_.end()) {
    uses_.splice(uses_.end(), uses_, found->second.use);
    return {found->second.vector, false};
  }
  auto vector = std::make_shared<Vector>();
  uses_.push_back(key);
  try {
    vectors_.emplace(key, Entry{vector, std::prev(uses_.end())});
  } catch (...) {
    uses_.pop_back();
    throw;
  }
  return {std::move(vector), true};
}

bool Scheduler::await(const Handle& vector, const std::stop_token& stop) {
  if (vector->is_ready()) return true;
  std::unique_lock lock{mutex_};
  return condition_of(vector.get()).wait(lock, stop, [&] { return vector->is_ready(); });
}

// The map holds one reference. Without the mutex no other can be added, so a count of one stays.
bool Scheduler::is_wanted(std::uint32_t bit, const SectionId& section) {
  const std::lock_guard lock{mutex_};
  const auto found = vectors_.find({section, bit});
  if (found == vectors_.end()) return false;
  if (found->second.vector.use_count() > 1) return true;
  if (!found->second.vector->is_ready()) {
    uses_.erase(found->second.use);
    vectors_.erase(found);
  }
  return false;
}

void Scheduler::deliver(std::uint32_t bit, const SectionId& section,
                        Result<FetchedVector> outcome) {
  const std::lock_guard lock{mutex_};
  const auto found = vectors_.find({section, bit});
  if (found == vectors_.end() || found->second.vector->is_ready()) return;
  const std::shared_ptr<Vector> vector = found->second.vector;
  if (!outcome) {
    uses_.erase(found->second.use);
    vectors_.erase(found);
  }
  bytes_ += vector_bytes(outcome);
  vector->outcome_.emplace(std::move(outcome));
  vector->ready_.store(true, std::memory_order_release);
  condition_of(vector.get()).notify_all();
  drop_unused();
}

void Scheduler::drop_unused() {
  for (auto at = uses_.begin(); bytes_ > kept_bytes_ && at != uses_.end();) {
    const auto found = vectors_.find(*at);
    const Vector& vector = *found->second.vector;
    if (found->second.vector.use_count() > 1 || !vector.is_ready()) {
      ++at;
      continue;
    }
    bytes_ -= vector_bytes(vector.outcome());
    vectors_.erase(found);
    at = uses_.erase(at);
  }
}

std::size_t Scheduler::bytes() const {
  const std::lock_guard lock{mutex_};
  return bytes_;
}

}  // namespace bloomery::ethlog
