// What was asked and what it cost: for the metrics and the page.
#pragma once
#include <deque>
#include <map>

#include "apps/ethlog/serve/rpc_search.h"

namespace bloomery::ethlog {

struct MethodCounts {
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::chrono::microseconds time{0};
};

struct PastQuery {
  std::chrono::system_clock::time_point when;
  std::size_t addresses = 0;
  std::size_t topics = 0;  // given ones, over all positions
  SearchCost cost = {};
  int error = 0;  // its code; 0: none
};

struct QueryTotals {
  std::uint64_t queries = 0;
  QueryCost cost;
  // Of searches that came to their end: blocks that have no log that was asked for, and how many of
  // them an index or a bloom let through.
  std::uint64_t without_match = 0;
  std::uint64_t let_through = 0;

  // The one by the other: the false-positive rate as it really is. Nothing at first.
  std::optional<double> real_rate() const;
};

// Any thread may use it.
class RpcStatistics {
 public:
  void count(std::string_view method, bool error, std::chrono::microseconds time);
  void count(PastQuery query);

  std::map<std::string, MethodCounts, std::less<>> methods() const;
  std::deque<PastQuery> last_queries() const;  // the newest first
  QueryTotals totals() const;

 private:
  static constexpr std::size_t kLast = 32;
  mutable std::mutex mutex_;
  std::map<std::string, MethodCounts, std::less<>> methods_;
  std::deque<PastQuery> last_;
  QueryTotals totals_;
};

}  // namespace bloomery::ethlog
