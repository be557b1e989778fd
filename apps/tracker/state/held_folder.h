// A folder that is held open, to detect when its path names another one, or none.
#pragma once
#include <filesystem>

#include "bloomery/base/result.h"

namespace bloomery::tracker {

class HeldFolder {
 public:
  // Where it cannot be opened, in_place() never complains.
  explicit HeldFolder(std::filesystem::path path);
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;
  ~HeldFolder();

  // kIo once the folder was removed, moved or replaced by another. While it is held, no other gets
  // its number.
  Status in_place() const;

 private:
  std::filesystem::path path_;
  int fd_;
};

}  // namespace bloomery::tracker
