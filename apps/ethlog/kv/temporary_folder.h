// A folder for as long as this process needs it. It is locked meanwhile, so that the next process
// recognises one that a killed process left behind, and removes it.
#pragma once
#include <filesystem>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

class TemporaryFolder {
 public:
  // In the system's folder for temporary files, with a name that begins with the prefix. Folders of
  // this user with the prefix that no process has locked are removed first.
  static Result<TemporaryFolder> make(const std::string& prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();  // the folder goes

  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, int lock) : path_{std::move(path)}, lock_{lock} {}
  std::filesystem::path path_;
  int lock_;  // of the folder itself
};

}  // namespace bloomery::ethlog
