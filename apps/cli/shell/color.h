// Colours for people: on stderr, and on stdout for a verdict.
#pragma once
#include <string>
#include <string_view>

#include "apps/cli/shell/globals.h"

namespace bloomery::cli {

// Called when the program starts and again by --color, whose callback runs before any command does.
void choose_color(When when);
std::string in_red(std::string_view text);
std::string in_yellow(std::string_view text);
std::string green_on_stdout(std::string_view text);
std::string yellow_on_stdout(std::string_view text);
std::string red_on_stdout(std::string_view text);

}  // namespace bloomery::cli
