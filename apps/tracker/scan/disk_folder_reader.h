// Folders on a disk. Every folder is opened from the one above it, so that neither a deep tree nor
// a long path is too long; only some stay open. Symbolic links are not followed, but for the
// root's.
#pragma once
#include <filesystem>
#include <memory>

#include "apps/tracker/scan/folder_reader.h"
#include "bloomery/base/result.h"

namespace bloomery::tracker {

struct DiskReaderOptions {
  bool one_file_system = false;
  std::size_t open_folders = 64;  // at once, at most; at least 2
};

Result<std::unique_ptr<FolderReader>> open_folder_tree(const std::filesystem::path& root,
                                                       DiskReaderOptions options = {});

}  // namespace bloomery::tracker
