// The summary that dedup prints at its end.
#pragma once
#include <optional>
#include <string>

#include "apps/cli/filters/summary.h"

namespace bloomery::cli {

struct DedupSummary {
  std::uint64_t records = 0;
  std::uint64_t kept = 0;
  std::uint64_t skipped = 0;  // of the kept: they have no key
  double seconds = 0;
  Description filter;            // as it is now
  Description before = {};       // as it was
  double against_rate = 0;       // false-positive rate of the filters of --against together
  bool against_is_known = true;  // a large one is not measured: it is mapped to save just that
  std::optional<std::uint64_t> suspects = {};  // with --exact
  std::optional<std::uint64_t> repeated = {};  // with --keep last or --count-each: different keys
  bool counts = false;                         // with --count-each
  double fingerprints_wrong = 0;               // records lost to equal fingerprints, with those
  // Of a run that went on from a checkpoint: what came before `before`.
  std::uint64_t kept_earlier = 0;
  std::uint64_t skipped_earlier = 0;
  double wrong_earlier = 0;
  std::optional<std::uint64_t> malformed = {};  // rows of CSV: left out, or among the kept
  bool keeps_malformed = false;
};

// "1000 records in 0.10 s (10.0 k/s): 990 kept, 10 dropped as seen before (about 0 of them
// wrongly); fill 50 %, false positives 0.01 %".
std::string dedup_sentence(const DedupSummary& summary);
// How many of the dropped records were new, as the filters' rates let expect: 0 with --exact, and
// nothing where no estimate holds, as of a saturated filter.
std::optional<double> expected_wrongly(const DedupSummary& summary);
// As summary_json. A record without a key is among the selected, unless those are the repeats.
std::string dedup_json(const DedupSummary& summary, std::uint64_t selected);

}  // namespace bloomery::cli
