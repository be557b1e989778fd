// Colours for people, on stderr only.
#pragma once
#include <string>
#include <string_view>

#include "apps/cli/globals.h"

namespace bloomery::cli {

// Called when the program starts and again by --color, whose callback runs before any command does.
void choose_color(When when);
std::string in_red(std::string_view text);
std::string in_yellow(std::string_view text);
std::string in_bold(std::string_view text);

}  // namespace bloomery::cli
