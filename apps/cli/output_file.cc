#include "apps/cli/output_file.h"

#include <CLI/CLI.hpp>
#include <filesystem>

namespace bloomery::cli {

void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_option("-o,--output", options.path, "The filter file to write")
      ->required()
      ->type_name("FILE");
  app.add_flag("-F,--force", options.force, "Replace the file if it is there");
}

bool may_write(const OutputOptions& options, Session& session) {
  const auto refuse = [&](const std::string& sentence) {
    session.exit_code = complain(options.path, sentence, kExitUsage);
    return false;
  };
  const std::filesystem::path path{options.path};
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
  std::error_code ignored;
  if (options.path == "-") return refuse("a filter is not written to stdout");
  if (!options.force && std::filesystem::exists(path, ignored))
    return refuse("it exists; --force replaces it");
  if (!std::filesystem::is_directory(folder, ignored))
    return refuse("cannot write: there is no folder " + folder.string());
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    return refuse("only a regular file can be replaced");
  return true;
}

}  // namespace bloomery::cli
