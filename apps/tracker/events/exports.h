// Folders that this machine exports by NFS. An NFS server opens files by their handles: then the
// kernel does not know the folder, and inotify reports nothing.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/tracker/events/regions.h"
#include "apps/tracker/state/tracker_status.h"

namespace bloomery::tracker {

// The paths in the text of a table: /etc/exports, etab, or the kernel's own.
std::vector<std::string> parse_exports(std::string_view table);

// Where the tables are. A folder stands for its files that end with ".exports".
std::vector<std::filesystem::path> usual_export_tables();
// All paths of those tables that can be read, with symbolic links resolved.
std::vector<std::string> read_exports(std::span<const std::filesystem::path> tables);

// The parts of the regions that are exported, also under another name by a bind mount.
std::vector<UnseenSubtree> exported_subtrees(std::span<const Region> regions,
                                             std::span<const std::string> exported,
                                             std::span<const Mount> mounts);

}  // namespace bloomery::tracker
