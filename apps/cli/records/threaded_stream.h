// The records of all files by several threads: each takes a chunk, reads its keys and has them
// answered; what uses the batches takes them one after the other, in input order.
#pragma once
#include "apps/cli/records/stream.h"

namespace bloomery::cli {

// As for_each_batch, for records of regular files that end in a byte.
Result<StreamTotals> for_each_batch_by_threads(const std::vector<InputFile>& inputs,
                                               const KeyReader& keys, const Globals& globals,
                                               Progress& progress, const BatchSteps& steps);

}  // namespace bloomery::cli
