// bloomery index build, append, delete and compact.
#include <memory>

#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/index/command.h"
#include "apps/cli/shell/redis_client.h"

namespace bloomery::cli {
namespace {

struct BuildOptions {
  FilterSourceOptions filters;
  OutputOptions output;
};

int run_build(const BuildOptions& options, Session& session) {
  const std::string& path = options.output.path;
  if (is_redis_address(path))
    return complain(path, "an index of filters is a file; a server does not hold one", kExitUsage);
  if (!may_write(options.output, session)) return session.exit_code;
  const auto filters = find_filters(options.filters);
  if (!filters) return complain("", filters.error(), Blame::kArguments);
  if (!lock_to_write(path, options.output.force, session)) return session.exit_code;
  return change_index(
      path,
      [&](const IndexChangeOptions& how) {
        return build_index(*filters, path, session.locked.lock, how);
      },
      session);
}

struct AppendOptions {
  std::string index;
  FilterSourceOptions filters;
  bool replace = false;
};

int run_append(const AppendOptions& options, Session& session) {
  const auto filters = find_filters(options.filters);
  if (!filters) return complain("", filters.error(), Blame::kArguments);
  if (!lock_to_update(options.index, session)) return session.exit_code;
  return change_index(
      options.index,
      [&](IndexChangeOptions how) {
        how.replaces = options.replace;
        return append_to_index(options.index, *filters, session.locked.lock, how);
      },
      session);
}

struct DeleteOptions {
  std::string index;
  std::vector<std::string> names;
};

int run_delete(const DeleteOptions& options, Session& session) {
  if (!lock_to_update(options.index, session)) return session.exit_code;
  return change_index(
      options.index,
      [&](const IndexChangeOptions& how) {
        return delete_from_index(options.index, options.names, session.locked.lock, how);
      },
      session);
}

int run_compact(const std::string& index, Session& session) {
  if (!lock_to_update(index, session)) return session.exit_code;
  return change_index(
      index,
      [&](const IndexChangeOptions& how) { return compact_index(index, session.locked.lock, how); },
      session);
}

constexpr const char* kChangedIndex = "The index, which is changed in one step";

}  // namespace

void attach_index_build(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<BuildOptions>();
  subcommand.examples(
      "Examples:\n"
      "  bloomery index build -o days.bloomindex logs/*.bloom\n"
      "  bloomery index build --base-name -o days.bloomindex logs/*.bloom    names without "
      "folders\n"
      "  bloomery index build -r --glob '*.bloom' -o all.bloomindex backups/\n"
      "  find . -name '*.bloom' | bloomery index build --filters-file - -o all.bloomindex\n");
  add_filter_sources(subcommand, options->filters);
  subcommand.add_option("-o,--output", options->output.path, "The index to write")
      ->required()
      ->value_name("FILE");
  subcommand.add_flag("-F,--force", options->output.force, "Replace the file if it exists");
  add_lock_option(subcommand, session.globals);
  subcommand.action([options, &session] { session.exit_code = run_build(*options, session); });
}

void attach_index_append(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<AppendOptions>();
  subcommand.examples(
      "Examples:\n"
      "  bloomery index append days.bloomindex logs/2026-11-19.bloom\n"
      "  bloomery index append --replace --name today days.bloomindex today.bloom\n");
  add_index_argument(subcommand, options->index, kChangedIndex);
  add_filter_sources(subcommand, options->filters);
  subcommand.add_flag("--replace", options->replace,
                      "A filter takes the place of the one of its name, where there is one");
  add_lock_option(subcommand, session.globals);
  subcommand.action([options, &session] { session.exit_code = run_append(*options, session); });
}

void attach_index_delete(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<DeleteOptions>();
  subcommand.examples(
      "Examples:\n"
      "  bloomery index delete days.bloomindex logs/2025-11-19.bloom\n");
  add_index_argument(subcommand, options->index, kChangedIndex);
  subcommand.add_list("NAME", options->names, "The names of filters, as `index list` prints them")
      ->required();
  add_lock_option(subcommand, session.globals);
  subcommand.action([options, &session] { session.exit_code = run_delete(*options, session); });
}

void attach_index_compact(CommandLine& subcommand, Session& session) {
  auto path = std::make_shared<std::string>();
  subcommand.examples(
      "Examples:\n"
      "  bloomery index compact days.bloomindex       without deleted filters, in one segment\n");
  add_index_argument(subcommand, *path, "The index, which is replaced in one step");
  add_lock_option(subcommand, session.globals);
  subcommand.action([path, &session] { session.exit_code = run_compact(*path, session); });
}

}  // namespace bloomery::cli
