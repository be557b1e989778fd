// One search over vectors that must be fetched first. It asks for the vectors of the sections ahead
// while it combines those that came, and returns candidate blocks in order. It runs in its caller's
// thread; a VectorFetcher fetches. For vectors in memory, direct_match.h finds the same.
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "apps/ethlog/index/bloombits/section_range.h"
#include "apps/ethlog/index/bloombits/vector_fetcher.h"
#include "apps/ethlog/model/clauses.h"

namespace bloomery::ethlog {

// The last block of a section, which names its vectors.
using SectionHead = std::function<Result<Hash>(std::uint64_t section)>;

struct SessionOptions {
  std::size_t sections_ahead = 64;                // most sections in work at a time
  std::size_t held_bytes = std::size_t{4} << 20;  // of their vectors; one section may take more
};

struct SessionCost {
  std::uint64_t vectors = 0;
  std::uint64_t shared = 0;  // of them, fetched for another search, or kept since
  std::uint64_t bytes = 0;   // as they are stored
};

// For one thread. The fetcher has a thread, and outlives the session.
class MatcherSession {
 public:
  // Blocks from begin to end, both included. Precondition: checked_section_size() takes the size.
  MatcherSession(VectorFetcher& fetcher, std::uint64_t section_size,
                 const std::vector<BitClause>& clauses, std::uint64_t begin, std::uint64_t end,
                 SectionHead head, std::stop_token stop, const SessionOptions& options = {});
  MatcherSession(const MatcherSession&) = delete;
  MatcherSession& operator=(const MatcherSession&) = delete;

  // The candidates of the next section that has any, ascending, never none. Nothing at the end of
  // the range, after an error, and when stopped. Valid until the next call.
  std::optional<std::span<const std::uint64_t>> next_section();
  // Why there are no more candidates, unless the range is done or the search was stopped.
  const std::optional<Error>& error() const { return error_; }
  const SessionCost& cost() const { return cost_; }

 private:
  // The vectors of one clause, by their places in bits_.
  struct Stage {
    std::vector<std::uint32_t> vectors;  // each once
    std::vector<std::uint32_t> rows;     // kProbes for each key
  };
  // A section in work, with the blocks that all clauses so far left.
  struct Portion {
    SectionRange part;
    SectionId id;
    std::vector<std::byte> left;             // empty: no block is left
    std::size_t stage = 0;                   // the next to combine
    std::vector<Scheduler::Handle> vectors;  // by their places in bits_; null: not asked for
    std::vector<std::uint32_t> uncounted;    // places of vectors that cost_ does not have yet
  };
  Stage stage_of(const BitClause& clause) const;
  bool is_done(const Portion& portion) const {
    return portion.left.empty() || portion.stage == stages_.size();
  }
  bool begin_sections();
  void ask_for_vectors(Portion& portion);
  void advance();
  bool await_first();
  void combine(Portion& portion);
  bool fail(Error error);

  VectorFetcher& fetcher_;
  const std::uint64_t section_size_;
  const std::uint64_t begin_;
  const std::uint64_t end_;
  const SectionHead head_;
  const std::stop_token stop_;
  std::vector<std::uint32_t> bits_;  // of all clauses, each once
  std::vector<Stage> stages_;
  std::size_t most_portions_;
  std::optional<std::uint64_t> next_;  // the section to begin next
  std::deque<Portion> portions_;       // ascending
  std::vector<const std::byte*> rows_;
  std::vector<std::uint64_t> blocks_;
  SessionCost cost_;
  std::optional<Error> error_;
};

}  // namespace bloomery::ethlog
