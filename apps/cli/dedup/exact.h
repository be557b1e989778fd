// dedup --exact: the same records as with a set of all keys, in a fraction of its memory. The
// filter finds suspects, fingerprints find the first records they may repeat, and a comparison of
// bytes decides.
#pragma once
#include "apps/cli/dedup/replay.h"
#include "apps/cli/dedup/seen_keys.h"
#include "apps/cli/dedup/stages.h"

namespace bloomery::cli {

using Fingerprint = std::uint64_t (*)(ByteView key);
std::uint64_t fingerprint_of(ByteView key);

struct ExactJob {
  const Replay* replay = nullptr;
  ChunkSequence::Keys keys;
  SeenKeys* seen = nullptr;
  bool keep_filter = false;  // otherwise its memory is freed as soon as it is not needed
  ChunkStep arrange = {};    // of a chunk's output, by many threads; may be empty
  ChunkStep print = {};      // may be empty
  // Equal fingerprints of different keys cost time, not truth: a test takes one that often agrees.
  Fingerprint fingerprint = fingerprint_of;
  std::size_t pending_bytes = 0;  // 0: by the length of the input
};

struct ExactTotals {
  std::uint64_t records = 0;
  std::uint64_t kept = 0;
  std::uint64_t skipped = 0;                         // of the kept: they have no key
  std::uint64_t suspects = 0;                        // records that the filter took for repeats
  std::uint64_t malformed = 0;                       // rows of CSV
  std::shared_ptr<const CsvPreamble> preamble = {};  // of CSV; null where no file has a row
  Description filter;                                // once all keys are in it
};

Result<ExactTotals> dedup_exactly(const ExactJob& job, const Globals& globals);

}  // namespace bloomery::cli
