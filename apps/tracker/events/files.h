// Folders opened by descriptors: a back end keeps working on the folder that it found, even if it
// is renamed meanwhile. And the marker files of a barrier.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/base/result.h"

namespace bloomery::tracker {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_{fd} {}
  Descriptor(Descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// A folder by its clean path, however long. errno says why not. O_DIRECTORY, O_NOFOLLOW and
// O_CLOEXEC are added.
Descriptor open_folder(std::string_view clean, int flags);
// A name under which any system call finds what the descriptor stands for.
std::string name_of(const Descriptor& descriptor);
struct FolderKind {
  bool is_mount_root = false;
  bool is_subvolume = false;  // of btrfs; elsewhere a few folders look like one
};
// An error is neither.
FolderKind kind_of(const Descriptor& folder);

// Makes and removes a file of that number in the marker folder.
Status touch_marker(const std::filesystem::path& folder, std::string_view kind,
                    std::uint64_t number);
// The number of a marker of that kind; 0 for any other name.
std::uint64_t marker_number(std::string_view name, std::string_view kind);

}  // namespace bloomery::tracker
