#include "apps/cli/dedup/tally.h"

#include <algorithm>

namespace bloomery::cli {
namespace {

constexpr std::size_t kTallyAhead = 24;

class TallyRun {
 public:
  TallyRun(const ReplayJob& job, const TallyRule& rule, const Globals& globals)
      : job_{job}, rule_{rule}, globals_{globals}, table_{globals.memory} {}

  Result<TallyTotals> run() {
    const auto note = [this](Chunk& chunk) { return note_repeats(chunk); };
    if (auto done = insert_replay(job_, note, globals_, totals_); !done) return done.error();
    totals_.repeated = table_.size();
    if (auto done = select(); !done) return done.error();
    totals_.records -= totals_.left_out;
    totals_.expected_wrong =
        static_cast<double>(totals_.kept) * static_cast<double>(totals_.repeated) * 0x1p-64;
    return totals_;
  }

 private:
  bool counts() const { return rule_.kind == Tally::kCounts; }

  // What the filter takes for a repeat is in the table afterwards; a false positive too, which does
  // no harm, because the second reading finds it once.
  Status note_repeats(Chunk& chunk) {
    if (counts() && !chunk.records.empty()) {
      first_was_new_.resize((chunk.index_of(chunk.records.size() - 1) + 64) / 64, 0);
      for (std::size_t i = 0; i < chunk.is_new.size(); ++i) {
        const std::uint64_t index = chunk.index_of(i);
        first_was_new_[index / 64] |= std::uint64_t{chunk.is_new[i]} << (index % 64);
      }
    }
    pending_.clear();
    for (std::size_t i = 0; i < chunk.keys.size(); ++i) {
      if (chunk.is_new[i] != 0) continue;
      pending_.push_back({job_.fingerprint(chunk.keys[i]), chunk.index_of(i)});
      table_.prefetch(pending_.back().fingerprint);
      // Put some records later, when the memory has come.
      if (pending_.size() > kTallyAhead)
        if (auto done = put(*(pending_.rbegin() + kTallyAhead)); !done) return done;
    }
    const std::size_t late = std::min(pending_.size(), kTallyAhead);
    for (std::size_t i = pending_.size() - late; i < pending_.size(); ++i)
      if (auto done = put(pending_[i]); !done) return done;
    return ok();
  }

  struct Noted {
    std::uint64_t fingerprint;
    std::uint64_t index;
  };
  Status put(const Noted& noted) {
    const auto number = table_.put(noted.fingerprint);
    if (!number) return number.error();
    **number = counts() ? **number + 1 : noted.index + 1;
    return ok();
  }

  Status select() {
    Progress progress{globals_, job_.replay->bytes()};
    ChunkSequence input{job_.replay->files(), keys_again(job_), progress};
    Stages stages = fingerprint_stages(input, job_.fingerprint);
    stages.decide = [&](Chunk& chunk) { return decide(chunk); };
    stages.arrange = job_.arrange;
    stages.print = job_.print;
    return run_stages(stages, globals_.threads);
  }

  Status decide(Chunk& chunk) {
    if (!chunk.records.empty() && chunk.index_of(chunk.records.size() - 1) >= totals_.records)
      return Error{ErrorCode::kIo, "the input changed while it was read; it is read twice"};
    const std::size_t count = chunk.keys.size();
    chunk.is_new.assign(count, 1);
    for (std::size_t i = 0; i < std::min(kTallyAhead, count); ++i)
      table_.prefetch(chunk.fingerprints[i]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kTallyAhead < count) table_.prefetch(chunk.fingerprints[i + kTallyAhead]);
      const std::uint64_t index = chunk.index_of(i);
      std::uint64_t* const number =
          chunk.has_key_at(i) ? table_.find(chunk.fingerprints[i]) : nullptr;
      if (counts())
        count_record(chunk, i, index, number);
      else if (number != nullptr)
        chunk.is_new[i] = *number == index + 1 ? 1 : 0;
      totals_.kept += chunk.is_new[i];
    }
    return ok();
  }

  // The table counted all records with the key but a first one that the filter did not know.
  void count_record(Chunk& chunk, std::size_t i, std::uint64_t index, std::uint64_t* number) {
    std::uint64_t times = 1;
    if (number != nullptr) {
      const bool was_new = ((first_was_new_[index / 64] >> (index % 64)) & 1) != 0;
      times = *number == 0 ? 0 : *number + (was_new ? 1 : 0);
      *number = 0;  // printed
    }
    chunk.fingerprints[i] = times;
    chunk.is_new[i] = times > (rule_.only_repeated ? 1U : 0U) ? 1 : 0;
  }

  const ReplayJob& job_;
  const TallyRule& rule_;
  const Globals& globals_;
  RepeatTable table_;
  std::vector<std::uint64_t> first_was_new_;  // a bit for each record
  std::vector<Noted> pending_;
  TallyTotals totals_;
};

}  // namespace

Result<TallyTotals> tally_records(const ReplayJob& job, const TallyRule& rule,
                                  const Globals& globals) {
  return TallyRun{job, rule, globals}.run();
}

}  // namespace bloomery::cli
