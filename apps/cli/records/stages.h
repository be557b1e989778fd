// Work on chunks in stages. Each thread takes a chunk through all of its stages. A stage that needs
// input order runs for one chunk at a time and in that order, so the result is the same with any
// number of threads.
#pragma once
#include <functional>
#include <vector>

#include "apps/cli/records/chunk.h"

namespace bloomery::cli {

using ChunkStep = std::function<Status(Chunk&)>;

struct Stages {
  std::function<Result<bool>(Chunk&)> fill;  // in order; false: there are no more
  ChunkStep decide;                          // in order
  ChunkStep print;                           // in order; may be empty
  ChunkStep prepare = {};  // before decide; in any order, by many threads at once; may be empty
  // Between prepare and decide: each step takes the chunks in order, and different steps may work
  // at the same time on different chunks.
  std::vector<ChunkStep> ranges = {};
  ChunkStep arrange = {};  // between decide and print; as prepare
};

// Ends at the first error in input order; what lies before it has passed all stages. A chunk with
// an error of its own (Chunk::failed) passes all stages first.
Status run_stages(const Stages& stages, std::uint32_t threads);

}  // namespace bloomery::cli
