#include "apps/ethlog/index/bloombits/matcher_session.h"

#include <algorithm>
#include <utility>

#include "apps/ethlog/model/block_numbers.h"
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::ethlog {

MatcherSession::Stage MatcherSession::stage_of(const BitClause& clause) const {
  Stage stage;
  for (const KeyBits& key : clause)
    for (const std::uint32_t bit : key)
      stage.rows.push_back(
          static_cast<std::uint32_t>(std::ranges::lower_bound(bits_, bit) - bits_.begin()));
  stage.vectors = stage.rows;
  std::ranges::sort(stage.vectors);
  stage.vectors.erase(std::unique(stage.vectors.begin(), stage.vectors.end()), stage.vectors.end());
  return stage;
}

MatcherSession::MatcherSession(VectorFetcher& fetcher, std::uint64_t section_size,
                               const std::vector<BitClause>& clauses, std::uint64_t begin,
                               std::uint64_t end, SectionHead head, std::stop_token stop,
                               const SessionOptions& options)
    : fetcher_{fetcher},
      section_size_{section_size},
      begin_{begin},
      end_{end},
      head_{std::move(head)},
      stop_{std::move(stop)},
      bits_{bits_of_clauses(clauses)} {
  for (const BitClause& clause : clauses)
    if (!clause.empty()) stages_.push_back(stage_of(clause));
  const std::size_t section_bytes =
      static_cast<std::size_t>(section_size / 8) * std::max<std::size_t>(bits_.size(), 1);
  most_portions_ =
      std::clamp<std::size_t>(options.held_bytes / section_bytes, 1, options.sections_ahead);
  if (begin <= end) next_ = begin / section_size;
}

bool MatcherSession::fail(Error error) {
  error_ = std::move(error);
  portions_.clear();
  return false;
}

bool MatcherSession::begin_sections() {
  while (next_ && portions_.size() < most_portions_) {
    const std::uint64_t section = *next_;
    // An error of a section ahead is an error once the search comes to it.
    const auto head = stages_.empty() ? Result<Hash>{Hash{}} : head_(section);
    if (!head) return !portions_.empty() || fail(head.error());
    Portion& portion = portions_.emplace_back();
    portion.part = range_in_section(section, begin_, end_, section_size_);
    portion.id = {section, *head};
    portion.left.assign(static_cast<std::size_t>(section_size_ / 8), std::byte{0xff});
    next_ = section == end_ / section_size_ ? std::nullopt : std::optional{section + 1};
    ask_for_vectors(portion);
  }
  return true;
}

void MatcherSession::ask_for_vectors(Portion& portion) {
  if (is_done(portion)) {
    portion.vectors.clear();
    return;
  }
  portion.vectors.resize(bits_.size());
  for (const std::uint32_t place : stages_[portion.stage].vectors) {
    if (portion.vectors[place] != nullptr) continue;  // an earlier clause has it too
    Scheduler::Asked asked = fetcher_.ask(bits_[place], portion.id);
    cost_.vectors += 1;
    cost_.shared += asked.fresh ? 0 : 1;
    portion.vectors[place] = std::move(asked.vector);
    portion.uncounted.push_back(place);
  }
}

// Precondition: all its vectors came. A section of which no block is left goes no further: nothing
// is fetched for its later clauses.
void MatcherSession::combine(Portion& portion) {
  const Stage& stage = stages_[portion.stage];
  rows_.clear();
  for (const std::uint32_t row : stage.rows)
    rows_.push_back(portion.vectors[row]->outcome()->bits.data());
  for (const std::uint32_t place : portion.uncounted)
    cost_.bytes += portion.vectors[place]->outcome()->stored_bytes;
  portion.uncounted.clear();
  const bool any = simd::active_bit_matrix_kernels().keep_any(
      rows_.data(), rows_.size() / kProbes, kProbes, portion.left.data(), portion.left.size());
  if (!any) portion.left.clear();
  portion.stage += 1;
  ask_for_vectors(portion);
}

// Combines what came, the lowest sections first, so that their next clauses are fetched meanwhile.
void MatcherSession::advance() {
  const auto came = [this](const Scheduler::Handle& vector) {
    return vector->is_ready() && vector->outcome() &&
           vector->outcome()->bits.size() == section_size_ / 8;
  };
  for (Portion& portion : portions_) {
    while (!is_done(portion) &&
           std::ranges::all_of(stages_[portion.stage].vectors,
                               [&](std::uint32_t place) { return came(portion.vectors[place]); }))
      combine(portion);
    if (!is_done(portion) && portion.stage == 0) return;
  }
}

// Waits for the vectors of the lowest section. False: one failed, or the search was stopped.
bool MatcherSession::await_first() {
  const Portion& first = portions_.front();
  for (const std::uint32_t place : stages_[first.stage].vectors) {
    if (!fetcher_.await(first.vectors[place], stop_)) return false;
    const Result<FetchedVector>& outcome = first.vectors[place]->outcome();
    if (!outcome) return fail(Error{outcome.error()});
    if (outcome->bits.size() != section_size_ / 8)
      return fail(wrong_vector(bits_[place], first.id.number, outcome->bits.size(), section_size_));
  }
  return true;
}

std::optional<std::span<const std::uint64_t>> MatcherSession::next_section() {
  while (!stop_.stop_requested() && !error_ && begin_sections() && !portions_.empty()) {
    advance();
    Portion& first = portions_.front();
    if (!is_done(first)) {
      if (!await_first()) break;
      continue;
    }
    blocks_.clear();
    if (!first.left.empty())
      append_blocks(first.left, first.part.start, first.part.first, first.part.last, blocks_);
    portions_.pop_front();
    if (!blocks_.empty()) return std::span<const std::uint64_t>{blocks_};
  }
  portions_.clear();
  return std::nullopt;
}

}  // namespace bloomery::ethlog
