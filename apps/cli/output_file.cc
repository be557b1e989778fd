#include "apps/cli/output_file.h"

#include <filesystem>

namespace bloomery::cli {

void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_option("-o,--output", options.path, "The filter file to write")
      ->required()
      ->type_name("FILE");
  app.add_flag("-F,--force", options.force, "Replace the file if it is there");
}

bool may_write(const OutputOptions& options, Session& session) {
  std::error_code ignored;
  if (options.force || !std::filesystem::exists(options.path, ignored)) return true;
  session.exit_code =
      complain(options.path, "the file exists; replace it with --force", kExitUsage);
  return false;
}

}  // namespace bloomery::cli
