// The help of a command, from its options. It begins with examples: most readers want a line to
// copy.
#pragma once
#include <string>

#include "apps/cli/shell/options.h"

namespace bloomery::cli {

std::string help_text(const CommandLine& command);
// Examples and usage only: for a command that was started without input.
std::string short_help(const CommandLine& command);

}  // namespace bloomery::cli
