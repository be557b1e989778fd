// Reads a command line by the options that its commands declared.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "apps/cli/shell/options.h"

namespace bloomery::cli {

struct ParsedLine {
  enum class Request : std::uint8_t { kRun, kHelp, kVersion };
  const CommandLine* command;  // the innermost one that was named
  Request request = Request::kRun;
  std::string error = {};  // a usage error, where not empty
};

// `words`: without the program's name. Stores the values of all options that were given; neither
// runs an action nor prints. --help and --version win over mistakes elsewhere.
ParsedLine parse(CommandLine& program, std::span<const std::string> words);

}  // namespace bloomery::cli
