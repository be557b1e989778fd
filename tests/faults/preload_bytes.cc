// Calls that take descriptors: read, write, sync, truncate, close, map, lock.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "tests/faults/preload.h"

namespace faults {
namespace {

// An offset of -1: where the descriptor stands.
ssize_t write_counted(int fd, const void* bytes, std::size_t size, off_t offset) {
  static const auto next = real<ssize_t (*)(int, const void*, std::size_t)>("write");
  static const auto next_at = real<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite64");
  const char* path = path_of(fd);
  const Fate fate = fate_of("write", path);
  if (fate == Fate::kFail) return -1;
  if (fate == Fate::kShort && size > 1) size /= 2;
  off_t place = offset;
  if (path != nullptr && tracing()) {
    trace_mappings_of(fd);
    if (place < 0) {
      const bool appends = (::syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND) != 0;
      place = ::lseek(fd, 0, appends ? SEEK_END : SEEK_CUR);
    }
  }
  const ssize_t written = offset < 0 ? next(fd, bytes, size) : next_at(fd, bytes, size, offset);
  if (written <= 0) return written;
  if (path != nullptr)
    trace("write", fd, place, bytes, static_cast<std::size_t>(written), path);
  else if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
    trace("say", fd, 0, bytes, static_cast<std::size_t>(written), fd == STDOUT_FILENO ? "1" : "2");
  return written;
}

ssize_t read_counted(int fd, void* bytes, std::size_t size, off_t offset) {
  static const auto next = real<ssize_t (*)(int, void*, std::size_t)>("read");
  static const auto next_at = real<ssize_t (*)(int, void*, std::size_t, off_t)>("pread64");
  const Fate fate = fate_of("read", path_of(fd));
  if (fate == Fate::kFail) return -1;
  if (fate == Fate::kShort && size > 1) size /= 2;
  const ssize_t got = offset < 0 ? next(fd, bytes, size) : next_at(fd, bytes, size, offset);
  change_if_due(path_of(fd));
  return got;
}

int sync_counted(int fd, const char* name) {
  const char* path = path_of(fd);
  if (fate_of("sync", path) != Fate::kPass) return -1;
  if (path != nullptr) trace_mappings_of(fd);
  const int done = real<int (*)(int)>(name)(fd);
  if (path != nullptr && done == 0) trace("sync", fd, 0, nullptr, 0, path);
  return done;
}

int truncate_counted(int fd, off_t size) {
  static const auto next = real<int (*)(int, off_t)>("ftruncate64");
  const char* path = path_of(fd);
  if (fate_of("truncate", path) != Fate::kPass) return -1;
  const int done = next(fd, size);
  if (path != nullptr && done == 0) trace("truncate", fd, size, nullptr, 0, path);
  return done;
}

void* map_counted(void* address, std::size_t size, int protection, int flags, int fd,
                  off_t offset) {
  static const auto next = real<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap64");
  const char* path = (flags & MAP_ANONYMOUS) == 0 ? path_of(fd) : nullptr;
  if (fate_of("mmap", path) != Fate::kPass) return MAP_FAILED;
  if ((flags & MAP_ANONYMOUS) != 0 && pages_refused()) return MAP_FAILED;
  void* pages = next(address, size, protection, flags, fd, offset);
  if (path != nullptr && pages != MAP_FAILED && (protection & PROT_WRITE) != 0 &&
      (flags & MAP_SHARED) != 0)
    remember_mapping(pages, size, fd);
  change_if_due(path);
  return pages;
}

int lock_counted(int fd, int command, void* argument, const char* name) {
  const bool locks = command == F_SETLK || command == F_SETLKW;
  if (locks && fate_of("lock", path_of(fd)) != Fate::kPass) return -1;
  return real<int (*)(int, int, ...)>(name)(fd, command, argument);
}

}  // namespace
}  // namespace faults

using namespace faults;

extern "C" {

ssize_t write(int fd, const void* bytes, size_t size) { return write_counted(fd, bytes, size, -1); }
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  return write_counted(fd, bytes, size, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return write_counted(fd, bytes, size, offset);
}
// One part at a time: as much as the first that is not empty, which is a valid answer.
ssize_t writev(int fd, const struct iovec* parts, int count) {
  static const auto next = real<ssize_t (*)(int, const struct iovec*, int)>("writev");
  if (path_of(fd) == nullptr) return next(fd, parts, count);
  for (int i = 0; i < count; ++i)
    if (parts[i].iov_len > 0) return write_counted(fd, parts[i].iov_base, parts[i].iov_len, -1);
  return 0;
}

ssize_t read(int fd, void* bytes, size_t size) { return read_counted(fd, bytes, size, -1); }
ssize_t pread(int fd, void* bytes, size_t size, off_t offset) {
  return read_counted(fd, bytes, size, offset);
}
ssize_t pread64(int fd, void* bytes, size_t size, off64_t offset) {
  return read_counted(fd, bytes, size, offset);
}

int fsync(int fd) { return sync_counted(fd, "fsync"); }
int fdatasync(int fd) { return sync_counted(fd, "fdatasync"); }
int ftruncate(int fd, off_t size) noexcept { return truncate_counted(fd, size); }
int ftruncate64(int fd, off64_t size) noexcept { return truncate_counted(fd, size); }

// The descriptor is gone also where close fails: so it is on Linux.
int close(int fd) {
  static const auto next = real<int (*)(int)>("close");
  const Fate fate = fate_of("close", path_of(fd));
  forget(fd);
  const int saved = errno;
  const int done = next(fd);
  if (fate == Fate::kPass) return done;
  errno = saved;
  return -1;
}

int flock(int fd, int operation) noexcept {
  static const auto next = real<int (*)(int, int)>("flock");
  if (fate_of("flock", path_of(fd)) != Fate::kPass) return -1;
  return next(fd, operation);
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return lock_counted(fd, command, argument, "fcntl");
}
int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return lock_counted(fd, command, argument, "fcntl64");
}

void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  return map_counted(address, size, protection, flags, fd, offset);
}
void* mmap64(void* address, size_t size, int protection, int flags, int fd,
             off64_t offset) noexcept {
  return map_counted(address, size, protection, flags, fd, offset);
}
int msync(void* address, size_t size, int flags) {
  static const auto next = real<int (*)(void*, std::size_t, int)>("msync");
  trace_mapping(address);
  if (fate_of("msync", mapping_path(address)) != Fate::kPass) return -1;
  const int done = next(address, size, flags);
  if (done == 0) trace_mapping_sync(address);
  return done;
}
int munmap(void* address, size_t size) noexcept {
  static const auto next = real<int (*)(void*, std::size_t)>("munmap");
  forget_mapping(address);
  return next(address, size);
}
}
