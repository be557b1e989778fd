// --part i/N: one part of a filter that is built, or of the keys that are compared.
#pragma once
#include <optional>
#include <string_view>

#include "apps/cli/shell/options.h"
#include "bloomery/layout/part.h"

namespace bloomery::cli {

// "3/64": counted from 0.
Result<bloomery::Part> parse_part(std::string_view text);
Option* add_part_option(CommandLine& app, std::optional<bloomery::Part>& part,
                        std::string_view help);

}  // namespace bloomery::cli
