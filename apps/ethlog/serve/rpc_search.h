// eth_getLogs within limits: the logs as JSON, or an error that names a block range that would
// work.
#pragma once
#include <chrono>

#include "apps/ethlog/search/log_search.h"
#include "apps/ethlog/search/sources.h"
#include "apps/ethlog/serve/rpc_errors.h"
#include "apps/ethlog/store/chain_events.h"

namespace bloomery::ethlog {

struct SearchLimits {
  std::uint64_t range = 0;            // from first to last block; 0: any
  std::uint64_t results = 10'000;     // logs; 0: any
  std::uint64_t addresses = 100'000;  // of addresses, and of topics for one position; 0: any
  std::uint64_t response_bytes = std::uint64_t{32} << 20;
  std::chrono::milliseconds time{10'000};  // for all calls of one request together; 0: any
};

// What ends a search from outside.
struct SearchEnd {
  std::stop_token stop = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

// A whole request for logs: its windows added up.
struct SearchCost {
  QueryReport report = {};
  std::uint64_t matching_blocks = 0;  // with a log that was found
  std::chrono::microseconds time{0};
};

struct LogPosition {
  std::uint64_t block = 0;
  std::uint64_t log = 0;  // its number in the block
  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

// A part of a search: where a limit would end it with an error, it ends with the place where the
// next page begins, unless nothing at all fitted.
struct LogPage {
  std::uint64_t limit = 1;                 // logs
  LogPosition first = {};                  // what comes before it was delivered
  std::optional<LogPosition> next = {};    // nothing: the range is searched
  std::optional<std::uint64_t> last = {};  // block of the range; nothing in a chain without blocks
};

// Appends a JSON list. After an error nothing was appended; the cost is stored either way. The
// searches of a chain share `threads`.
std::optional<RpcError> append_found_logs(const LiveChain& chain,
                                          const std::shared_ptr<SearchThreads>& threads,
                                          const LogQuery& query, const SearchLimits& limits,
                                          const SearchEnd& end, std::string& out, SearchCost& cost,
                                          LogPage* page = nullptr);

// What go-ethereum refuses before a search, and when a filter is installed.
std::optional<RpcError> check_sizes(const LogQuery& query, const SearchLimits& limits);

}  // namespace bloomery::ethlog
