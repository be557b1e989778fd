// What the commands of the group `index` share: the index, its lock, and the filters that go in.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/records/sources.h"
#include "apps/cli/shell/command.h"
#include "bloomery/formats/index/change.h"
#include "bloomery/formats/index/index.h"

namespace bloomery::cli {

// Filters, by their files and by the names that the index gives them.
struct FilterSourceOptions {
  std::vector<std::string> files;
  std::vector<std::string> names;
  SourceOptions sources;
  bool base_name = false;
};
void add_filter_sources(CommandLine& app, FilterSourceOptions& options);
Result<std::vector<FilterToIndex>> find_filters(const FilterSourceOptions& options);

// The argument INDEX.
void add_index_argument(CommandLine& app, std::string& path, std::string_view help);
// Complains, and sets the session's exit code, where there is none. `secret` is of a keyed index.
std::optional<FilterIndex> open_index(const std::string& path, const FormatOptions& secret,
                                      Session& session);

// Runs the change while signals wait, with a progress bar, and reports it. Precondition: the
// session holds the lock on the path.
using ChangeIndex = std::function<Result<IndexChange>(const IndexChangeOptions&)>;
int change_index(const std::string& path, const ChangeIndex& change, const Session& session);

void attach_index_build(CommandLine& subcommand, Session& session);
void attach_index_append(CommandLine& subcommand, Session& session);
void attach_index_delete(CommandLine& subcommand, Session& session);
void attach_index_compact(CommandLine& subcommand, Session& session);
void attach_index_query(CommandLine& subcommand, Session& session);
void attach_index_list(CommandLine& subcommand, Session& session);
void attach_index_inspect(CommandLine& subcommand, Session& session);
void attach_index_verify(CommandLine& subcommand, Session& session);

}  // namespace bloomery::cli
