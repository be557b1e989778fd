#include "apps/ethlog/serve/clients.h"

#include <algorithm>
#include <cmath>

namespace bloomery::ethlog {
namespace {

constexpr auto kRest = std::chrono::seconds{1};  // after it a client has all its calls again

double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::optional<std::chrono::milliseconds> Clients::take_call(std::string_view name,
                                                            Clock::time_point now) {
  if (limits_.calls_per_second <= 0 || name.empty()) return std::nullopt;
  const std::lock_guard lock{mutex_};
  forget_idle(now);
  const double most = std::max(1.0, limits_.calls_per_second);
  auto at = clients_.find(name);
  if (at == clients_.end())
    at = clients_.emplace(std::string{name}, Client{.calls = most, .counted = now}).first;
  Client& client = at->second;
  const double earned = seconds_of(now - client.counted) * limits_.calls_per_second;
  client.calls = std::min(most, client.calls + std::max(0.0, earned));
  client.counted = now;
  if (client.calls >= 1) {
    client.calls -= 1;
    return std::nullopt;
  }
  const double wait = (1 - client.calls) / limits_.calls_per_second;
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(wait * 1000))};
}

std::optional<Clients::Search> Clients::begin_search(std::string_view name) {
  if (limits_.searches == 0 || name.empty()) return Search{*this, {}};
  const std::lock_guard lock{mutex_};
  auto at = clients_.find(name);
  if (at == clients_.end()) {
    const double most = std::max(1.0, limits_.calls_per_second);
    at = clients_.emplace(std::string{name}, Client{.calls = most, .counted = Clock::now()}).first;
  }
  if (at->second.searches >= limits_.searches) return std::nullopt;
  at->second.searches += 1;
  return Search{*this, at->first};
}

void Clients::end_search(const std::string& name) {
  if (name.empty()) return;
  const std::lock_guard lock{mutex_};
  const auto at = clients_.find(name);
  if (at == clients_.end()) return;
  at->second.searches -= 1;
  const bool has_all = limits_.calls_per_second <= 0;
  if (has_all && at->second.searches == 0) clients_.erase(at);
}

// Who rested for so long is as one that never came: what is remembered is bounded by the clients of
// a second or two.
void Clients::forget_idle(Clock::time_point now) {
  const auto rest = std::max<Clock::duration>(
      kRest, std::chrono::duration_cast<Clock::duration>(
                 std::chrono::duration<double>(1 / limits_.calls_per_second)));
  if (now - swept_ < rest) return;
  swept_ = now;
  std::erase_if(clients_, [&](const auto& entry) {
    return entry.second.searches == 0 && now - entry.second.counted >= rest;
  });
}

std::size_t Clients::size() const {
  const std::lock_guard lock{mutex_};
  return clients_.size();
}

}  // namespace bloomery::ethlog
