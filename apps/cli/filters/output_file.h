// The filter file that a command writes: its path, and whether it may be replaced.
#pragma once
#include <string>

#include "apps/cli/shell/command.h"
#include "apps/cli/shell/options.h"
#include "bloomery/formats/format.h"

namespace bloomery::cli {

struct OutputOptions {
  std::string path;  // "-" is stdout, where a command allows it
  bool force = false;
  bool may_be_stdout = false;
};

// --output --force --lock-timeout
void add_output_options(CommandLine& app, OutputOptions& options, Globals& globals);

// Asked before the work, not after it. Complains, and sets the session's exit code, where a file is
// in the way and force is not set, or where there is no folder for it; of a server's key, where
// something is in the way, or where a server does not hold filters of the format, if it is known;
// of stdout, where it is a terminal or takes JSON already.
bool may_write(const OutputOptions& options, Session& session, const Format* format = nullptr);

}  // namespace bloomery::cli
