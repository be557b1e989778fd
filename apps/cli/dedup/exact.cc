#include "apps/cli/dedup/exact.h"

#include <algorithm>

#include "apps/cli/dedup/confirm.h"
#include "apps/cli/dedup/ranges.h"
#include "apps/cli/dedup/suspects.h"
#include "apps/cli/filters/insertion.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kPrefetchAhead = 24;
constexpr std::size_t kLeastPending = std::size_t{16} << 20;
// In proportion to the input, so that the number of sweeps over it does not grow with it.
constexpr std::uint64_t kPendingShare = 16;

class Exact {
 public:
  Exact(const ExactJob& job, const Globals& globals)
      : job_{job}, globals_{globals}, suspects_{globals.memory} {}

  Result<ExactTotals> run() {
    if (auto done = find_suspects(); !done) return done.error();
    totals_.filter = described_after_work(job_.seen->filter(), job_.seen->format());
    if (!job_.keep_filter) job_.seen->forget();
    repeats_.assign((totals_.records + 63) / 64, 0);
    if (suspects_.size() != 0)
      if (auto done = find_repeats(); !done) return done.error();
    totals_.kept = totals_.records - repeat_count_ - left_out_;
    if (job_.print)
      if (auto done = print(); !done) return done.error();
    totals_.records -= left_out_;
    return totals_;
  }

 private:
  Status find_suspects() {
    Progress progress{globals_, job_.replay->bytes()};
    ChunkSequence input{job_.replay->files(), job_.keys, progress};
    KeyRanges ranges{*job_.seen, globals_.threads};
    Stages stages = insertion_stages(input, ranges, globals_.threads);
    stages.decide = [&](Chunk& chunk) -> Status {
      totals_.suspects += static_cast<std::uint64_t>(std::ranges::count(chunk.is_new, 0));
      input.report_malformed(chunk);
      if (auto in = note_suspects(chunk); !in) return in;
      return within_memory(job_.seen->filter(), globals_);
    };
    auto done = run_stages(stages, globals_.threads);
    ranges.finish();
    totals_.records = input.records();
    totals_.skipped = input.skipped();
    totals_.malformed = input.malformed();
    totals_.preamble = input.preamble();
    left_out_ = input.left_out();
    return done;
  }

  // For the readings behind the first, which warned of headers that differ.
  ChunkSequence::Keys keys_again() const {
    ChunkSequence::Keys keys = job_.keys;
    if (keys.options.csv) keys.options.csv->prints_rows = false;
    return keys;
  }

  Status note_suspects(Chunk& chunk) {
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
    ChunkSequence input{job_.replay->files(), keys_again(), progress};
    ColumnsAt columns_at;
    if (job_.keys.options.csv)
      columns_at = [&input](std::uint64_t place) { return input.columns_at(place); };
    Confirmation confirmation{*job_.replay, job_.keys, pending_bytes(), std::move(columns_at)};
    Stages stages;
    stages.fill = [&](Chunk& chunk) { return input.next(chunk); };
    stages.prepare = [&](Chunk& chunk) -> Status {
      input.read_keys(chunk);
      chunk.fingerprints.resize(chunk.keys.size());
      std::ranges::transform(chunk.keys, chunk.fingerprints.begin(), job_.fingerprint);
      return ok();
    };
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
    whole_records.csv = keys_again().options.csv;
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

  std::size_t pending_bytes() const {
    if (job_.pending_bytes != 0) return job_.pending_bytes;
    return std::max(kLeastPending, static_cast<std::size_t>(job_.replay->bytes() / kPendingShare));
  }

  const ExactJob& job_;
  const Globals& globals_;
  SuspectTable suspects_;
  std::vector<std::uint64_t> repeats_;  // a bit for each record
  std::uint64_t repeat_count_ = 0;
  std::uint64_t left_out_ = 0;  // malformed rows
  ExactTotals totals_;
};

}  // namespace

std::uint64_t fingerprint_of(ByteView key) { return xxh3_64(key); }

Result<ExactTotals> dedup_exactly(const ExactJob& job, const Globals& globals) {
  return Exact{job, globals}.run();
}

}  // namespace bloomery::cli
