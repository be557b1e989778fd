// The files that hold the records: named one by one, by a list in a file, or found in folders.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/shell/options.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

struct SourceOptions {
  std::vector<std::string> lists;  // files that name files; "-" is stdin
  bool recursive = false;
  std::vector<std::string> globs;  // names of files in folders; empty: all

  bool names_files() const { return !lists.empty(); }
};

// --records-file --recursive --glob
void add_source_options(CommandLine& app, SourceOptions& options, std::string_view group);

// The files in the order they are read: `paths`, then those of the lists; in place of a folder the
// files in it, folder by folder in the order of their names' bytes. Names in a list end in
// `delimiter`. An error for a folder without --recursive, a loop of links, what is neither file nor
// folder inside of a folder, and where no file is found. No path at all and no list: empty, for
// stdin.
Result<std::vector<std::string>> find_sources(const std::vector<std::string>& paths,
                                              const SourceOptions& options, char delimiter);

}  // namespace bloomery::cli
