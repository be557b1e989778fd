// What a log search needs of an index: which blocks it covers, and which of them may have a log
// that is asked for. Every index offers one of these; the search takes the first that covers a
// block, and tests header blooms where none does.
#pragma once
#include <functional>
#include <stop_token>
#include <string_view>

#include "apps/ethlog/model/block_range.h"
#include "apps/ethlog/model/log_query.h"

namespace bloomery::ethlog {

// What an index read for a search.
struct SourceWork {
  std::uint64_t sections = 0;
  std::uint64_t vectors = 0;
  std::uint64_t bytes = 0;
  std::uint64_t clauses_skipped = 0;  // in so many sections: cheaper to check than to look up
};

struct CandidateSource {
  std::string_view name;
  // The lowest unbroken part of the range that the index covers; nothing where it covers none.
  std::function<Result<std::optional<BlockRange>>(const BlockRange& range)> covered;
  // Visits, ascending, every block of a covered range that has a matching log, and perhaps others,
  // until the visitor says false or the search is stopped, neither of which is an error.
  using Visit = std::function<bool(std::uint64_t block)>;
  std::function<Status(const LogQuery& query, const BlockRange& range, const Visit& visit,
                       const std::stop_token& stop, SourceWork& work)>
      candidates;

  // Of an index that knows more of a block than its candidates say: whether a log of it is asked
  // for, exactly, without its receipts. Null: only the receipts tell. What is made of a query views
  // nothing of it.
  using Check = std::function<Result<bool>(std::uint64_t block, SourceWork& work)>;
  std::function<Check(const LogQuery& query)> checker;
};

}  // namespace bloomery::ethlog
