#include "apps/ethlog/serve/rpc_search.h"

#include <algorithm>
#include <condition_variable>
#include <system_error>
#include <thread>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostTries = 3;                     // when the chain is reorganised meanwhile
constexpr std::uint64_t kSmallestWindow = 4'096;  // blocks
constexpr std::uint64_t kFirstWindows = 64;       // parts of the range that the first window is one

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return "[" + to_quantity(first) + ", " + to_quantity(last) + "]";
}

std::string range_data(std::uint64_t first, std::uint64_t last) {
  return R"({"from":")" + to_quantity(first) + R"(","to":")" + to_quantity(last) + "\"}";
}

// Ends a search at a moment, also where it only looks whether it was stopped.
class Alarm {
 public:
  Alarm(std::optional<Clock::time_point> when, const std::stop_token& outer)
      : outer_{outer, [this] { stop_.request_stop(); }} {
    if (!when) return;
    try {
      thread_ = std::jthread{[this, when = *when](const std::stop_token& over) {
        std::unique_lock lock{mutex_};
        // True: the search was over before.
        if (!wake_.wait_until(lock, over, when, [&] { return over.stop_requested(); }))
          if (!over.stop_requested()) stop_.request_stop();
      }};
    } catch (const std::system_error&) {
      // No more threads: the search looks at the clock itself, with every candidate.
    }
  }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> outer_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

class BoundedSearch {
 public:
  BoundedSearch(const LiveChain& chain, const std::shared_ptr<SearchThreads>& threads,
                const LogQuery& query, const SearchLimits& limits, const SearchEnd& end,
                std::string& out, LogPage* page)
      : chain_{chain},
        threads_{threads},
        query_{query},
        limits_{limits},
        end_{end},
        out_{out},
        start_{out.size()},
        page_{page} {}

  std::optional<RpcError> run() {
    for (int tries = 1;; ++tries) {
      begin();
      const std::uint64_t before = chain_.reorganisations();
      auto error = query_.block_hash ? search(query_) : by_windows();
      const bool changed = !query_.block_hash && chain_.reorganisations() != before;
      if (changed && tries < kMostTries && !timed_out()) continue;
      if (changed && (!error || error->code == kRpcFailed))
        error = failed("the chain was reorganised during the search: ask again");
      if (error) out_.resize(start_);
      return error;
    }
  }

  QueryReport report;
  std::uint64_t matching_blocks = 0;

 private:
  void begin() {
    report = {};
    matching_blocks = 0;
    out_.resize(start_);
    out_ += '[';
    logs_ = 0;
    complete_.reset();
    last_block_.reset();
    ended_.reset();
    page_ended_ = false;
    if (page_ != nullptr) page_->next.reset();
  }

  bool timed_out() const { return end_.deadline && Clock::now() >= *end_.deadline; }

  std::optional<RpcError> by_windows() {
    const auto resolved = resolve_range(chain_.reader(), query_, BeyondHead::kError);
    if (!resolved) return search_error(resolved.error());
    if (const Status there = check_none_lost(chain_.reader(), query_, *resolved); !there)
      return lost_blocks(there.error());
    if (!*resolved) return finish();
    BlockRange range = **resolved;
    if (page_ != nullptr) page_->last = range.last;
    if (auto error = check_range(range)) return error;
    report.range = range;
    // A thread costs more than a small search, which looks at the clock often enough itself.
    std::optional<Alarm> alarm;
    if (range.last - range.first > kSmallestWindow) alarm.emplace(end_.deadline, end_.stop);
    stop_ = alarm ? alarm->token() : end_.stop;
    LogQuery window = query_;
    std::uint64_t size = std::max(kSmallestWindow, (range.last - range.first) / kFirstWindows);
    for (std::uint64_t first = range.first;;) {
      const std::uint64_t last = range.last - first < size ? range.last : first + size - 1;
      window.from = BlockBound{BlockTag::kNumber, first};
      window.to = BlockBound{BlockTag::kNumber, last};
      if (auto error = search(window)) return error;
      if (page_ended_) return finish();
      if (last == range.last) {
        if (page_ != nullptr && last < *page_->last) page_->next = LogPosition{last + 1, 0};
        return finish();
      }
      complete_ = last;
      first = last + 1;
      size *= 2;
    }
  }

  // The range to import again is in the error's data.
  RpcError lost_blocks(const Error& error) const {
    const auto lost = chain_.reader().lost();
    if (lost.empty()) return search_error(error);
    return {kRpcFailed, error.message, range_data(lost.front().first, lost.back().last)};
  }

  // A page that would be of too many blocks is cut.
  std::optional<RpcError> check_range(BlockRange& range) const {
    const auto lowest = chain_.reader().lowest();
    if (!lowest) return search_error(lowest.error());
    if (*lowest && range.first < **lowest)
      return RpcError{kRpcPruned, "pruned history unavailable"};
    if (limits_.range == 0 || range.last - range.first <= limits_.range) return std::nullopt;
    const std::uint64_t last = range.first + limits_.range;
    if (page_ != nullptr) {
      range.last = last;
      return std::nullopt;
    }
    return RpcError{kRpcInvalidParams,
                    message("exceed maximum block range ", limits_.range,
                            "; this block range should work: ", range_text(range.first, last)),
                    range_data(range.first, last)};
  }

  std::optional<RpcError> search(const LogQuery& query) {
    auto sources = sources_of(chain_.reader(), threads_);
    if (!sources) return search_error(sources.error());
    const LogSearch searcher{chain_.reader(), std::move(*sources)};
    const auto found = searcher.run(query, {.stop = stop_, .deadline = end_.deadline},
                                    [&](const FoundLog& log) { return take(log); });
    if (!found) return search_error(found.error());
    if (!report.range) report.range = found->range;
    report += *found;
    if (ended_) return ended_;
    if (page_ended_) return std::nullopt;
    if (found->end == QueryEnd::kComplete) return query_.block_hash ? finish() : std::nullopt;
    report.end = found->end;
    if (page_ != nullptr && timed_out() && end_page_late()) return std::nullopt;
    return timed_out() ? late() : RpcError{kRpcTimedOut, "request cancelled"};
  }

  // False: a limit is reached, and `ended_` says which.
  bool take(const FoundLog& log) {
    const std::uint64_t block = log.block.header.number;
    if (page_ != nullptr && block == page_->first.block && log.log_index < page_->first.log)
      return true;
    if (last_block_ != block) {
      if (report.range && block > report.range->first) complete_ = block - 1;
      last_block_ = block;
      matching_blocks += 1;
    }
    if (page_ != nullptr && logs_ == page_->limit) {
      end_page({block, log.log_index});
      return false;
    }
    last_log_ = log.log_index;
    if (limits_.results > 0 && logs_ == limits_.results) {
      ended_ = too_many(block);
      return false;
    }
    const std::size_t before = out_.size();
    if (logs_ > 0) out_ += ',';
    append_log_json(out_, log);
    logs_ += 1;
    if (out_.size() - start_ <= limits_.response_bytes) return true;
    if (page_ != nullptr && logs_ > 1) {
      out_.resize(before);
      end_page({block, log.log_index});
      return false;
    }
    ended_ = too_large(block);
    return false;
  }

  void end_page(const LogPosition& next) {
    page_->next = next;
    page_ended_ = true;
  }

  // What was searched in time is a page. False: it is nothing.
  bool end_page_late() {
    const bool in_a_block = last_block_ && (!complete_ || *last_block_ > *complete_);
    if (!in_a_block && !complete_) return false;
    end_page(in_a_block ? LogPosition{*last_block_, last_log_ + 1}
                        : LogPosition{*complete_ + 1, 0});
    return true;
  }

  // The blocks before this one fit; of a single block nothing smaller can be asked but its logs.
  RpcError with_advice(int code, std::string text, std::uint64_t block) const {
    const std::uint64_t first = report.range ? report.range->first : block;
    if (block == first)
      return {code, text + message(" Block ", to_quantity(block),
                                   " alone has too many: ask for fewer addresses or topics.")};
    return {code, text + " Try with this block range " + range_text(first, block - 1) + ".",
            range_data(first, block - 1)};
  }
  RpcError too_many(std::uint64_t block) const {
    return with_advice(kRpcLimit,
                       message("query returned more than ", limits_.results, " results."), block);
  }
  RpcError too_large(std::uint64_t block) const {
    return with_advice(kRpcResponseTooLarge,
                       message("response too large: more than ", limits_.response_bytes, " bytes."),
                       block);
  }
  RpcError late() const {
    const std::string text = message("request timed out after ", limits_.time.count(), " ms");
    if (!complete_ || !report.range)
      return {kRpcTimedOut, text + " in the first blocks; request a smaller block range"};
    return {kRpcTimedOut,
            text + message(", searched up to block ", to_quantity(*complete_),
                           "; this block range should work: ",
                           range_text(report.range->first, *complete_)),
            range_data(report.range->first, *complete_)};
  }

  std::optional<RpcError> finish() {
    out_ += ']';
    return std::nullopt;
  }

  const LiveChain& chain_;
  const std::shared_ptr<SearchThreads>& threads_;
  const LogQuery& query_;
  const SearchLimits& limits_;
  const SearchEnd& end_;
  std::string& out_;
  std::size_t start_;
  std::stop_token stop_ = end_.stop;
  std::uint64_t logs_ = 0;
  std::optional<std::uint64_t> complete_;    // up to this block everything was looked at
  std::optional<std::uint64_t> last_block_;  // the last one that a log was in
  std::uint64_t last_log_ = 0;               // its number in that block
  std::optional<RpcError> ended_;
  LogPage* page_;  // null: limits are errors
  bool page_ended_ = false;
};

}  // namespace

std::optional<RpcError> check_sizes(const LogQuery& query, const SearchLimits& limits) {
  const auto too_many = [&](std::size_t count) {
    return limits.addresses > 0 && count > limits.addresses;
  };
  if (too_many(query.addresses.size()) ||
      std::ranges::any_of(query.topics, [&](const auto& list) { return too_many(list.size()); }))
    return failed("exceed max addresses or topics per search position");
  return std::nullopt;
}

std::optional<RpcError> append_found_logs(const LiveChain& chain,
                                          const std::shared_ptr<SearchThreads>& threads,
                                          const LogQuery& query, const SearchLimits& limits,
                                          const SearchEnd& end, std::string& out, SearchCost& cost,
                                          LogPage* page) {
  if (auto error = check_sizes(query, limits)) return error;
  const auto begun = Clock::now();
  BoundedSearch search{chain, threads, query, limits, end, out, page};
  auto error = search.run();
  cost.report = std::move(search.report);
  cost.matching_blocks = search.matching_blocks;
  cost.time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  return error;
}

}  // namespace bloomery::ethlog
