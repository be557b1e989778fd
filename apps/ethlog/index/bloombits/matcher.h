// The search over vectors that must be fetched first: sections flow through a pipeline of clauses,
// the vectors of the next ones are fetched meanwhile, and candidate blocks come out in order. For
// vectors that lie in memory, direct_match.h finds the same without threads.
#pragma once
#include <atomic>
#include <map>
#include <memory>

#include "apps/ethlog/index/bloombits/matcher_session.h"
#include "apps/ethlog/index/bloombits/scheduler.h"
#include "apps/ethlog/model/clauses.h"

namespace bloomery::ethlog {

// Keeps every vector it fetched until it dies: a search that is started again fetches none twice.
class Matcher {
 public:
  Matcher(std::uint64_t section_size, const std::vector<BitClause>& clauses);

  // Searches the blocks from begin to end, both included, in threads of its own. One session at a
  // time: kInvalidArgument while another is open. kTooLarge: the system gives it no threads, and
  // nothing was searched. The matcher must outlive the session.
  Result<std::unique_ptr<MatcherSession>> start(std::uint64_t begin, std::uint64_t end,
                                                FetchVectors fetch,
                                                const MatcherOptions& options = {},
                                                std::stop_token stop = {});

 private:
  const std::uint64_t section_size_;
  std::map<std::uint32_t, Scheduler> schedulers_;  // by bit
  std::vector<MatcherStage> stages_;               // one per clause
  std::atomic<bool> running_ = false;
};

}  // namespace bloomery::ethlog
