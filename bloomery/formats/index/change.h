// Makes an index of filters, and changes one: each change takes effect at once or not at all, also
// where the process is killed or the disk is full. Memory does not grow with the size of the
// filters.
#pragma once
#include <string>

#include "bloomery/base/file_name.h"
#include "bloomery/formats/index/filter_reader.h"

namespace bloomery {

class FileLock;

// Receives the bytes written and all of them, from time to time. `receiver` is passed on.
struct IndexProgress {
  void (*report)(void* receiver, std::uint64_t done, std::uint64_t all) = nullptr;
  void* receiver = nullptr;
};

struct IndexChangeOptions {
  // For rows in flight. One stretch of 512 rows is the least, whatever it takes.
  std::uint64_t memory = std::uint64_t{256} << 20;
  DecodeLimits limits = {};  // of the names of an index that exists
  bool replaces = false;     // filters that are appended take the place of their namesakes
  bool (*stop)() = nullptr;  // once it says true, the change ends with kIo
  IndexProgress progress = {};
};

struct IndexChange {
  std::uint64_t filters = 0;  // afterwards
  std::uint64_t added = 0;
  std::uint64_t deleted = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t dead_bytes = 0;  // of filters and directories that were replaced or deleted
  bool rewritten = false;        // into a new file, where dead bytes would have outweighed the rest
};

// All of them under the lock of the file that they write: of build_index, the lock that save_file
// takes; of the others, one that is held.
// Errors name the file. kUnsupported where filters differ in shape, kInvalidArgument where two have
// one name.
Result<IndexChange> build_index(std::span<const FilterToIndex> filters, FileName path,
                                const FileLock& lock, const IndexChangeOptions& options = {});
// Adds a segment, which takes in those before it that are smaller than itself.
Result<IndexChange> append_to_index(FileName path, std::span<const FilterToIndex> filters,
                                    const FileLock& lock, const IndexChangeOptions& options = {});
// kInvalidArgument where the index has no filter of one of the names: then none is deleted.
Result<IndexChange> delete_from_index(FileName path, std::span<const std::string> names,
                                      const FileLock& lock, const IndexChangeOptions& options = {});
// Writes a file without deleted columns, in one segment, in place of the old one.
Result<IndexChange> compact_index(FileName path, const FileLock& lock,
                                  const IndexChangeOptions& options = {});

}  // namespace bloomery
