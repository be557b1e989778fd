// An exclusive advisory lock on the file that a path names, for programs that read a file, change
// it and replace it: held from before the read until after the rename, nothing is lost.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <string_view>

#include "bloomery/base/file_name.h"
#include "bloomery/base/result.h"

namespace bloomery {

// How long to wait for another writer.
struct LockWait {
  std::chrono::milliseconds timeout = std::chrono::seconds{60};  // 0: do not wait
  // Called once where the wait lasts longer than `notice_after`.
  void (*notice)(std::string_view path) = nullptr;
  std::chrono::milliseconds notice_after = std::chrono::seconds{1};
};

// The lock lies on the file itself (flock), so that no other file is left behind, and the kernel
// releases it when the process ends, however it ends. WritableMappedFile takes the same lock.
// Readers need none: save_file replaces a file in one step. A process that takes the lock of one
// file twice waits for itself.
class FileLock {
 public:
  // Locks the file behind `path`, following symbolic links. After a wait it locks the file that the
  // path names then, because the other writer may have replaced the one it named before. Where
  // there is no file, the lock is empty (held() is false): save_file with an empty lock creates the
  // file and fails where another process created it meanwhile.
  // kIo where the wait is over, and where the path names something other than a regular file.
  static Result<FileLock> acquire(FileName path, const LockWait& wait = {});

  FileLock() = default;  // empty
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  bool held() const { return fd_ >= 0; }
  // What the path names now, compared with what was locked.
  enum class Names : std::uint8_t { kLockedFile, kNothing, kAnotherFile };
  Names compare(FileName path) const;

 private:
  FileLock(int fd, dev_t device, ino_t inode) : fd_{fd}, device_{device}, inode_{inode} {}
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace bloomery
