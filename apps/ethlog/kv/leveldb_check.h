// The files of a LevelDB database, checked before LevelDB opens them. LevelDB leaves out what it
// cannot read of a write-ahead log, and opens without a log that is gone: keys vanish, and no call
// says so.
#pragma once
#include <cstddef>
#include <filesystem>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// An error (kMalformed or kTruncated) that names the file where the MANIFEST, a table's length or a
// write-ahead log is not what the database wrote. A record at the end of the newest log that was
// never finished is no damage: its writer was stopped. No other process may write meanwhile.
Status check_leveldb(const std::filesystem::path& folder);

constexpr std::uint64_t kMostLogBytes = std::uint64_t{4} << 30;  // of a log or manifest

// The write-ahead logs of a folder, the oldest first.
Result<std::vector<std::filesystem::path>> leveldb_logs(const std::filesystem::path& folder);

// The MANIFEST that the file CURRENT names, as it is now.
Result<std::vector<std::byte>> leveldb_manifest_bytes(const std::filesystem::path& folder);

// Whether the folder has tables or write-ahead logs. Where it has and the file CURRENT is gone,
// LevelDB would begin a new database and remove them.
bool has_leveldb_data(const std::filesystem::path& folder);

}  // namespace bloomery::ethlog
