// Work on chunks in stages, each on a thread of its own where there are threads. Every stage takes
// the chunks in input order, so the result is the same with any number of threads.
#pragma once
#include <functional>

#include "apps/cli/dedup/chunk.h"

namespace bloomery::cli {

struct Stages {
  std::function<Result<bool>(Chunk&)> fill;  // false: there are no more
  std::function<Status(Chunk&)> decide;
  std::function<Status(Chunk&)> print;  // may be empty
};

// Ends at the first error in input order; what lies before it has passed all stages.
Status run_stages(const Stages& stages, std::uint32_t threads);

}  // namespace bloomery::cli
