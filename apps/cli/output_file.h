// The filter file that a command writes: where it goes, and whether it may replace what is there.
#pragma once
#include <string>

#include "apps/cli/cli11.h"
#include "apps/cli/command.h"

namespace bloomery::cli {

struct OutputOptions {
  std::string path;
  bool force = false;
};

void add_output_options(CLI::App& app, OutputOptions& options);  // --output --force

// Asked before the work, not after it. Complains, and sets the session's exit code, where a file is
// in the way and force is not set, or where there is no folder for it.
bool may_write(const OutputOptions& options, Session& session);

}  // namespace bloomery::cli
