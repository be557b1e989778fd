// Views of a usage cache: its largest folders, or all of them.
#pragma once
#include <functional>

#include "apps/tracker/scan/usage_cache.h"

namespace bloomery::tracker {

struct LargeFolder {
  std::string path;       // below the root, which is ""
  std::size_t depth = 0;  // the root's is 0
  bool is_last = false;   // of those shown that lie in the same folder
  FolderRecord record = {};
};

// The folders with the most bytes below them, at most `count`; each is there with all those it lies
// in. As a tree is printed: a folder, then those in it, the largest first.
std::vector<LargeFolder> largest_folders(const UsageCache& cache, std::size_t count);

// Every folder, by name, with its path below the root. False if a record contradicts itself.
bool for_each_folder(const UsageCache& cache,
                     const std::function<void(std::string_view path, const FolderRecord&)>& use);

}  // namespace bloomery::tracker
