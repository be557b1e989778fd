// One run of bloomery dedup, but for --documents.
#pragma once
#include "apps/cli/dedup/options.h"

namespace bloomery::cli {

// Complains, and sets the session's exit code. `given` is given_options() of the command line.
void dedup_records(DedupOptions& options, const std::string& given, Session& session);

}  // namespace bloomery::cli
