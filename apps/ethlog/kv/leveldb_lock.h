// Whether another process has a LevelDB database open.
#pragma once
#include <filesystem>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// An error that says what to do where another process has the database open, as a writer or as a
// reader. Not for a database that this process itself has open: it would lose its lock.
Status free_to_write(const std::filesystem::path& folder);

// The sentence for a reader that finds a writer; `process` is 0 where it is not known.
Error open_elsewhere(const std::filesystem::path& folder, long process);

}  // namespace bloomery::ethlog
