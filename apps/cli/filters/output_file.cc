#include "apps/cli/filters/output_file.h"

#include <unistd.h>

#include <filesystem>

#include "apps/cli/filters/write_lock.h"
#include "apps/cli/remote/cluster_source.h"
#include "apps/cli/remote/redis_store.h"
#include "apps/cli/web/files.h"
#include "bloomery/remote/address.h"

namespace bloomery::cli {
namespace {

bool may_store_at(const OutputOptions& options, Session& session, const Format* format) {
  const auto address = parse_redis_address(options.path);
  Status allowed = address ? ok() : address.error();
  if (allowed && address->shards)
    allowed = may_store_in_cluster(*address, format == nullptr ? "bloomery" : format->name,
                                   options.force);
  if (allowed && !address->shards && format != nullptr) allowed = server_holds(format->name);
  if (allowed && !address->shards) allowed = may_store(*address, options.force);
  if (!allowed) session.exit_code = complain(options.path, allowed.error(), Blame::kArguments);
  return allowed.has_value();
}

std::string_view why_not_stdout(const OutputOptions& options, const Globals& globals) {
  if (!options.may_be_stdout) return "a filter cannot be written to stdout; give a file";
  if (::isatty(STDOUT_FILENO) == 1)
    return "a filter is not written to a terminal; redirect stdout, or give a file";
  if (globals.json) return "--json prints to stdout, and so does -o -; give a file for the filter";
  return "";
}

}  // namespace

void add_output_options(CommandLine& app, OutputOptions& options, Globals& globals) {
  app.add_option("-o,--output", options.path,
                 "The filter to write: a file, redis://host:port/key, or - for stdout")
      ->required()
      ->value_name("FILE");
  options.may_be_stdout = true;
  app.add_flag("-F,--force", options.force, "Replace the file or the key if it exists");
  add_lock_option(app, globals);
}

bool may_write(const OutputOptions& options, Session& session, const Format* format) {
  const auto refuse = [&](const std::string& sentence) {
    session.exit_code = complain(options.path, sentence, kExitUsage);
    return false;
  };
  if (is_web_address(options.path)) return refuse(web_is_read_only().message);
  if (is_redis_address(options.path) &&
      refuse_lock_timeout("a server orders its writes itself", session))
    return false;
  if (is_redis_address(options.path)) return may_store_at(options, session, format);
  if (options.path == "-") {
    const std::string_view why = why_not_stdout(options, session.globals);
    if (!why.empty()) return refuse(std::string{why});
    return !refuse_lock_timeout("stdout has no lock", session);
  }
  const std::filesystem::path path{options.path};
  auto folder = path.parent_path();
  if (folder.empty()) folder = ".";
  std::error_code ignored;
  if (!options.force && std::filesystem::exists(path, ignored))
    return refuse("the file exists; --force replaces it");
  if (!std::filesystem::is_directory(folder, ignored))
    return refuse("cannot write: there is no folder " + folder.string());
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    return refuse("only a regular file can be replaced");
  return true;
}

}  // namespace bloomery::cli
