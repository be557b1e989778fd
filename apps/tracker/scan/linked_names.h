// Files with several names: which of the names a scan found, and how many must lie elsewhere. A
// name in an unknown folder would hide what is written through the others.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "apps/tracker/scan/folder_reader.h"

namespace bloomery::tracker {

class NameCounts {
 public:
  void found(const LinkedFile& file);
  // In order; `names` is how many were not found. Files of which all were are left out.
  std::vector<LinkedFile> elsewhere() const;

 private:
  struct Count {
    std::uint64_t found = 0;
    std::uint64_t names = 0;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Count> files_;  // by device and inode
};

// Whether a file has more names elsewhere than before. Both are in order.
bool has_more_names(const std::vector<LinkedFile>& now, const std::vector<LinkedFile>& before);

// The names that are missing now and were before: a link that is made during a walk, to a file that
// the walk has passed, is missing too, though both names lie in the tree. Both are in order.
std::vector<LinkedFile> confirmed(const std::vector<LinkedFile>& now,
                                  const std::vector<LinkedFile>& before);

}  // namespace bloomery::tracker
