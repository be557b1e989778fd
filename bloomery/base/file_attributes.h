// What a file has besides its bytes and must keep when it is replaced: owner, group, mode, access
// control list and the user's extended attributes.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::internal {

class OldFile {
 public:
  // Nothing where there is no file. kIo for anything but a regular file: a rename would put one in
  // the place of a device or a pipe.
  static Result<std::optional<OldFile>> find(const std::filesystem::path& path);

  // Gives the open file all of them; kIo, with the reason, where it may not.
  Status give_attributes_to(int fd) const;

 private:
  explicit OldFile(std::filesystem::path path) : path_{std::move(path)} {}
  Status read_extended();
  Status give_owner(int fd) const;
  Status give_extended(int fd) const;

  struct Extended {
    std::string name;
    std::string value;
  };
  std::filesystem::path path_;
  uid_t owner_ = 0;
  gid_t group_ = 0;
  mode_t mode_ = 0;
  std::vector<Extended> extended_;
};

}  // namespace bloomery::internal
