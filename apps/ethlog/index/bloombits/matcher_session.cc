#include "apps/ethlog/index/bloombits/matcher_session.h"

#include <exception>
#include <system_error>

#include "apps/ethlog/index/bloombits/section_range.h"
#include "apps/ethlog/model/block_numbers.h"
#include "apps/ethlog/model/clauses.h"
#include "bloomery/base/message.h"
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::ethlog {

MatcherSession::MatcherSession(const Plan& plan, std::span<const MatcherStage> stages,
                               FetchVectors fetch, std::atomic<bool>& running)
    : plan_{plan},
      stages_{stages},
      fetch_{std::move(fetch)},
      running_{running},
      results_{plan.options.queued_sections} {
  for (const MatcherStage& stage : stages_)
    for (Scheduler* scheduler : stage) schedulers_.emplace(scheduler->bit(), scheduler);
  for (std::size_t i = 0; i <= stages_.size(); ++i)
    entering_.emplace_back(plan.options.queued_sections);
  for (std::size_t i = 0; i < stages_.size(); ++i)
    asked_.emplace_back(plan.options.queued_sections);
}

void MatcherSession::run(std::stop_token outer) {
  outer_stop_.emplace(std::move(outer), [this] { stop_.request_stop(); });
  spawn(&MatcherSession::emit_sections, 0);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    spawn(&MatcherSession::ask_for_vectors, i);
    spawn(&MatcherSession::combine_vectors, i);
  }
  spawn(&MatcherSession::collect_blocks, 0);
  if (stages_.empty()) return;  // nothing will be fetched
  spawn(&MatcherSession::fetch_vectors, 0);
  try {
    for (std::size_t i = 1; i < plan_.options.fetch_threads; ++i)
      spawn(&MatcherSession::fetch_vectors, 0);
  } catch (const std::system_error&) {  // no more threads: those that run fetch everything
  }
}

void MatcherSession::spawn(void (MatcherSession::*work)(std::size_t), std::size_t argument) {
  threads_.emplace_back([this, work, argument] {
    try {
      (this->*work)(argument);
    } catch (const std::exception& thrown) {
      fail({ErrorCode::kIo, message("the search ended early: ", thrown.what())});
    }
  });
}

void MatcherSession::fail(Error error) {
  {
    const std::lock_guard lock{error_mutex_};
    if (!error_) error_ = std::move(error);
  }
  stop_.request_stop();
}

std::optional<Error> MatcherSession::error() const {
  const std::lock_guard lock{error_mutex_};
  return error_;
}

void MatcherSession::close() {
  outer_stop_.reset();
  stop_.request_stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (!closed_) running_ = false;
  closed_ = true;
}

std::optional<std::vector<std::uint64_t>> MatcherSession::next_section() {
  return results_.pop(stop_.get_token());
}

std::optional<std::uint64_t> MatcherSession::next() {
  if (current_at_ == current_.size()) {
    auto blocks = next_section();
    if (!blocks) return std::nullopt;
    current_ = std::move(*blocks);
    current_at_ = 0;
  }
  return current_[current_at_++];
}

void MatcherSession::emit_sections(std::size_t /*unused*/) {
  const auto stop = stop_.get_token();
  const std::vector<std::byte> all(static_cast<std::size_t>(plan_.section_size / 8),
                                   std::byte{0xff});
  for_each_section(plan_.begin, plan_.end, plan_.section_size, [&](const SectionRange& part) {
    return entering_.front().push({part.section, all}, stop);
  });
  entering_.front().close();
}

// Runs ahead of combine_vectors, so that the vectors of the sections that follow are fetched
// meanwhile.
void MatcherSession::ask_for_vectors(std::size_t stage) {
  const auto stop = stop_.get_token();
  while (auto portion = entering_[stage].pop(stop)) {
    for (Scheduler* scheduler : stages_[stage])
      if (scheduler->ask(portion->section))
        distributor_.request(scheduler->bit(), portion->section);
    if (!asked_[stage].push(std::move(*portion), stop)) break;
  }
  asked_[stage].close();
}

// A section that no block is left of goes no further: nothing is fetched for it by later clauses.
void MatcherSession::combine_vectors(std::size_t stage) {
  const auto stop = stop_.get_token();
  const auto& kernels = simd::active_bit_matrix_kernels();
  const MatcherStage& schedulers = stages_[stage];
  std::vector<const std::byte*> rows(schedulers.size());
  while (auto portion = asked_[stage].pop(stop)) {
    for (std::size_t i = 0; i < schedulers.size(); ++i) {
      const auto vector = schedulers[i]->await(portion->section, stop);
      if (!vector) return;
      rows[i] = vector->data();
    }
    std::vector<std::byte>& bits = portion->bits;
    if (!kernels.keep_any(rows.data(), rows.size() / kProbes, kProbes, bits.data(), bits.size()))
      continue;
    if (!entering_[stage + 1].push(std::move(*portion), stop)) break;
  }
  entering_[stage + 1].close();
}

void MatcherSession::collect_blocks(std::size_t /*unused*/) {
  const auto stop = stop_.get_token();
  while (auto portion = entering_.back().pop(stop)) {
    const SectionRange part =
        range_in_section(portion->section, plan_.begin, plan_.end, plan_.section_size);
    std::vector<std::uint64_t> blocks;
    append_blocks(portion->bits, part.start, part.first, part.last, blocks);
    if (!blocks.empty() && !results_.push(std::move(blocks), stop)) break;
  }
  results_.close();
}

void MatcherSession::fetch_vectors(std::size_t /*unused*/) {
  const auto stop = stop_.get_token();
  const MatcherOptions& options = plan_.options;
  while (const auto bit = distributor_.allocate(stop)) {
    if (distributor_.pending(*bit) < options.batch_sections)
      distributor_.gather(*bit, options.batch_sections, options.batch_wait, stop);
    if (stop.stop_requested()) return;
    const std::vector<std::uint64_t> sections = distributor_.take(*bit, options.batch_sections);
    auto vectors = fetch_({*bit, sections, stop});
    if (!vectors) return fail(vectors.error());
    if (!deliver(*bit, sections, std::move(*vectors))) return;
  }
}

bool MatcherSession::deliver(std::uint32_t bit, std::span<const std::uint64_t> sections,
                             std::vector<std::vector<std::byte>> vectors) {
  if (vectors.size() != sections.size()) {
    fail({ErrorCode::kIo, message("of bit ", bit, ' ', sections.size(),
                                  " vectors were asked for and ", vectors.size(), " came")});
    return false;
  }
  std::vector<std::uint64_t> missing;
  std::vector<std::uint64_t> there;
  std::vector<std::vector<std::byte>> delivered;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::size_t size = vectors[i].size();
    if (size != 0 && size != plan_.section_size / 8) {
      fail(wrong_vector(bit, sections[i], size, plan_.section_size));
      return false;
    }
    (size == 0 ? missing : there).push_back(sections[i]);
    if (size != 0) delivered.push_back(std::move(vectors[i]));
  }
  schedulers_.at(bit)->deliver(there, std::move(delivered));
  if (!missing.empty()) distributor_.put_back(bit, missing);
  return true;
}

}  // namespace bloomery::ethlog
