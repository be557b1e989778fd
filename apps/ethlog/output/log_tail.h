// A search that goes on with the chain: step by step, each from a state to the next, with the logs
// between them; and those that reorganisations take back.
#pragma once
#include "apps/ethlog/model/log_match.h"
#include "apps/ethlog/output/log_feed.h"

namespace bloomery::ethlog {

struct TailOptions {
  std::uint64_t window = 128;              // blocks that a reorganisation may replace
  std::uint64_t step_blocks = 4096;        // searched between two states, below the window
  std::uint64_t recent_step = 16;          // and within it
  std::optional<std::uint64_t> last = {};  // block of the search
};

class LogTail {
 public:
  // The feed must outlive it. The query's range is not used.
  LogTail(LogFeed& feed, LogQuery query, TailOptions options)
      : feed_{feed}, query_{std::move(query)}, options_{options} {}

  enum class Step : std::uint8_t { kAdvanced, kIdle };
  // One step between refresh and release: logs that were taken back, newest first, with removed
  // set, or those of further blocks. Idle: nothing is new, or the chain changed under the step;
  // then nothing was delivered. After an error, what was delivered belongs to no state, and `state`
  // is as it was. kMalformed where the chain is not the one of the state, or was reorganised deeper
  // than the state remembers.
  Result<Step> step(const TailBlock& head, TailState& state, const OnLogRecord& on_record);
  // Whether the search has come to the end of this chain. Where a step is idle before, the chain
  // changed under it, and it is to be done anew.
  bool is_complete(const TailBlock& head, const TailState& state) const;

 private:
  Result<bool> is_canonical(const TailBlock& block, const TailBlock& head);
  Result<std::size_t> common_blocks(const TailBlock& head, const TailState& state);
  Result<bool> may_be_behind(const TailBlock& head, std::size_t common, const TailState& state);
  // Logs of blocks from `from` to `to` that are not on the chain any more.
  Result<std::vector<LogRecord>> lost_logs(const TailBlock& head, std::uint64_t from,
                                           std::uint64_t to, TailState& state);
  Status take_back(const TailBlock& head, std::size_t common, TailState& state,
                   const OnLogRecord& on_record);
  Result<Step> advance(const TailBlock& head, std::uint64_t last, TailState& state,
                       const OnLogRecord& on_record);
  Result<bool> still_holds(const TailBlock& last, const TailState& state,
                           const std::vector<LogRecord>& found);
  Status check_found(const std::vector<LogRecord>& found, std::uint64_t first,
                     std::uint64_t last) const;

  void adapt(std::size_t found);

  LogFeed& feed_;
  SortedQuery query_;
  TailOptions options_;
  // Of a feed that is not steady, whose logs are held until they were looked at again.
  std::uint64_t step_ = 256;
};

}  // namespace bloomery::ethlog
