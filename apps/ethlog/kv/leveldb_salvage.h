// What can be read of LevelDB's write-ahead logs, kept before LevelDB repairs a database.
#pragma once
#include <filesystem>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// Rewrites every log that holds a record which does not verify or comes twice, without such
// records. LevelDB's own repair does not look at their checksums: it would take damaged bytes for
// keys and values, or abort. The log as it was stays in the folder `lost`. Precondition: no other
// process has the database open.
Status keep_whole_records(const std::filesystem::path& folder);

}  // namespace bloomery::ethlog
