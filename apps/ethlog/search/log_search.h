// The search for logs: candidates come from the indexes, and from header blooms where there is
// none; every returned log was matched exactly.
#pragma once
#include "apps/ethlog/model/found_log.h"
#include "apps/ethlog/search/query_cost.h"
#include "apps/ethlog/search/query_range.h"

namespace bloomery::ethlog {

using OnLog = std::function<bool(const FoundLog&)>;  // false ends the search

enum class MissingBlocks : std::uint8_t { kError, kSkipped };

struct QueryOptions {
  std::optional<std::uint64_t> limit = {};  // of logs
  bool newest_first = false;                // also within a block
  std::uint64_t step_back = 4096;           // blocks of one index query then; not 0
  MissingBlocks missing = MissingBlocks::kError;
  BeyondHead beyond_head = BeyondHead::kError;
  std::stop_token stop = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

enum class QueryEnd : std::uint8_t {
  kComplete,  // the whole range was searched
  kLimit,     // the limit of logs is reached, or the receiver returned false
  kStopped,
  kDeadline,
};

// What one index did for a search.
struct SourceReport {
  std::string_view name;
  std::uint64_t blocks = 0;  // of the range, that it covers
  IndexCost cost;
  std::uint64_t candidates = 0;
  std::uint64_t checked = 0;  // of them, without their receipts
  std::uint64_t refused = 0;  // of the checked ones, without a matching log
};

// What a search cost, and how it ended.
struct QueryReport : QueryCost {
  QueryEnd end = QueryEnd::kComplete;
  std::optional<BlockRange> range;    // as resolved; nothing in a chain without blocks
  std::vector<SourceReport> sources;  // that covered a part of the range, in their order
};

class LogSearch {
 public:
  // The reader must outlive it. Of two sources that cover a block, the first is used.
  LogSearch(const ChainReader& reader, std::vector<CandidateSource> sources)
      : reader_{reader}, sources_{std::move(sources)} {}

  // Delivers logs by block and place, ascending unless newest_first. A candidate that cannot be
  // read is an error: a complete search has seen everything. Many threads may search at once.
  Result<QueryReport> run(const LogQuery& query, const QueryOptions& options,
                          const OnLog& on_log) const;

 private:
  const ChainReader& reader_;
  std::vector<CandidateSource> sources_;
};

}  // namespace bloomery::ethlog
