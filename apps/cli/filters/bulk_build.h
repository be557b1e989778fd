// Two ways to build a block filter from all its keys at once: seeded, where each block gets the
// bits that leave it emptiest, and auto-sized, where the size is found at the end.
#pragma once
#include "apps/cli/filters/create_options.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/records/stream.h"

namespace bloomery::cli {

struct BulkRequest {
  const CreateOptions& create;  // complete: rate, funnel, and for a seeded filter its size
  const std::vector<InputFile>& inputs;
  const RecordOptions& records;
  const Globals& globals;
};

struct BulkBuilt {
  NativeBlock native;
  std::uint64_t records = 0;
  double seconds = 0;
  std::uint64_t skipped = 0;
  std::optional<std::uint64_t> malformed = {};  // rows of CSV
};

// The hashes of keys take what the filter leaves of --memory, then a temporary file. Precondition:
// the filter leaves some.
Result<BulkBuilt> build_seeded(const BulkRequest& request, const BlockPlan& plan);

// For any number of keys, as AutoSizedBlock does it.
Result<BulkBuilt> build_auto_sized(const BulkRequest& request);

}  // namespace bloomery::cli
