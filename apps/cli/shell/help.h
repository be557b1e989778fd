// Help that begins with examples: most readers want a line to copy.
#pragma once
#include <memory>
#include <string>

#include "apps/cli/shell/cli11.h"

namespace bloomery::cli {

std::shared_ptr<CLI::Formatter> help_formatter();
// The lines shown before everything else, each a command that works.
void set_examples(CLI::App& app, std::string examples);
std::string full_name(const CLI::App& app);  // with the commands it is in: bloomery track mark
// Examples and usage only: for whoever started a command without input.
std::string short_help(const CLI::App& app);

}  // namespace bloomery::cli
