#include "apps/ethlog/serve/filters.h"

#include <sodium.h>

namespace bloomery::ethlog {
namespace {

std::size_t bytes_of(const LogQuery& query) {
  std::size_t bytes = sizeof query + query.addresses.size() * sizeof(Address);
  for (const auto& choices : query.topics) bytes += sizeof choices + choices.size() * sizeof(Topic);
  return bytes;
}

}  // namespace

std::string new_rpc_id() {
  FixedBytes<16> random;
  ::randombytes_buf(random.bytes.data(), random.bytes.size());
  std::string hex = random.hex();
  const std::size_t first = hex.find_first_not_of('0', 2);
  return "0x" + (first == std::string::npos ? std::string{"0"} : hex.substr(first));
}

Filters::Added Filters::add_logs(LogQuery query, std::string_view client, Clock::time_point now) {
  SortedQuery sorted{std::move(query)};
  const std::size_t bytes = bytes_of(sorted.query());
  return add({.query = std::move(sorted),
              .changes = {},
              .query_bytes = bytes,
              .polled = now,
              .client = std::string{client}},
             now);
}

Filters::Added Filters::add_blocks(std::string_view client, Clock::time_point now) {
  return add(
      {.query = {}, .changes = {}, .query_bytes = 0, .polled = now, .client = std::string{client}},
      now);
}

Filters::Added Filters::add(Filter filter, Clock::time_point now) {
  const std::lock_guard lock{mutex_};
  forget_idle(now);
  if (filters_.size() >= limits_.most || bytes_ + filter.bytes() > limits_.bytes_of_all)
    return Refusal::kOfAll;
  if (!filter.client.empty()) {
    const auto its = of_client_.find(filter.client);
    if (its != of_client_.end() && its->second >= limits_.of_one_client) return Refusal::kOfClient;
    of_client_[filter.client] += 1;
  }
  std::string id = new_rpc_id();
  bytes_ += filter.bytes();
  filters_.insert_or_assign(id, std::move(filter));
  return id;
}

Filters::Map::iterator Filters::erase(Map::iterator at) {
  bytes_ -= at->second.bytes();
  const auto client = of_client_.find(at->second.client);
  if (client != of_client_.end() && --client->second == 0) of_client_.erase(client);
  return filters_.erase(at);
}

void Filters::forget_idle(Clock::time_point now) {
  for (auto at = filters_.begin(); at != filters_.end();)
    at = now - at->second.polled > limits_.idle ? erase(at) : std::next(at);
}

Filters::Map::iterator Filters::find(const std::string& id, Clock::time_point now) {
  const auto at = filters_.find(id);
  if (at == filters_.end()) return at;
  if (now - at->second.polled > limits_.idle) {
    erase(at);
    return filters_.end();
  }
  at->second.polled = now;
  return at;
}

std::optional<std::string> Filters::take_changes(const std::string& id, Clock::time_point now) {
  const std::lock_guard lock{mutex_};
  const auto at = find(id, now);
  if (at == filters_.end()) return std::nullopt;
  bytes_ -= at->second.changes.size();
  std::string list = "[" + std::exchange(at->second.changes, {}) + "]";
  return list;
}

std::optional<LogQuery> Filters::query_of(const std::string& id, Clock::time_point now) {
  const std::lock_guard lock{mutex_};
  const auto at = find(id, now);
  if (at == filters_.end() || !at->second.query) return std::nullopt;
  return at->second.query->query();
}

bool Filters::remove(const std::string& id) {
  const std::lock_guard lock{mutex_};
  const auto at = filters_.find(id);
  if (at == filters_.end()) return false;
  erase(at);
  return true;
}

bool Filters::append(Filter& filter, std::string_view json) {
  const std::size_t before = filter.changes.size();
  if (before > 0) filter.changes += ',';
  filter.changes += json;
  bytes_ += filter.changes.size() - before;
  return filter.bytes() <= limits_.bytes_of_one && bytes_ <= limits_.bytes_of_all;
}

void Filters::publish(const ChainEvent& event, Clock::time_point now) {
  const std::lock_guard lock{mutex_};
  forget_idle(now);
  for (auto at = filters_.begin(); at != filters_.end();) {
    Filter& filter = at->second;
    bool fits = true;
    if (!filter.query) {
      for (const auto& block : event.added())
        fits = fits && append(filter, "\"" + block->header.hash.hex() + "\"");
    } else {
      for (const EventLog& log : event.logs())
        if (fits && wants(*filter.query, log)) fits = append(filter, log.json());
    }
    at = fits ? std::next(at) : erase(at);
  }
}

std::size_t Filters::size() const {
  const std::lock_guard lock{mutex_};
  return filters_.size();
}

}  // namespace bloomery::ethlog
