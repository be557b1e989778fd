// dedup --exact: the same records as with a set of all keys, in a fraction of its memory. The
// filter finds suspects, fingerprints find the first records they may repeat, and a comparison of
// bytes decides.
#pragma once
#include "apps/cli/dedup/ranges.h"

namespace bloomery::cli {

struct ExactTotals : ReplayTotals {
  std::uint64_t suspects = 0;  // records that the filter took for repeats
};

// Equal fingerprints of different keys cost time, not truth. At most `pending_bytes` of suspects
// wait for their comparison; 0: by the length of the input.
Result<ExactTotals> dedup_exactly(const ReplayJob& job, const Globals& globals,
                                  std::size_t pending_bytes = 0);

}  // namespace bloomery::cli
