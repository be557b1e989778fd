#include "bloomery/base/file_lock.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "bloomery/base/descriptor.h"

namespace bloomery {
namespace {

using internal::Descriptor;
using internal::io_error;
using Clock = std::chrono::steady_clock;

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Error still_locked(const std::string& path, std::chrono::milliseconds timeout) {
  if (timeout.count() == 0)
    return {ErrorCode::kIo, message(path, ": another process is writing to the file")};
  return {ErrorCode::kIo,
          message(path, ": another process is still writing to the file ", "after a wait of ",
                  static_cast<double>(timeout.count()) / 1000, " s; try again later")};
}

// One wait for one path, over all the files that it names meanwhile.
class Attempt {
 public:
  Attempt(FileName path, const LockWait& wait) : path_{path.string()}, wait_{wait} {}

  struct Locked {
    Descriptor file;
    struct stat info;
  };

  // Nothing where there is no file.
  Result<std::optional<Locked>> run() {
    for (;;) {
      Descriptor file = open();
      if (!file.valid() && errno == ENOENT) return std::optional<Locked>{};
      if (!file.valid()) return io_error(path_, "open to lock it");
      struct stat info {};
      if (::fstat(file.get(), &info) != 0) return io_error(path_, "stat");
      if (!S_ISREG(info.st_mode))
        return Error{ErrorCode::kIo, message(path_, ": only a regular file can be replaced")};
      auto locked = lock(file, info);
      if (!locked) return locked.error();
      if (*locked) return std::optional<Locked>{Locked{std::move(file), info}};
    }
  }

 private:
  Descriptor open() {
    constexpr int kFlags = O_NONBLOCK | O_NOCTTY;  // a pipe would be waited for
    Descriptor file = Descriptor::open(path_, access_ | kFlags);
    // A file without read permission can be replaced, so it can be locked.
    if (!file.valid() && errno == EACCES && access_ == O_RDONLY)
      file = Descriptor::open(path_, O_WRONLY | kFlags);
    return file;
  }

  // False where the file has to be opened again: the path names another one by now.
  Result<bool> lock(const Descriptor& file, const struct stat& info) {
    for (;;) {
      const bool locked = internal::try_lock(file.get());
      if (!locked && errno == EBADF && access_ == O_RDONLY) {
        access_ = O_RDWR;  // NFS locks only a file that is open for writing
        return false;
      }
      if (!locked && (errno == EOPNOTSUPP || errno == ENOSYS || errno == ENOLCK))
        return io_error(path_, "lock (copy it to a file system that has locks)");
      if (!locked && errno != EWOULDBLOCK) return io_error(path_, "lock");
      struct stat now {};
      const bool there = ::stat(path_.c_str(), &now) == 0;
      if (!there && errno != ENOENT) return io_error(path_, "stat");
      if (!there || !is_same_file(info, now)) return false;
      if (locked) return true;
      if (Clock::now() - start_ >= wait_.timeout) return still_locked(path_, wait_.timeout);
      pause();
    }
  }

  void pause() {
    constexpr std::chrono::milliseconds kLongest{20};
    const auto waited = Clock::now() - start_;
    if (wait_.notice != nullptr && !noticed_ && waited >= wait_.notice_after) {
      wait_.notice(path_);
      noticed_ = true;
    }
    const Clock::duration left = start_ + wait_.timeout - Clock::now();
    std::this_thread::sleep_for(std::clamp<Clock::duration>(left, Clock::duration{1}, step_));
    step_ = std::min<Clock::duration>(step_ * 2, kLongest);
  }

  const std::string path_;
  const LockWait& wait_;
  Clock::time_point start_ = Clock::now();
  Clock::duration step_ = std::chrono::milliseconds{1};
  bool noticed_ = false;
  int access_ = O_RDONLY;
};

}  // namespace

Result<FileLock> FileLock::acquire(FileName path, const LockWait& wait) {
  auto locked = Attempt{path, wait}.run();
  if (!locked) return locked.error();
  if (!*locked) return FileLock{};
  return FileLock{(*locked)->file.release(), (*locked)->info.st_dev, (*locked)->info.st_ino};
}

FileLock::FileLock(FileLock&& other) noexcept
    : fd_{std::exchange(other.fd_, -1)}, device_{other.device_}, inode_{other.inode_} {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

FileLock::Names FileLock::compare(FileName path) const {
  struct stat now {};
  if (::stat(path.string().c_str(), &now) != 0)
    return errno == ENOENT ? Names::kNothing : Names::kAnotherFile;
  return held() && now.st_dev == device_ && now.st_ino == inode_ ? Names::kLockedFile
                                                                 : Names::kAnotherFile;
}

}  // namespace bloomery
