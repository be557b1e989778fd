#include "apps/ethlog/output/log_tail.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

std::uint64_t before(std::uint64_t number, std::uint64_t blocks) {
  return number > blocks ? number - blocks : 0;
}

// Blocks and logs below the window cannot be taken back any more. One block stays at or below its
// beginning, and the logs behind that one.
void drop_settled(TailState& state, std::uint64_t window) {
  const std::uint64_t settled = before(state.done.back().number, window);
  while (state.done.size() > 1 && state.done[1].number <= settled) {
    state.done.erase(state.done.begin());
    state.whole = false;
  }
  if (state.whole) return;
  const std::uint64_t first = state.done.front().number;
  std::erase_if(state.recent, [&](const LogRecord& log) { return log.block_number <= first; });
}

std::uint64_t next_block(const TailState& state) {
  return state.done.empty() ? state.first : state.done.back().number + 1;
}

}  // namespace

bool LogTail::is_complete(const TailBlock& head, const TailState& state) const {
  return next_block(state) > std::min(head.number, options_.last.value_or(head.number));
}

Result<bool> LogTail::is_canonical(const TailBlock& block, const TailBlock& head) {
  if (block.number > head.number) return false;
  if (block.number == head.number) return block.hash == head.hash;
  const auto hash = feed_.hash_of(block.number);
  if (!hash) return hash.error();
  return *hash == block.hash;
}

// How many of the state's blocks are still on the chain.
Result<std::size_t> LogTail::common_blocks(const TailBlock& head, const TailState& state) {
  for (std::size_t count = state.done.size(); count > 0; --count) {
    const auto canonical = is_canonical(state.done[count - 1], head);
    if (!canonical) return canonical.error();
    if (*canonical) return count;
  }
  if (state.whole) return std::size_t{0};
  return Error{
      ErrorCode::kMalformed,
      message(
          "block ", state.done.back().number, " is not the one whose logs were written, ",
          state.done.back().hash.hex(), ", and neither are those from block ",
          state.done.front().number,
          " on: this is another chain, or a reorganisation reached below the window; begin anew "
          "from a block before it (--from), with another checkpoint")};
}

// A chain that ends below the block that differs may only be behind: where it has the newest
// written log that it can have. Where it was reorganised nevertheless, that is seen once it is
// longer.
Result<bool> LogTail::may_be_behind(const TailBlock& head, std::size_t common,
                                    const TailState& state) {
  if (head.number >= state.done[common].number) return false;
  const auto newest =
      std::find_if(state.recent.rbegin(), state.recent.rend(),
                   [&](const LogRecord& log) { return log.block_number <= head.number; });
  if (newest == state.recent.rend()) return true;
  return is_canonical({newest->block_number, newest->block_hash}, head);
}

Result<LogTail::Step> LogTail::step(const TailBlock& head, TailState& state,
                                    const OnLogRecord& on_record) {
  const auto common = common_blocks(head, state);
  if (!common) return common.error();
  TailState next = state;
  if (*common < state.done.size()) {
    const auto is_behind = may_be_behind(head, *common, state);
    if (!is_behind) return is_behind.error();
    if (*is_behind) return Step::kIdle;
    if (Status s = take_back(head, *common, next, on_record); !s) return s.error();
    state = std::move(next);
    return Step::kAdvanced;
  }
  const std::uint64_t first = next_block(state);
  const std::uint64_t end = std::min(head.number, options_.last.value_or(head.number));
  if (first > end) return Step::kIdle;
  const std::uint64_t settled = before(head.number, options_.window);
  const std::uint64_t step =
      feed_.is_steady() ? options_.step_blocks : std::min(step_, options_.step_blocks);
  const std::uint64_t last =
      first <= settled ? std::min(settled, first + step - 1) : first + options_.recent_step - 1;
  const auto advanced = advance(head, std::min(last, end), next, on_record);
  if (advanced && *advanced == Step::kAdvanced) state = std::move(next);
  return advanced;
}

Result<std::vector<LogRecord>> LogTail::lost_logs(const TailBlock& head, std::uint64_t from,
                                                  std::uint64_t to, TailState& state) {
  std::optional<TailBlock> looked_at;
  bool stays = false;
  std::vector<LogRecord> kept;
  std::vector<LogRecord> lost;
  for (const LogRecord& log : state.recent) {
    const TailBlock block{log.block_number, log.block_hash};
    const bool asked = block.number >= from && block.number <= to;
    if (asked && looked_at != block) {
      const auto canonical = is_canonical(block, head);
      if (!canonical) return canonical.error();
      stays = *canonical;
      looked_at = block;
    }
    (asked && !stays ? lost : kept).push_back(log);
  }
  state.recent = std::move(kept);
  std::reverse(lost.begin(), lost.end());
  for (LogRecord& log : lost) log.removed = true;
  state.logs += lost.size();
  return lost;
}

// Logs of blocks that are still on the chain stay written: the blocks of the state are few, so that
// the last common one may lie far below the place where the chains part.
Status LogTail::take_back(const TailBlock& head, std::size_t common, TailState& state,
                          const OnLogRecord& on_record) {
  const std::uint64_t from = common > 0 ? state.done[common - 1].number + 1 : state.first;
  state.done.resize(common);
  auto lost = lost_logs(head, from, UINT64_MAX, state);
  if (!lost) return lost.error();
  for (LogRecord& log : *lost)
    if (Status s = on_record(std::move(log)); !s) return s;
  return ok();
}

Status LogTail::check_found(const std::vector<LogRecord>& found, std::uint64_t first,
                            std::uint64_t last) const {
  const auto place = [](const LogRecord& log) {
    return std::pair{log.block_number, log.log_index};
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const LogRecord& log = found[i];
    const bool asked = log.block_number >= first && log.block_number <= last && !log.removed &&
                       matches(query_, log.log);
    if (!asked || (i > 0 && place(found[i - 1]) >= place(log)))
      return Error{ErrorCode::kMalformed,
                   message("log ", log.log_index, " of block ", log.block_number, " is ",
                           asked ? "out of order" : "none that was searched for",
                           ": the server does not answer eth_getLogs as it should")};
  }
  return ok();
}

// The blocks at both ends, and near the head every block with a log.
Result<bool> LogTail::still_holds(const TailBlock& last, const TailState& state,
                                  const std::vector<LogRecord>& found) {
  std::vector<TailBlock> blocks{last};
  if (!state.done.empty()) blocks.push_back(state.done.back());
  for (const LogRecord& log : found)
    if (found.back().block_number - log.block_number < options_.recent_step &&
        (blocks.back() != TailBlock{log.block_number, log.block_hash}))
      blocks.push_back({log.block_number, log.block_hash});
  for (const TailBlock& block : blocks) {
    const auto hash = feed_.hash_of(block.number);
    if (!hash) return hash.error();
    if (*hash != block.hash) return false;
  }
  return true;
}

// As many blocks at a time as their logs allow to hold.
void LogTail::adapt(std::size_t found) {
  constexpr std::size_t kFew = 5'000;
  constexpr std::size_t kMany = 20'000;
  if (found < kFew) step_ = std::min(2 * step_, options_.step_blocks);
  if (found > kMany) step_ = std::max<std::uint64_t>(step_ / 2, 1);
}

Result<LogTail::Step> LogTail::advance(const TailBlock& head, std::uint64_t last, TailState& state,
                                       const OnLogRecord& on_record) {
  const std::uint64_t first = next_block(state);
  const auto hash = last == head.number ? Result<std::optional<Hash>>{std::optional{head.hash}}
                                        : feed_.hash_of(last);
  if (!hash) return hash.error();
  if (!*hash && !feed_.is_steady()) return Step::kIdle;
  if (!*hash)
    return Error{ErrorCode::kMalformed, message("block ", last, " is missing in the chain")};
  const TailBlock end{last, **hash};

  const bool steady = feed_.is_steady();
  std::vector<LogRecord> found;
  if (!steady) {
    const Status searched = feed_.logs(query_.query(), first, last, [&](LogRecord&& record) {
      found.push_back(std::move(record));
      return ok();
    });
    if (!searched) return searched.error();
    adapt(found.size());
    if (Status s = check_found(found, first, last); !s) return s.error();
    const auto holds = still_holds(end, state, found);
    if (!holds) return holds.error();
    if (!*holds) return Step::kIdle;
  }

  // Written before a reorganisation below them: taken back now, or still on the chain.
  auto lost = lost_logs(head, first, last, state);
  if (!lost) return lost.error();
  for (LogRecord& log : *lost)
    if (Status s = on_record(std::move(log)); !s) return s.error();
  std::vector<TailBlock> written;
  for (const LogRecord& log : state.recent)
    if (log.block_number >= first) written.push_back({log.block_number, log.block_hash});

  const bool remembered = last > before(head.number, options_.window);
  const auto deliver = [&](LogRecord&& record) -> Status {
    const TailBlock block{record.block_number, record.block_hash};
    if (std::find(written.begin(), written.end(), block) != written.end()) return ok();
    ++state.logs;
    if (remembered) state.recent.push_back(record);
    return on_record(std::move(record));
  };
  if (steady) {
    if (Status s = feed_.logs(query_.query(), first, last, deliver); !s) return s.error();
  } else {
    for (LogRecord& record : found)
      if (Status s = deliver(std::move(record)); !s) return s.error();
  }
  if (!written.empty())
    std::stable_sort(state.recent.begin(), state.recent.end(), [](const auto& a, const auto& b) {
      return std::pair{a.block_number, a.log_index} < std::pair{b.block_number, b.log_index};
    });
  if (!remembered) {  // its logs are final, and so is what lies below
    state.done.clear();
    state.whole = false;
    std::erase_if(state.recent, [&](const LogRecord& log) { return log.block_number <= last; });
  }
  state.done.push_back(end);
  drop_settled(state, options_.window);
  return Step::kAdvanced;
}

}  // namespace bloomery::ethlog
