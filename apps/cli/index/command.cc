#include "apps/cli/index/command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "apps/cli/shell/bus_error.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/progress.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{512} << 20;

void report_change(const std::string& path, const IndexChange& change, const Globals& globals) {
  if (globals.json) {
    std::cout << Json{{"index", path},
                      {"filters", change.filters},
                      {"added", change.added},
                      {"deleted", change.deleted},
                      {"bytes", change.file_bytes},
                      {"dead_bytes", change.dead_bytes},
                      {"rewritten", change.rewritten}}
                     .dump()
              << '\n';
    return;
  }
  if (globals.quiet) return;
  std::cerr << "bloomery: " << path << ": " << counted(change.filters, "filter") << ", "
            << format_bytes(change.file_bytes);
  if (change.added > 0 && change.added < change.filters)
    std::cerr << "; added " << format_count(change.added);
  if (change.deleted > 0) std::cerr << "; deleted " << format_count(change.deleted);
  if (change.dead_bytes > 0)
    std::cerr << "; " << format_bytes(change.dead_bytes)
              << " are no longer used (index compact removes them)";
  std::cerr << '\n';
}

}  // namespace

void add_filter_sources(CommandLine& app, FilterSourceOptions& options) {
  constexpr const char* kGroup = "Filters";
  app.add_list("FILE", options.files,
               "Filter files of one shape: layout, hash, seed, funnel, bits and probes are equal");
  app.add_list("--filters-file", options.sources.lists,
               "Take the filters that this file names too, one per line; - is stdin")
      ->value_name("LIST")
      ->not_empty()
      ->group(kGroup);
  auto* recursive = app.add_flag("-r,--recursive", options.sources.recursive,
                                 "Take all files in a folder and below, in the order of their "
                                 "names");
  recursive->group(kGroup);
  app.add_list("--glob", options.sources.globs,
               "With -r, take only files with such a name: '*.bloom'. May be repeated")
      ->value_name("PATTERN")
      ->not_empty()
      ->needs(recursive)
      ->group(kGroup);
  auto* name = app.add_list("--name", options.names,
                            "The name of a filter in answers, in place of its path: once for each "
                            "filter, in their order");
  name->value_name("NAME")->not_empty()->group(kGroup);
  app.add_flag("--base-name", options.base_name,
               "Name the filters after their files without folders")
      ->excludes(name)
      ->group(kGroup);
}

Result<std::vector<FilterToIndex>> find_filters(const FilterSourceOptions& options) {
  if (options.files.empty() && options.sources.lists.empty())
    return usage_error("no filter is named; give files, or --filters-file LIST");
  const auto files = find_sources(options.files, options.sources, '\n');
  if (!files) return files.error();
  if (!options.names.empty() && options.names.size() != files->size())
    return usage_error(message("--name is given ", options.names.size(), " times for ",
                               files->size(), " filters; give it once for each"));
  std::vector<FilterToIndex> filters;
  filters.reserve(files->size());
  for (std::size_t i = 0; i < files->size(); ++i) {
    const std::string& path = (*files)[i];
    // Of ./a.bloom and a.bloom, which are one file, the name is one.
    std::string name = options.names.empty()
                           ? std::filesystem::path{path}.lexically_normal().string()
                           : options.names[i];
    if (options.base_name) name = std::filesystem::path{path}.filename().string();
    if (name.find_first_of("\t\n\r") != std::string::npos)
      return usage_error(message("the name of the filter ", i + 1,
                                 " holds a tab or the end of a line, by which answers are "
                                 "divided; choose another with --name"));
    filters.push_back({path, std::move(name)});
  }
  return filters;
}

void add_index_argument(CommandLine& app, std::string& path, std::string_view help) {
  app.add_option("INDEX", path, help)->required()->not_empty();
}

std::optional<FilterIndex> open_index(const std::string& path, const FormatOptions& secret,
                                      Session& session) {
  auto decode = decode_options(secret, session);
  if (!decode) return std::nullopt;
  decode->limits.max_bytes = session.globals.memory;
  std::error_code unknown;
  const auto kind = std::filesystem::status(path, unknown).type();
  // A pipe would be waited for.
  if (!unknown && kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::not_found) {
    session.exit_code = complain(path, "an index of filters is a regular file", kExitUsage);
    return std::nullopt;
  }
  auto index = FilterIndex::open(path, *decode);
  if (!index) {
    session.exit_code = complain(path, index.error(), Blame::kFilterFile);
    return std::nullopt;
  }
  name_mapping(index->file_bytes(), path);
  return std::move(*index);
}

namespace {

// Drawn from the first report on: a change that writes no segment has none.
struct ChangeProgress {
  const Globals& globals;
  std::optional<Progress> bar = {};

  static void report(void* receiver, std::uint64_t done, std::uint64_t all) {
    auto& [globals, bar] = *static_cast<ChangeProgress*>(receiver);
    if (!bar) bar.emplace(globals, all, "bytes");
    bar->update(done, done);
  }
};

}  // namespace

int change_index(const std::string& path, const ChangeIndex& change, const Session& session) {
  ChangeProgress progress{session.globals};
  IndexChangeOptions options;
  options.memory = std::min(session.globals.memory / 2, kMostMemory);
  options.limits.max_bytes = session.globals.memory;
  options.stop = InterruptGuard::interrupted;
  options.progress = {.report = ChangeProgress::report, .receiver = &progress};
  auto changed = [&] {
    const InterruptGuard guard;
    return change(options);
  }();
  if (progress.bar) progress.bar->finish();
  // Names are the arguments'; all else is wrong with a file.
  if (!changed)
    return complain(path, changed.error(),
                    changed.error().code == ErrorCode::kInvalidArgument ? Blame::kArguments
                                                                        : Blame::kFilterFile);
  report_change(path, *changed, session.globals);
  return kExitSuccess;
}

}  // namespace bloomery::cli
