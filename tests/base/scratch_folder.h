// A folder for one test, gone with it. In memory where the machine has /dev/shm, so that syncs are
// cheap.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace bloomery {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code ignored;
    const bool shared = std::filesystem::is_directory("/dev/shm", ignored);
    const auto parent =
        shared ? std::filesystem::path{"/dev/shm"} : std::filesystem::temp_directory_path();
    std::string name = (parent / "bloomery-test-XXXXXX").string();
    path_ =
        ::mkdtemp(name.data()) == nullptr ? std::filesystem::path{} : std::filesystem::path{name};
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{path_}) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace bloomery
