// The search for logs: candidates by the indexes, by header blooms where there is none, and every
// log that is told was looked at itself.
#pragma once
#include <chrono>

#include "apps/ethlog/index/bloombits/candidate_source.h"
#include "apps/ethlog/model/found_log.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

using OnLog = std::function<bool(const FoundLog&)>;  // false ends the search

enum class MissingBlocks : std::uint8_t { kError, kSkipped };
enum class BeyondHead : std::uint8_t { kError, kCut };

struct QueryOptions {
  std::optional<std::uint64_t> limit = {};  // of logs
  bool newest_first = false;                // also within a block
  std::uint64_t step_back = 4096;  // blocks that an index is then asked for at a time; not 0
  MissingBlocks missing = MissingBlocks::kError;
  BeyondHead beyond_head = BeyondHead::kError;
  std::stop_token stop = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

enum class QueryEnd : std::uint8_t {
  kComplete,  // everything in the range was looked at
  kLimit,     // so many logs were found as were wanted, or the receiver wanted no more
  kStopped,
  kDeadline,
};

// Where the time of a search went; no moment counts twice.
struct StageTimes {
  using Duration = std::chrono::steady_clock::duration;
  Duration planning{};  // the range resolved, and which index covers what
  Duration index{};     // candidates found
  Duration headers{};   // header blooms tested
  Duration checking{};  // candidates checked by an index that knows more
  Duration reading{};   // blocks with their receipts read and decoded
  Duration matching{};  // logs compared, and handed out
};

// What one index did for a search.
struct SourceReport {
  std::string_view name;
  std::uint64_t blocks = 0;  // of the range, that it covers
  SourceWork work;
  std::uint64_t candidates = 0;
  std::uint64_t checked = 0;  // of them, without their receipts
  std::uint64_t refused = 0;  // of them, for they have no matching log
};

// What a search did.
struct QueryReport {
  QueryEnd end = QueryEnd::kComplete;
  std::optional<BlockRange> range;    // as resolved; nothing in a chain without blocks
  std::uint64_t indexed_blocks = 0;   // of the range, covered by an index
  SourceWork index;                   // of all indexes together
  std::uint64_t candidates = 0;       // from an index
  std::uint64_t header_blooms = 0;    // tested, where there is no index
  std::uint64_t blocks_read = 0;      // with their receipts
  std::uint64_t false_positives = 0;  // candidates without a matching log, read or not
  std::uint64_t missing_blocks = 0;   // skipped
  std::uint64_t logs = 0;
  std::vector<SourceReport> sources;  // that covered a part of the range, in their order
  StageTimes times;
};

// Tags to numbers, by the rules of go-ethereum v1.17.5, whose texts the errors have. Nothing in a
// chain without blocks. Not for queries by block hash.
Result<std::optional<BlockRange>> resolve_range(const ChainReader& reader, const LogQuery& query,
                                                BeyondHead beyond_head);

// An error where blocks that the query is about are lost (ChainReader::lost). A query up to the
// newest block is about all of them.
Status none_lost(const ChainReader& reader, const LogQuery& query,
                 const std::optional<BlockRange>& resolved);

class LogSearch {
 public:
  // The reader must outlive it. Of two sources that cover a block the first is asked.
  LogSearch(const ChainReader& reader, std::vector<CandidateSource> sources)
      : reader_{reader}, sources_{std::move(sources)} {}

  // Delivers logs by block and place, ascending unless told otherwise. A candidate that cannot be
  // read is an error: a search that says it is complete has seen everything. Many threads may
  // search at once.
  Result<QueryReport> run(const LogQuery& query, const QueryOptions& options,
                          const OnLog& on_log) const;

 private:
  const ChainReader& reader_;
  std::vector<CandidateSource> sources_;
};

}  // namespace bloomery::ethlog
