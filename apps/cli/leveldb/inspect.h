// inspect of a LevelDB table or of the folder of a database.
#pragma once
#include <string>

#include "apps/cli/filters/leveldb_kind.h"

namespace bloomery::cli {

struct LevelDbInspectOptions {
  bool quick = false;
};
void add_leveldb_inspect_options(CommandLine& app, LevelDbInspectOptions& options);

// Returns the exit code: 3 where anything is damaged, reported after all was shown. Precondition:
// the kind is not kNone.
int inspect_leveldb(const std::string& path, const FormatOptions& format,
                    const LevelDbInspectOptions& options, bool strict, Session& session);

}  // namespace bloomery::cli
