#include "apps/ethlog/index/bloombits/matcher.h"

#include <system_error>

#include "apps/ethlog/index/bloombits/section_range.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {

Matcher::Matcher(std::uint64_t section_size, const std::vector<BitClause>& clauses)
    : section_size_{section_size} {
  for (const BitClause& clause : clauses) {
    MatcherStage& stage = stages_.emplace_back();
    for (const KeyBits& key : clause)
      for (const std::uint32_t bit : key)
        stage.push_back(&schedulers_.try_emplace(bit, bit).first->second);
  }
  std::erase_if(stages_, [](const MatcherStage& stage) { return stage.empty(); });
}

Result<std::unique_ptr<MatcherSession>> Matcher::start(std::uint64_t begin, std::uint64_t end,
                                                       FetchVectors fetch,
                                                       const MatcherOptions& options,
                                                       std::stop_token stop) {
  if (auto valid = checked_section_size(section_size_); !valid) return valid.error();
  if (options.queued_sections == 0 || options.fetch_threads == 0 || options.batch_sections == 0)
    return Error{ErrorCode::kInvalidArgument,
                 "a search needs a thread that fetches, and room for a section in its queues and "
                 "batches"};
  if (running_.exchange(true)) return Error{ErrorCode::kInvalidArgument, "matcher already running"};
  for (auto& [bit, scheduler] : schedulers_) scheduler.reset();
  const MatcherSession::Plan plan{section_size_, begin, end, options};
  std::unique_ptr<MatcherSession> session{
      new MatcherSession{plan, stages_, std::move(fetch), running_}};
  try {
    session->run(std::move(stop));
  } catch (
      const std::system_error& failed) {  // no more threads: the session's end joins the others
    return Error{ErrorCode::kTooLarge,
                 message("the search could not start its threads: ", failed.what())};
  }
  return session;
}

}  // namespace bloomery::ethlog
