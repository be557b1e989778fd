// The folder of a LevelDB database (C++ 1.23, goleveldb 2020-08), read without opening the
// database: nothing is written and no lock is taken, so it may be in use meanwhile.
#pragma once
#include <filesystem>

#include "bloomery/formats/leveldb/manifest.h"

namespace bloomery {

struct LevelDbTableFile {
  std::uint64_t number = 0;
  std::string name;  // "000005.ldb", or .sst by versions before 1.14
  std::uint64_t bytes = 0;
};

struct LevelDbFolder {
  std::filesystem::path path;
  std::string manifest_name;
  std::uint64_t manifest_bytes = 0;
  LevelDbManifest manifest;
  std::vector<LevelDbLog> logs;               // whose keys are in no table yet, by number
  std::vector<LevelDbTableFile> table_files;  // all there are, live or not, by number

  const LevelDbTableFile* find_file(std::uint64_t number) const;
};

// While another process writes, no key that was in the database before is missed: keys move from
// logs to tables, so the logs are read before the manifest that says which tables there are.
Result<LevelDbFolder> read_leveldb_folder(const std::filesystem::path& path, DecodeLimits limits);

// The manifest and the table files as they are now; the logs stay as they were read. For a
// reader that finds a table gone.
Status reread_leveldb_tables(LevelDbFolder& folder, DecodeLimits limits);

Error leveldb_table_missing(const LevelDbLiveTable& table);

}  // namespace bloomery
