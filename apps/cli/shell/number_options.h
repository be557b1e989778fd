// Options whose values are numbers as people write them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "apps/cli/shell/cli11.h"

namespace bloomery::cli {

CLI::Option* add_count_option(CLI::App& app, const std::string& names, std::uint64_t& value,
                              const std::string& help);
CLI::Option* add_count_option(CLI::App& app, const std::string& names,
                              std::optional<std::uint64_t>& value, const std::string& help);
CLI::Option* add_count_option(CLI::App& app, const std::string& names,
                              std::optional<std::uint32_t>& value, const std::string& help);
CLI::Option* add_probability_option(CLI::App& app, const std::string& names,
                                    std::optional<double>& value, const std::string& help);

}  // namespace bloomery::cli
