#include "apps/cli/filters/output_file.h"

#include <filesystem>

#include "apps/cli/filters/redis_store.h"
#include "apps/cli/filters/write_lock.h"

namespace bloomery::cli {
namespace {

bool may_store_at(const OutputOptions& options, Session& session, const Format* format) {
  const auto address = parse_redis_address(options.path);
  Status allowed = address ? ok() : address.error();
  if (allowed && format != nullptr) allowed = server_holds(format->name);
  if (allowed) allowed = may_store(*address, options.force);
  if (!allowed) session.exit_code = complain(options.path, allowed.error(), Blame::kArguments);
  return allowed.has_value();
}

}  // namespace

void add_output_options(CommandLine& app, OutputOptions& options, Globals& globals) {
  app.add_option("-o,--output", options.path,
                 "The filter to write: a file or redis://host:port/key")
      ->required()
      ->value_name("FILE");
  app.add_flag("-F,--force", options.force, "Replace the file or the key if it exists");
  add_lock_option(app, globals);
}

bool may_write(const OutputOptions& options, Session& session, const Format* format) {
  const auto refuse = [&](const std::string& sentence) {
    session.exit_code = complain(options.path, sentence, kExitUsage);
    return false;
  };
  if (is_redis_address(options.path) &&
      refuse_lock_timeout("a server orders its writes itself", session))
    return false;
  if (is_redis_address(options.path)) return may_store_at(options, session, format);
  const std::filesystem::path path{options.path};
  auto folder = path.parent_path();
  if (folder.empty()) folder = ".";
  std::error_code ignored;
  if (options.path == "-") return refuse("a filter cannot be written to stdout; give a file");
  if (!options.force && std::filesystem::exists(path, ignored))
    return refuse("the file exists; --force replaces it");
  if (!std::filesystem::is_directory(folder, ignored))
    return refuse("cannot write: there is no folder " + folder.string());
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    return refuse("only a regular file can be replaced");
  return true;
}

}  // namespace bloomery::cli
