#include "apps/cli/dedup/ranges.h"

#include <algorithm>
#include <bit>

#include "apps/cli/filters/insertion.h"
#include "bloomery/hash/xxh.h"
#include "bloomery/layout/block.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery::cli {
namespace {

void gather_keys(Chunk& chunk) {
  chunk.inserts.keys.clear();
  for (const std::uint32_t record : chunk.inserts.records)
    chunk.inserts.keys.push_back(chunk.keys[record]);
}

constexpr std::uint32_t kMostRanges = 16;

// Up to two threads need no ranges: hashing and fetching, which take longer, are done before.
std::uint32_t ranges_for(std::uint32_t threads) {
  return threads <= 2 ? 1 : std::min(kMostRanges, std::bit_ceil(threads));
}

// A key of several lines touches several ranges.
BlockFilter* one_line_filter(AnyFilter& filter) {
  auto* const native = std::get_if<NativeBlock>(&filter);
  if (native == nullptr || native->filter.block_shape().lines() != 1) return nullptr;
  return &native->filter;
}

}  // namespace

KeyRanges::KeyRanges(SeenKeys& seen, std::uint32_t threads)
    : seen_{&seen}, blocks_{one_line_filter(seen.filter())} {
  std::size_t ranges = 1;
  if (blocks_ != nullptr) {
    const std::uint64_t last = blocks_->block_shape().blocks - 1;
    while ((last >> range_shift_) >= ranges_for(threads)) ++range_shift_;
    ranges = static_cast<std::size_t>(last >> range_shift_) + 1;
  }
  added_.resize(ranges);
}

Status KeyRanges::prepare(Chunk& chunk) {
  if (auto selected = select(chunk); !selected) return selected;
  if (blocks_ != nullptr) digest(chunk);
  return ok();
}

Status KeyRanges::select(Chunk& chunk) {
  Chunk::Inserts& inserts = chunk.inserts;
  const std::size_t count = chunk.keys.size();
  chunk.is_new.assign(count, 0);
  inserts.records.resize(count);
  std::size_t selected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool has_key = chunk.has_key_at(i);
    chunk.is_new[i] = has_key ? 0 : 1;
    inserts.records[selected] = static_cast<std::uint32_t>(i);
    selected += has_key ? 1 : 0;
  }
  inserts.records.resize(selected);
  for (const QueryableFilter& filter : seen_->against())
    if (auto queried = query(filter, chunk); !queried) return queried;
  return ok();
}

Status KeyRanges::query(const QueryableFilter& filter, Chunk& chunk) {
  Chunk::Inserts& inserts = chunk.inserts;
  gather_keys(chunk);
  inserts.answers.resize(inserts.keys.size());
  {
    std::unique_lock lock{one_connection_, std::defer_lock};
    if (filter.is_remote()) lock.lock();
    if (auto asked = filter.may_contain_batch(inserts.keys, inserts.answers); !asked) return asked;
  }
  std::size_t left = 0;
  for (std::size_t i = 0; i < inserts.records.size(); ++i) {
    inserts.records[left] = inserts.records[i];
    left += inserts.answers[i] == 0 ? 1 : 0;
  }
  inserts.records.resize(left);
  return ok();
}

void KeyRanges::digest(Chunk& chunk) const {
  Chunk::Inserts& inserts = chunk.inserts;
  const bool in_ranges = ranges() > 1;
  auto& digests = in_ranges ? inserts.unsorted_digests : inserts.digests;
  digests.resize(inserts.records.size());
  hash_keys(chunk, digests);
  const std::uint64_t blocks = blocks_->block_shape().blocks;
  const std::byte* const memory = blocks_->bytes().data();
  if (in_ranges) inserts.ranges.resize(digests.size());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const std::uint64_t block = block::block_of(digests[i].low, blocks);
    __builtin_prefetch(memory + block * block::kBlockBytes, 0, 2);
    if (in_ranges) inserts.ranges[i] = static_cast<std::uint8_t>(block >> range_shift_);
  }
  if (in_ranges)
    group(inserts);
  else
    inserts.range_ends.assign(1, digests.size());
  inserts.answers.resize(digests.size());
}

void KeyRanges::hash_keys(Chunk& chunk, std::span<Hash128> digests) const {
  const KeyHash hash = blocks_->hash();
  std::span<const ByteView> keys = chunk.keys;
  if (digests.size() != keys.size()) {
    gather_keys(chunk);
    keys = chunk.inserts.keys;
  }
  if (!hash.whole_numbers)
    simd::active_block_kernels().hash_bytes(hash.hasher, keys.data(), keys.size(), digests.data());
  else
    std::ranges::transform(keys, digests.begin(), [&](ByteView key) { return hash.digest(key); });
}

// A counting sort, which keeps the order of the input within each range.
void KeyRanges::group(Chunk::Inserts& inserts) const {
  std::vector<std::size_t>& ends = inserts.range_ends;
  ends.assign(ranges(), 0);
  for (const std::uint8_t range : inserts.ranges) ++ends[range];
  std::size_t begin = 0;
  for (std::size_t& end : ends) begin += std::exchange(end, begin);
  inserts.unsorted_records.swap(inserts.records);
  inserts.records.resize(inserts.unsorted_records.size());
  inserts.digests.resize(inserts.unsorted_digests.size());
  for (std::size_t i = 0; i < inserts.ranges.size(); ++i) {
    const std::size_t place = ends[inserts.ranges[i]]++;  // ends where the next range begins
    inserts.digests[place] = inserts.unsorted_digests[i];
    inserts.records[place] = inserts.unsorted_records[i];
  }
}

std::vector<ChunkStep> KeyRanges::steps() {
  if (blocks_ == nullptr) return {[this](Chunk& chunk) { return insert_unranged(chunk); }};
  std::vector<ChunkStep> steps;
  for (std::size_t range = 0; range < ranges(); ++range)
    steps.emplace_back([this, range](Chunk& chunk) { return insert(chunk, range); });
  return steps;
}

Status KeyRanges::insert(Chunk& chunk, std::size_t range) {
  Chunk::Inserts& inserts = chunk.inserts;
  const std::size_t begin = range == 0 ? 0 : inserts.range_ends[range - 1];
  const std::size_t count = inserts.range_ends[range] - begin;
  // Where every record is there, in its place, the answers need none of their own.
  const bool is_whole = ranges() == 1 && count == chunk.is_new.size();
  std::uint8_t* const answers = is_whole ? chunk.is_new.data() : inserts.answers.data() + begin;
  added_[range].keys += blocks_->view().insert_batch(
      std::span<const Hash128>{inserts.digests}.subspan(begin, count), {answers, nullptr});
  if (is_whole) return ok();
  for (std::size_t i = begin; i < begin + count; ++i)
    chunk.is_new[inserts.records[i]] = inserts.answers[i];
  return ok();
}

Status KeyRanges::insert_unranged(Chunk& chunk) {
  Chunk::Inserts& inserts = chunk.inserts;
  gather_keys(chunk);
  inserts.answers.resize(inserts.keys.size());
  const auto taken = insert_batch(seen_->filter(), inserts.keys, inserts.answers);
  if (!taken) return taken.error();
  for (std::size_t i = 0; i < inserts.records.size(); ++i)
    chunk.is_new[inserts.records[i]] = inserts.answers[i];
  return ok();
}

void KeyRanges::finish() {
  if (blocks_ == nullptr) return;
  std::uint64_t keys = 0;
  for (Count& count : added_) keys += std::exchange(count.keys, 0);
  const Provenance before = blocks_->provenance();
  blocks_->set_provenance({before.goal, sum_of_keys(before.keys_inserted, keys)});
}

Stages insertion_stages(ChunkSequence& input, KeyRanges& ranges, std::uint32_t threads) {
  Stages stages;
  if (threads <= 1) {
    stages.fill = [&input](Chunk& chunk) { return input.fill(chunk); };
    stages.ranges = {[&ranges](Chunk& chunk) -> Status {
      const auto taken = ranges.seen().take(chunk);
      return taken ? ok() : Status{taken.error()};
    }};
    return stages;
  }
  stages.fill = [&input](Chunk& chunk) { return input.next(chunk); };
  stages.prepare = [&input, &ranges](Chunk& chunk) {
    input.read_keys(chunk);
    return ranges.prepare(chunk);
  };
  stages.ranges = ranges.steps();
  return stages;
}

std::uint64_t fingerprint_of(ByteView key) { return xxh3_64(key); }

Status insert_replay(const ReplayJob& job, const ChunkStep& note, const Globals& globals,
                     ReplayTotals& totals) {
  Progress progress{globals, job.replay->bytes()};
  ChunkSequence input{job.replay->files(), job.keys, progress};
  KeyRanges ranges{*job.seen, globals.threads};
  Stages stages = insertion_stages(input, ranges, globals.threads);
  stages.decide = [&](Chunk& chunk) -> Status {
    input.report_malformed(chunk);
    if (auto noted = note(chunk); !noted) return noted;
    return within_memory(job.seen->filter(), globals);
  };
  auto done = run_stages(stages, globals.threads);
  ranges.finish();
  if (!done) return done;
  totals.records = input.records();
  totals.skipped = input.skipped();
  totals.malformed = input.malformed();
  totals.left_out = input.left_out();
  totals.preamble = input.preamble();
  totals.filter = described_after_work(job.seen->filter(), job.seen->format());
  if (!job.keep_filter) job.seen->forget();
  return ok();
}

ChunkSequence::Keys keys_again(const ReplayJob& job) {
  ChunkSequence::Keys keys = job.keys;
  if (keys.options.csv) keys.options.csv->prints_rows = false;
  return keys;
}

Stages fingerprint_stages(ChunkSequence& input, Fingerprint fingerprint) {
  Stages stages;
  stages.fill = [&input](Chunk& chunk) { return input.next(chunk); };
  stages.prepare = [&input, fingerprint](Chunk& chunk) -> Status {
    input.read_keys(chunk);
    chunk.fingerprints.resize(chunk.keys.size());
    std::ranges::transform(chunk.keys, chunk.fingerprints.begin(), fingerprint);
    return ok();
  };
  return stages;
}

}  // namespace bloomery::cli
