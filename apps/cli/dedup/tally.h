// dedup --keep last and --count-each: two readings of the input. The first finds repeated keys with
// the filter and notes them in a table by fingerprint; the second prints.
#pragma once
#include "apps/cli/dedup/exact.h"
#include "apps/cli/dedup/repeat_table.h"

namespace bloomery::cli {

enum class Tally : std::uint8_t {
  kLast,    // is_new is 1 for the last record with its key
  kCounts,  // is_new is 1 for the first, and chunk.fingerprints holds how often its key occurs
};

struct TallyJob {
  Tally kind = Tally::kLast;
  bool only_repeated = false;  // of kCounts: keys that occur once are not selected
  const Replay* replay = nullptr;
  ChunkSequence::Keys keys;
  SeenKeys* seen = nullptr;
  bool keep_filter = false;  // otherwise its memory is freed as soon as it is not needed
  ChunkStep arrange = {};    // of a chunk's output, by many threads; may be empty
  ChunkStep print = {};      // may be empty
  // Equal fingerprints of different keys make one key of them: a test takes one that often agrees.
  Fingerprint fingerprint = fingerprint_of;
};

struct TallyTotals {
  std::uint64_t records = 0;
  std::uint64_t kept = 0;
  std::uint64_t skipped = 0;                         // of the kept: they have no key
  std::uint64_t repeated = 0;                        // keys in the table
  std::uint64_t malformed = 0;                       // rows of CSV
  std::shared_ptr<const CsvPreamble> preamble = {};  // of CSV; null where no file has a row
  // Of the keys that are not in the table, how many share the fingerprint of one that is.
  double expected_wrong = 0;
  Description filter;  // once all keys are in it
};

Result<TallyTotals> tally_records(const TallyJob& job, const Globals& globals);

}  // namespace bloomery::cli
