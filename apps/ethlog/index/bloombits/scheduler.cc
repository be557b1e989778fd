#include "apps/ethlog/index/bloombits/scheduler.h"

#include <cassert>

namespace bloomery::ethlog {

bool Scheduler::ask(std::uint64_t section) {
  const std::lock_guard lock{mutex_};
  return responses_.try_emplace(section).second;
}

std::optional<ByteView> Scheduler::await(std::uint64_t section, const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  const auto found = responses_.find(section);
  assert(found != responses_.end());
  // A reference stays where it is when the map grows; the iterator would not.
  const Response& response = found->second;
  const auto is_there = [&response] { return response.has_value(); };
  if (!is_there() && !delivered_.wait(lock, stop, is_there)) return std::nullopt;
  return ByteView{*response};
}

void Scheduler::deliver(std::span<const std::uint64_t> sections,
                        std::vector<std::vector<std::byte>> vectors) {
  const std::lock_guard lock{mutex_};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const auto found = responses_.find(sections[i]);
    if (found == responses_.end() || found->second) continue;
    found->second = std::move(vectors[i]);
  }
  delivered_.notify_all();
}

void Scheduler::reset() {
  const std::lock_guard lock{mutex_};
  std::erase_if(responses_, [](const auto& entry) { return !entry.second; });
}

}  // namespace bloomery::ethlog
