// Completion scripts for shells, generated from the declared commands and options.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/shell/options.h"

namespace bloomery::cli {

// What may follow an option, or stand in the place of an argument.
struct Offer {
  enum class Kind : std::uint8_t { kNothing, kWords, kFiles, kOther };
  Kind kind = Kind::kNothing;
  std::vector<std::string> words = {};  // of kWords
  std::string what = {};                // its name in the help: FILE, N
};

struct CompletedOption {
  std::vector<std::string> names;  // with their dashes: -o, --output
  std::string help;                // its first line
  Offer value;
};

struct CompletedCommand {
  std::vector<std::string> path;  // {"bloomery", "eth", "import"}
  std::string help;
  std::vector<CompletedOption> options;
  std::vector<Offer> arguments;
  std::vector<CompletedCommand> subcommands;

  const std::string& name() const { return path.back(); }
  std::string full_name() const;  // "bloomery eth import"
  bool takes_files() const;
};

CompletedCommand completed_command(const CommandLine& app);

std::string bash_completion(const CompletedCommand& program);
std::string zsh_completion(const CompletedCommand& program);
std::string fish_completion(const CompletedCommand& program);

}  // namespace bloomery::cli
