#include "apps/cli/shell/partial_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace bloomery::cli {

std::string behind_links(const std::string& path) {
  std::error_code failed;
  const auto target = std::filesystem::canonical(path, failed);
  if (!failed) return target.string();
  // A link to a file that is not there yet.
  const auto named = std::filesystem::read_symlink(path, failed);
  if (failed) return path;
  return (std::filesystem::path{path}.parent_path() / named).string();
}

std::string partial_of(const std::string& path) { return behind_links(path) + ".partial"; }

void sync_folder_of(const std::string& path) {
  auto folder = std::filesystem::path{path}.parent_path();
  if (folder.empty()) folder = ".";
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  static_cast<void>(::fsync(opened));  // a file system that cannot keeps the name in its own time
  static_cast<void>(::close(opened));
}

}  // namespace bloomery::cli
