// Whether an argument of inspect or query is a LevelDB table or database.
#pragma once
#include <string>

#include "apps/cli/filters/filter_file.h"

namespace bloomery::cli {

enum class LevelDbKind : std::uint8_t { kNone, kTable, kDatabase };
// The one place that decides: a folder is a database, and a file that ends as tables do is a table,
// unless --format names something else.
LevelDbKind leveldb_kind_of(const std::string& path, const FormatOptions& options);

}  // namespace bloomery::cli
