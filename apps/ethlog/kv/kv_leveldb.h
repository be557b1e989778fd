// A store in a LevelDB database: ours to write, or another program's to read without changing it.
#pragma once
#include <filesystem>
#include <memory>

#include "apps/ethlog/kv/kv.h"

namespace bloomery::ethlog {

struct LevelDbOptions {
  std::size_t cache_bytes = std::size_t{64} << 20;
  std::size_t write_buffer_bytes = std::size_t{16} << 20;
  int max_open_files = 500;
  // A table that is not among the open files is opened for a read, which takes longer than the read
  // itself: with LevelDB's usual 2 MiB that would begin at 1 GB.
  std::size_t file_bytes = std::size_t{32} << 20;
};

enum class Creation : std::uint8_t { kMustExist, kAllowed };

// Ours. One process at a time; LevelDB's own lock sees to that. Files that are damaged are an error
// (check_leveldb), and so is any write after one that failed.
Result<std::unique_ptr<KeyValueStore>> open_leveldb(const std::filesystem::path& folder,
                                                    Creation creation,
                                                    const LevelDbOptions& options = {});

// Another program's: no byte of the folder is changed, and write() is an error. Refused while
// another process has it open.
Result<std::unique_ptr<KeyValueStore>> open_foreign_leveldb(const std::filesystem::path& folder,
                                                            const LevelDbOptions& options = {});

// Keeps what can be read of a damaged database of ours, and makes its other files anew; those that
// it cannot use go to the folder lost. Keys may be missing afterwards.
Status repair_leveldb(const std::filesystem::path& folder);

}  // namespace bloomery::ethlog
