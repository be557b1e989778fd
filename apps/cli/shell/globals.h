// The options that every command takes, before its name or after it.
#pragma once
#include <cstdint>
#include <optional>

#include "apps/cli/shell/options.h"

namespace bloomery::cli {

enum class When : std::uint8_t { kAuto, kAlways, kNever };

std::uint64_t half_of_physical_memory();

struct Globals {
  std::uint32_t threads = 1;                         // 0 on the command line becomes all cores
  std::uint64_t memory = half_of_physical_memory();  // bytes; larger plans are refused
  bool quiet = false;
  bool json = false;
  When progress = When::kAuto;
  std::optional<double> lock_timeout;  // seconds; only commands that write a file take it
};

void add_global_options(CommandLine& app, Globals& globals);

}  // namespace bloomery::cli
