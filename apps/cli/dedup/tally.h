// dedup --keep last and --count-each: two readings of the input. The first finds repeated keys with
// the filter and notes them in a table by fingerprint; the second prints.
#pragma once
#include "apps/cli/dedup/ranges.h"
#include "apps/cli/dedup/repeat_table.h"

namespace bloomery::cli {

enum class Tally : std::uint8_t {
  kLast,    // is_new is 1 for the last record with its key
  kCounts,  // is_new is 1 for the first, and chunk.fingerprints holds how often its key occurs
};

struct TallyRule {
  Tally kind = Tally::kLast;
  bool only_repeated = false;  // of kCounts: keys that occur once are not selected
};

struct TallyTotals : ReplayTotals {
  std::uint64_t repeated = 0;  // keys in the table
  // Of the keys that are not in the table, how many share the fingerprint of one that is.
  double expected_wrong = 0;
};

// Equal fingerprints of different keys make one key of them.
Result<TallyTotals> tally_records(const ReplayJob& job, const TallyRule& rule,
                                  const Globals& globals);

}  // namespace bloomery::cli
