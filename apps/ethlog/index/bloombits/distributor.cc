#include "apps/ethlog/index/bloombits/distributor.h"

namespace bloomery::ethlog {

void Distributor::withdraw(std::uint32_t bit, const Wanted& wanted) {
  if (!wanted.sections.empty()) unassigned_.erase({*wanted.sections.begin(), bit});
}

void Distributor::offer(std::uint32_t bit, const Wanted& wanted) {
  if (!wanted.allocated && !wanted.sections.empty())
    unassigned_.insert({*wanted.sections.begin(), bit});
  changed_.notify_all();
}

void Distributor::request(std::uint32_t bit, std::uint64_t section) {
  put_back(bit, {&section, 1});
}

void Distributor::put_back(std::uint32_t bit, std::span<const std::uint64_t> sections) {
  const std::lock_guard lock{mutex_};
  Wanted& wanted = wanted_[bit];
  withdraw(bit, wanted);
  wanted.sections.insert(sections.begin(), sections.end());
  offer(bit, wanted);
}

std::optional<std::uint32_t> Distributor::allocate(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  const auto some = [this] { return !unassigned_.empty(); };
  if (!some()) changed_.wait(lock, stop, some);
  if (stop.stop_requested() || !some()) return std::nullopt;
  const std::uint32_t bit = unassigned_.begin()->second;
  unassigned_.erase(unassigned_.begin());
  wanted_[bit].allocated = true;
  return bit;
}

std::size_t Distributor::pending(std::uint32_t bit) const {
  const std::lock_guard lock{mutex_};
  const auto found = wanted_.find(bit);
  return found == wanted_.end() ? 0 : found->second.sections.size();
}

void Distributor::gather(std::uint32_t bit, std::size_t most, std::chrono::nanoseconds time,
                         const std::stop_token& stop) {
  if (time <= std::chrono::nanoseconds::zero()) return;
  std::unique_lock lock{mutex_};
  const Wanted& wanted = wanted_[bit];
  changed_.wait_for(lock, stop, time, [&] { return wanted.sections.size() >= most; });
}

std::vector<std::uint64_t> Distributor::take(std::uint32_t bit, std::size_t most) {
  const std::lock_guard lock{mutex_};
  Wanted& wanted = wanted_[bit];
  withdraw(bit, wanted);
  std::vector<std::uint64_t> sections;
  while (sections.size() < most && !wanted.sections.empty()) {
    sections.push_back(*wanted.sections.begin());
    wanted.sections.erase(wanted.sections.begin());
  }
  wanted.allocated = false;
  offer(bit, wanted);
  return sections;
}

}  // namespace bloomery::ethlog
