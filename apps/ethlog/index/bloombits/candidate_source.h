// An index as a log search uses it: which blocks it covers, and which of them may have a matching
// log. The search takes the first source that covers a block, and tests header blooms where none
// does.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "apps/ethlog/model/block_range.h"
#include "apps/ethlog/model/log_query.h"

namespace bloomery::ethlog {

// How an index is read. kDirect reads and combines section after section in the calling thread.
// kThreads has the sections ahead read by threads meanwhile. kAuto begins directly, and goes on
// with threads once its reads turn out to wait for a disk.
enum class MatchMode : std::uint8_t { kDirect, kThreads, kAuto };

// What an index read for a search.
struct IndexCost {
  std::uint64_t sections = 0;
  std::uint64_t sections_threaded = 0;  // of them, read by threads ahead of the search
  std::uint64_t vectors = 0;
  std::uint64_t vectors_shared = 0;  // of them, fetched for another search, or kept since
  std::uint64_t bytes = 0;
  std::uint64_t clauses_skipped = 0;  // in so many sections: cheaper to check than to look up

  IndexCost& operator+=(const IndexCost& other) {
    sections += other.sections;
    sections_threaded += other.sections_threaded;
    vectors += other.vectors;
    vectors_shared += other.vectors_shared;
    bytes += other.bytes;
    clauses_skipped += other.clauses_skipped;
    return *this;
  }
  friend bool operator==(const IndexCost&, const IndexCost&) = default;
};

struct CandidateSource {
  std::string_view name;
  // The lowest unbroken part of the range that the index covers; nothing where it covers none.
  std::function<Result<std::optional<BlockRange>>(const BlockRange& range)> covered;
  // Visits, ascending, every block of a covered range that has a matching log, and perhaps others,
  // until the visitor returns false or the search is stopped, neither of which is an error.
  using Visit = std::function<bool(std::uint64_t block)>;
  std::function<Status(const LogQuery& query, const BlockRange& range, const Visit& visit,
                       const std::stop_token& stop, IndexCost& cost)>
      candidates;

  // For an index that can decide, without the receipts, whether a block has a matching log. Null:
  // only the receipts decide. A check does not refer to the query that it was made of.
  using Check = std::function<Result<bool>(std::uint64_t block, IndexCost& cost)>;
  std::function<Check(const LogQuery& query)> checker;
};

// The source that a search of one index is. Search has covered() and candidates().
template <class Search>
CandidateSource source_over(std::string_view name, const std::shared_ptr<const Search>& search) {
  CandidateSource source;
  source.name = name;
  source.covered = [search](const BlockRange& range) { return search->covered(range); };
  source.candidates = [search](const LogQuery& query, const BlockRange& range,
                               const CandidateSource::Visit& visit, const std::stop_token& stop,
                               IndexCost& cost) {
    return search->candidates(query, range, visit, stop, cost);
  };
  return source;
}

}  // namespace bloomery::ethlog
