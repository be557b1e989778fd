#include "apps/cli/dedup/exact.h"

#include <algorithm>

#include "apps/cli/dedup/confirm.h"
#include "apps/cli/dedup/suspects.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kPrefetchAhead = 24;
constexpr std::size_t kLeastPending = std::size_t{16} << 20;
// In proportion to the input, so that the number of sweeps over it does not grow with it.
constexpr std::uint64_t kPendingShare = 16;

class Exact {
 public:
  Exact(const ReplayJob& job, const Globals& globals, std::size_t pending_bytes)
      : job_{job},
        globals_{globals},
        pending_bytes_{pending_bytes != 0 ? pending_bytes : share_of(job.replay->bytes())},
        suspects_{globals.memory} {}

  Result<ExactTotals> run() {
    const auto note = [this](Chunk& chunk) { return note_suspects(chunk); };
    if (auto done = insert_replay(job_, note, globals_, totals_); !done) return done.error();
    repeats_.assign((totals_.records + 63) / 64, 0);
    if (suspects_.size() != 0)
      if (auto done = find_repeats(); !done) return done.error();
    totals_.kept = totals_.records - repeat_count_ - totals_.left_out;
    if (job_.print)
      if (auto done = print(); !done) return done.error();
    totals_.records -= totals_.left_out;
    return totals_;
  }

 private:
  static std::size_t share_of(std::uint64_t input_bytes) {
    return std::max(kLeastPending, static_cast<std::size_t>(input_bytes / kPendingShare));
  }

  Status note_suspects(Chunk& chunk) {
    totals_.suspects += static_cast<std::uint64_t>(std::ranges::count(chunk.is_new, 0));
    chunk.fingerprints.clear();
    for (std::size_t i = 0; i < chunk.keys.size(); ++i) {
      if (chunk.is_new[i] != 0) continue;
      chunk.fingerprints.push_back(job_.fingerprint(chunk.keys[i]));
      suspects_.prefetch(chunk.fingerprints.back());
      // Inserted some suspects later, when the memory has come.
      if (chunk.fingerprints.size() > kPrefetchAhead)
        if (auto in = suspects_.insert(*(chunk.fingerprints.rbegin() + kPrefetchAhead)); !in)
          return in;
    }
    const std::size_t late = std::min<std::size_t>(chunk.fingerprints.size(), kPrefetchAhead);
    for (std::size_t i = chunk.fingerprints.size() - late; i < chunk.fingerprints.size(); ++i)
      if (auto in = suspects_.insert(chunk.fingerprints[i]); !in) return in;
    return ok();
  }

  Status find_repeats() {
    suspects_.make_places();
    Progress progress{globals_, job_.replay->bytes()};
    ChunkSequence input{job_.replay->files(), keys_again(job_), progress};
    ColumnsAt columns_at;
    if (job_.keys.options.csv)
      columns_at = [&input](std::uint64_t place) { return input.columns_at(place); };
    Confirmation confirmation{*job_.replay, job_.keys, pending_bytes_, std::move(columns_at)};
    Stages stages = fingerprint_stages(input, job_.fingerprint);
    stages.decide = [&](Chunk& chunk) { return look_for_firsts(chunk, confirmation); };
    if (auto done = run_stages(stages, globals_.threads); !done) return done;
    if (auto done = confirmation.finish(); !done) return done;
    for (const std::uint64_t index : confirmation.cleared())
      repeats_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    repeat_count_ -= confirmation.cleared().size();
    return ok();
  }

  // A key whose fingerprint is no suspect's came once. Of the others the first is noted, and the
  // rest are repeats unless their bytes say otherwise.
  Status look_for_firsts(Chunk& chunk, Confirmation& confirmation) {
    if (auto fits = check_unchanged(chunk); !fits) return fits;
    const std::size_t count = chunk.keys.size();
    for (std::size_t i = 0; i < std::min(kPrefetchAhead, count); ++i)
      suspects_.prefetch(chunk.fingerprints[i]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kPrefetchAhead < count) suspects_.prefetch(chunk.fingerprints[i + kPrefetchAhead]);
      if (!chunk.has_key_at(i)) continue;
      std::uint64_t* const place = suspects_.place_of(chunk.fingerprints[i]);
      if (place == nullptr) continue;
      if (*place == 0) {
        *place = chunk.place_of(i) + 1;
        continue;
      }
      const std::uint64_t index = chunk.index_of(i);
      repeats_[index / 64] |= std::uint64_t{1} << (index % 64);
      ++repeat_count_;
      if (auto added = confirmation.add({*place - 1, index}, chunk.keys[i]); !added) return added;
    }
    return ok();
  }

  Status print() {
    Progress progress{globals_, job_.replay->bytes()};
    RecordOptions whole_records;
    whole_records.delimiter = job_.keys.options.delimiter;
    whole_records.csv = keys_again(job_).options.csv;
    if (whole_records.csv) whole_records.csv->reads_keys = false;
    ChunkSequence input{job_.replay->files(), {whole_records, job_.keys.order}, progress};
    const auto decide = [&](Chunk& chunk) -> Status {
      if (auto fits = check_unchanged(chunk); !fits) return fits;
      chunk.is_new.resize(chunk.records.size());
      for (std::size_t i = 0; i < chunk.records.size(); ++i) {
        const std::uint64_t index = chunk.index_of(i);
        chunk.is_new[i] = ((repeats_[index / 64] >> (index % 64)) & 1) == 0 ? 1 : 0;
      }
      return ok();
    };
    return run_stages({.fill = [&](Chunk& chunk) { return input.fill(chunk); },
                       .decide = decide,
                       .print = job_.print,
                       .arrange = job_.arrange},
                      globals_.threads);
  }

  Status check_unchanged(const Chunk& chunk) const {
    if (chunk.first_index + chunk.records.size() <= totals_.records) return ok();
    return Error{ErrorCode::kIo,
                 "the input changed while it was read; --exact reads it repeatedly"};
  }

  const ReplayJob& job_;
  const Globals& globals_;
  std::size_t pending_bytes_;
  SuspectTable suspects_;
  std::vector<std::uint64_t> repeats_;  // a bit for each record
  std::uint64_t repeat_count_ = 0;
  ExactTotals totals_;
};

}  // namespace

Result<ExactTotals> dedup_exactly(const ReplayJob& job, const Globals& globals,
                                  std::size_t pending_bytes) {
  return Exact{job, globals, pending_bytes}.run();
}

}  // namespace bloomery::cli
