#include "apps/ethlog/serve/rpc_statistics.h"

namespace bloomery::ethlog {

std::optional<double> QueryTotals::real_rate() const {
  if (without_match == 0) return std::nullopt;
  return static_cast<double>(let_through) / static_cast<double>(without_match);
}

void RpcStatistics::count(std::string_view method, bool error, std::chrono::microseconds time) {
  const std::lock_guard lock{mutex_};
  auto at = methods_.find(method);
  if (at == methods_.end()) at = methods_.emplace(std::string{method}, MethodCounts{}).first;
  at->second.calls += 1;
  at->second.errors += error ? 1 : 0;
  at->second.time += time;
}

void RpcStatistics::count(PastQuery query) {
  const std::lock_guard lock{mutex_};
  const QueryReport& report = query.cost.report;
  totals_.queries += 1;
  totals_.cost += report;
  // A search that ended early did not look at all of the range: it does not say what it passed.
  const std::uint64_t matching = query.cost.matching_blocks;
  const std::uint64_t tested = report.indexed_blocks + report.header_blooms;
  if (query.error == 0 && tested >= matching) {
    totals_.without_match += tested - matching;
    totals_.let_through += report.false_positives;
  }
  last_.push_front(std::move(query));
  if (last_.size() > kLast) last_.pop_back();
}

std::map<std::string, MethodCounts, std::less<>> RpcStatistics::methods() const {
  const std::lock_guard lock{mutex_};
  return methods_;
}

std::deque<PastQuery> RpcStatistics::last_queries() const {
  const std::lock_guard lock{mutex_};
  return last_;
}

QueryTotals RpcStatistics::totals() const {
  const std::lock_guard lock{mutex_};
  return totals_;
}

}  // namespace bloomery::ethlog
