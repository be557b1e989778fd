// A file descriptor that closes itself, and the sentence about a call that failed. For base/*.cc
// only.
#pragma once
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "bloomery/base/file_name.h"
#include "bloomery/base/message.h"
#include "bloomery/base/result.h"

namespace bloomery::internal {

inline Error io_error(FileName path, std::string_view doing) {
  const int why = errno;  // what makes the sentence may change it
  return {ErrorCode::kIo, message(path.view(), ": cannot ", doing, ": ", std::strerror(why))};
}

// A signal that the program handles is no failure of the call that it interrupts.
template <class Call>
auto without_interrupts(Call call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_{fd} {}
  static Descriptor open(const std::string& path, int flags, mode_t mode = 0) {
    return Descriptor{
        without_interrupts([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); })};
  }
  Descriptor(Descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ < 0) return;
    const int kept = errno;  // an error path still has to say why it is one
    ::close(fd_);
    errno = kept;
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Linux has closed the file also where a signal interrupted the call.
  bool close() { return ::close(release()) == 0 || errno == EINTR; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

inline bool sync_file(int fd) {
  return without_interrupts([&] { return ::fsync(fd); }) == 0;
}
inline bool try_lock(int fd) {
  return without_interrupts([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }) == 0;
}

}  // namespace bloomery::internal
