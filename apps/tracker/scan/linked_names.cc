#include "apps/tracker/scan/linked_names.h"

#include <algorithm>

namespace bloomery::tracker {
namespace {

std::pair<std::uint64_t, std::uint64_t> identity(const LinkedFile& file) {
  return {file.device, file.inode};
}

}  // namespace

void NameCounts::found(const LinkedFile& file) {
  Count& count = files_[identity(file)];
  ++count.found;
  count.names = std::max(count.names, file.names);
}

std::vector<LinkedFile> NameCounts::elsewhere() const {
  std::vector<LinkedFile> files;
  for (const auto& [file, count] : files_)
    if (count.names > count.found)
      files.push_back({file.first, file.second, count.names - count.found});
  return files;
}

bool has_more_names(const std::vector<LinkedFile>& now, const std::vector<LinkedFile>& before) {
  auto at = before.begin();
  return std::ranges::any_of(now, [&](const LinkedFile& file) {
    while (at != before.end() && identity(*at) < identity(file)) ++at;
    const bool known = at != before.end() && identity(*at) == identity(file);
    return file.names > (known ? at->names : 0);
  });
}

std::vector<LinkedFile> confirmed(const std::vector<LinkedFile>& now,
                                  const std::vector<LinkedFile>& before) {
  std::vector<LinkedFile> both;
  auto at = before.begin();
  for (const LinkedFile& file : now) {
    while (at != before.end() && identity(*at) < identity(file)) ++at;
    if (at != before.end() && identity(*at) == identity(file))
      both.push_back({file.device, file.inode, std::min(file.names, at->names)});
  }
  return both;
}

}  // namespace bloomery::tracker
