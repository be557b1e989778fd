#include "apps/ethlog/search/log_search.h"

#include <algorithm>
#include <map>

#include "apps/ethlog/model/log_match.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

struct Piece {
  BlockRange range;
  const CandidateSource* source;  // null: header blooms
};

using Clock = std::chrono::steady_clock;

// The stage that time goes to: one at a time, and back to the one before at the end of a scope.
class Stopwatch {
 public:
  class Stage {
   public:
    Stage(Stopwatch& watch, Clock::duration& stage)
        : watch_{watch}, before_{watch.turn_to(&stage)} {}
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage() { watch_.turn_to(before_); }

   private:
    Stopwatch& watch_;
    Clock::duration* before_;
  };

 private:
  Clock::duration* turn_to(Clock::duration* stage) {
    const Clock::time_point now = Clock::now();
    if (stage_ != nullptr) *stage_ += now - since_;
    since_ = now;
    return std::exchange(stage_, stage);
  }
  Clock::duration* stage_ = nullptr;
  Clock::time_point since_;
};

// A source in a search: what it did, and how it checks candidates.
struct Source {
  SourceReport report;
  CandidateSource::Check check;  // null: it does not
};

// One search under way.
class Run {
 public:
  Run(const ChainReader& reader, std::span<const CandidateSource> sources, const LogQuery& query,
      const QueryOptions& options, const OnLog& on_log)
      : reader_{reader},
        sources_{sources},
        sorted_{query},
        options_{options},
        on_log_{on_log},
        clauses_{bit_clauses(clauses_of(query_))} {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Status block_hash() {
    const Hash& hash = *query_.block_hash;
    const auto number = reader_.number_of(hash);
    if (!number) return number.error();
    const auto header = *number ? reader_.header(**number, hash)
                                : Result<std::optional<Header>>{std::optional<Header>{}};
    if (!header) return header.error();
    if (!*header) return Error{ErrorCode::kInvalidArgument, "unknown block"};
    report.range = BlockRange{**number, **number};
    report.header_blooms = 1;
    const Stopwatch::Stage stage{watch_, report.times.headers};
    if (!may_match((*header)->bloom, clauses_)) return ok();
    return look_into(**number, hash);
  }

  Status range() {
    std::vector<Piece> pieces;
    if (Status s = find_pieces(pieces); !s) return s;
    for (const Piece& piece : pieces) {
      const Status searched = piece.source == nullptr ? by_header_blooms(piece.range)
                              : options_.newest_first ? backwards(piece)
                                                      : forwards(piece, piece.range);
      if (!searched) return searched;
      if (ended_) break;
    }
    return ok();
  }

  // Called once, at the end.
  void add_up() {
    for (const CandidateSource& source : sources_) {
      const auto at = used_.find(&source);
      if (at == used_.end()) continue;
      const SourceReport& one = at->second.report;
      report.sources.push_back(one);
      report.indexed_blocks += one.blocks;
      report.candidates += one.candidates;
      report.false_positives += one.refused;
      report.index += one.cost;
    }
  }

  QueryReport report;

 private:
  Status find_pieces(std::vector<Piece>& pieces) {
    const Stopwatch::Stage stage{watch_, report.times.planning};
    const auto resolved = resolve_range(reader_, query_, options_.beyond_head);
    if (!resolved) return resolved.error();
    report.range = *resolved;
    if (options_.missing == MissingBlocks::kError)
      if (Status s = check_none_lost(reader_, query_, *resolved); !s) return s;
    if (!*resolved) return ok();
    if (Status s = plan(**resolved, 0, pieces); !s) return s;
    if (options_.newest_first) std::ranges::reverse(pieces);
    return ok();
  }

  // A source that a piece of the range goes to.
  Source& use(const Piece& piece) {
    const auto [at, fresh] = used_.try_emplace(piece.source);
    if (fresh) at->second.report.name = piece.source->name;
    if (fresh && piece.source->checker) at->second.check = piece.source->checker(query_);
    at->second.report.blocks += piece.range.last - piece.range.first + 1;
    return at->second;
  }

  // Every part of the range goes to the first source that covers it.
  Status plan(BlockRange range, std::size_t source, std::vector<Piece>& pieces) const {
    if (source == sources_.size()) {
      pieces.push_back({range, nullptr});
      return ok();
    }
    for (;;) {
      const auto covered = sources_[source].covered(range);
      if (!covered) return covered.error();
      if (!*covered) return plan(range, source + 1, pieces);
      const BlockRange part = **covered;
      if (part.first > range.first)
        if (Status s = plan({range.first, part.first - 1}, source + 1, pieces); !s) return s;
      pieces.push_back({part, &sources_[source]});
      if (part.last >= range.last) return ok();
      range.first = part.last + 1;
    }
  }

  Status forwards(const Piece& piece, const BlockRange& range) {
    Source& source = use(piece);
    const Stopwatch::Stage stage{watch_, report.times.index};
    Status outcome = ok();
    const auto visit = [&](std::uint64_t number) {
      outcome = look_at(source, number);
      return outcome.has_value() && !ended();
    };
    const Status found =
        piece.source->candidates(query_, range, visit, options_.stop, source.report.cost);
    ended();
    return outcome ? found : outcome;
  }

  // A candidate: checked first, where its index can.
  Status look_at(Source& source, std::uint64_t number) {
    source.report.candidates += 1;
    if (source.check) {
      const Stopwatch::Stage stage{watch_, report.times.checking};
      const auto matches = source.check(number, source.report.cost);
      if (!matches) return matches.error();
      source.report.checked += 1;
      source.report.refused += *matches ? 0 : 1;
      if (!*matches) return ok();
    }
    return look_into(number);
  }

  Status backwards(const Piece& piece) {
    Source& source = use(piece);
    const Stopwatch::Stage stage{watch_, report.times.index};
    BlockRange rest = piece.range;
    while (!ended()) {
      const std::uint64_t first =
          std::max(rest.first, rest.last / options_.step_back * options_.step_back);
      std::vector<std::uint64_t> candidates;
      const auto collect = [&](std::uint64_t number) {
        candidates.push_back(number);
        return true;
      };
      if (Status s = piece.source->candidates(query_, {first, rest.last}, collect, options_.stop,
                                              source.report.cost);
          !s)
        return s;
      for (auto at = candidates.rbegin(); at != candidates.rend() && !ended(); ++at) {
        if (Status s = look_at(source, *at); !s) return s;
      }
      if (first == rest.first) break;
      rest.last = first - 1;
    }
    return ok();
  }

  Status by_header_blooms(const BlockRange& range) {
    const Stopwatch::Stage stage{watch_, report.times.headers};
    const std::uint64_t count = range.last - range.first + 1;
    for (std::uint64_t i = 0; i < count && !ended(); ++i) {
      const std::uint64_t number = options_.newest_first ? range.last - i : range.first + i;
      const auto header = reader_.header(number);
      if (!header) return header.error();
      if (!*header && options_.missing == MissingBlocks::kError) return missing(number, range.last);
      if (!*header) {
        const auto gap = missing_from(number, range.last);
        if (!gap) return gap.error();
        report.missing_blocks += *gap;
        i += *gap - 1;
        continue;
      }
      if (Status s = check_link(**header); !s) return s;
      report.header_blooms += 1;
      if (!may_match((*header)->bloom, clauses_)) continue;
      if ((*header)->bloom.is_zero()) continue;  // no log at all
      if (Status s = look_into(number, (*header)->hash); !s) return s;
    }
    return ok();
  }

  Status missing(std::uint64_t number, std::uint64_t last) const {
    const auto count = missing_from(number, last);
    if (!count) return count.error();
    const BlockRange gap{number, number + *count - 1};
    return Error{ErrorCode::kIo,
                 message("header not found: ", text_of_ranges({&gap, 1}),
                         *count == 1 ? " is" : " are", " in the range, but not in the store")};
  }

  // A block is the parent of the next. Blocks come in order, ascending or descending.
  Status check_link(const Header& header) {
    const std::optional<Neighbour> before =
        std::exchange(neighbour_, Neighbour{header.number, header.hash, header.parent_hash});
    if (!before) return ok();
    const bool above = before->number + 1 == header.number;
    const bool below = header.number + 1 == before->number;
    const std::optional<Hash> parent = above ? header.parent_hash : before->parent;
    const Hash& wanted = above ? before->hash : header.hash;
    if ((!above && !below) || !parent || *parent == wanted) return ok();
    const std::uint64_t child = std::max(header.number, before->number);
    return Error{ErrorCode::kMalformed,
                 message("block ", child, " does not follow from block ", child - 1,
                         ": its parent is ", parent->hex(), ", but ", wanted.hex(), " is stored")};
  }

  // How many blocks a gap has from here on; backwards it is passed block by block.
  Result<std::uint64_t> missing_from(std::uint64_t number, std::uint64_t last) const {
    if (options_.newest_first) return std::uint64_t{1};
    const auto next = reader_.next_block(number + 1);
    if (!next) return next.error();
    return std::min(next->value_or(last + 1), last + 1) - number;
  }

  Status look_into(std::uint64_t number) {
    const auto hash = reader_.canonical_hash(number);
    if (!hash) return hash.error();
    if (!*hash) return unreadable(number, Hash{});
    return look_into(number, **hash);
  }

  Status look_into(std::uint64_t number, const Hash& hash) {
    const Stopwatch::Stage stage{watch_, report.times.reading};
    const auto block = reader_.block(number, hash);
    if (!block) return block.error();
    if (*block == nullptr) return unreadable(number, hash);
    if (!(*block)->has_receipts)
      return unreadable(number, hash,
                        ": its receipts are not stored; import the block again with its receipts "
                        "(eth import)");
    report.blocks_read += 1;
    const std::uint64_t before = report.logs;
    if (deliver(**block) && report.logs == before) report.false_positives += 1;
    return ok();
  }

  static Error unreadable(std::uint64_t number, const Hash& hash, std::string_view why = "") {
    const std::string hex = hash.hex();
    return {ErrorCode::kIo, message("failed to get logs for block #", number, " (",
                                    hex.substr(0, 8), "..", hex.substr(hex.size() - 6), ")", why)};
  }

  // False when the receiver or the limit ended it.
  bool deliver(const ImportedBlock& block) {
    const Stopwatch::Stage stage{watch_, report.times.matching};
    std::vector<FoundLog> found;
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < block.receipts.size(); ++i)
      for (const Log& log : block.receipts[i].logs) {
        if (matches(sorted_, log)) found.push_back({block, i, index, log});
        ++index;
      }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const FoundLog& log = found[options_.newest_first ? found.size() - 1 - i : i];
      if (options_.limit && report.logs >= *options_.limit) return end(QueryEnd::kLimit);
      report.logs += 1;
      if (!on_log_(log)) return end(QueryEnd::kLimit);
    }
    return true;
  }

  bool end(QueryEnd why) {
    if (!ended_) report.end = why;
    ended_ = true;
    return false;
  }

  bool ended() {
    if (ended_) return true;
    if (options_.stop.stop_requested()) end(QueryEnd::kStopped);
    if (options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline)
      end(QueryEnd::kDeadline);
    if (options_.limit && report.logs >= *options_.limit) end(QueryEnd::kLimit);
    return ended_;
  }

  const ChainReader& reader_;
  std::span<const CandidateSource> sources_;
  SortedQuery sorted_;
  const LogQuery& query_ = sorted_.query();
  const QueryOptions& options_;
  const OnLog& on_log_;
  std::vector<BitClause> clauses_;
  bool ended_ = false;
  struct Neighbour {
    std::uint64_t number;
    Hash hash;
    std::optional<Hash> parent;
  };
  std::optional<Neighbour> neighbour_;  // the last header that was looked at
  std::map<const CandidateSource*, Source> used_;
  Stopwatch watch_;
};

}  // namespace

Result<QueryReport> LogSearch::run(const LogQuery& query, const QueryOptions& options,
                                   const OnLog& on_log) const {
  Run run{reader_, sources_, query, options, on_log};
  const Status done = query.block_hash ? run.block_hash() : run.range();
  if (!done) return done.error();
  run.add_up();
  return run.report;
}

}  // namespace bloomery::ethlog
