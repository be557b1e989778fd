// dedup --part i/N: of each different record of one part of all keys the first one. The parts
// together keep what one filter of the size of all would keep, each in 1/N of its memory.
#pragma once
#include "apps/cli/dedup/options.h"
#include "bloomery/layout/part.h"

namespace bloomery::cli {

// Returns the exit code, and complains, also of options that cannot be combined with parts.
int dedup_part(DedupOptions& options, bloomery::Part part, const CommandLine& app,
               Session& session);

}  // namespace bloomery::cli
