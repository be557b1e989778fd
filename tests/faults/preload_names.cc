// Calls that take names: open, rename, link, unlink, mkdir, folders.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/faults/preload.h"

namespace faults {
namespace {

using OpenAt = int (*)(int, const char*, int, ...);
using Rename = int (*)(int, const char*, int, const char*, unsigned);

int open_counted(int folder, const char* name, int flags, mode_t mode) {
  const Uncounted ours;
  static const auto next = real<OpenAt>("openat64");
  const char* found = counted_path(folder, name);
  if (found == nullptr) return next(folder, name, flags, mode);
  const std::string path = found;
  if (fate_of((flags & O_CREAT) != 0 ? "create" : "open", path.c_str()) != Fate::kPass) return -1;
  struct stat info {};
  const bool was_there = ::lstat(path.c_str(), &info) == 0;
  const int fd = next(folder, name, flags, mode);
  if (fd < 0) return fd;
  remember(fd, path.c_str());
  if ((flags & O_CREAT) != 0 && !was_there)
    trace("create", fd, 0, nullptr, 0, path.c_str());
  else if ((flags & O_TRUNC) != 0)
    trace("truncate", fd, 0, nullptr, 0, path.c_str());
  change_if_due(path.c_str());
  return fd;
}

int rename_counted(int from_folder, const char* from, int to_folder, const char* to,
                   unsigned flags) {
  const Uncounted ours;
  static const auto next = real<Rename>("renameat2");
  const char* found = counted_path(to_folder, to);
  if (found == nullptr) return next(from_folder, from, to_folder, to, flags);
  const std::string target = found;
  const char* source_found = counted_path(from_folder, from);
  const std::string source = source_found == nullptr ? from : source_found;
  if (fate_of("rename", target.c_str()) != Fate::kPass) return -1;
  const int done = next(from_folder, from, to_folder, to, flags);
  if (done == 0) trace("rename", -1, 0, nullptr, 0, target.c_str(), source.c_str());
  return done;
}

int unlink_counted(int folder, const char* name, int flags) {
  const Uncounted ours;
  static const auto next = real<int (*)(int, const char*, int)>("unlinkat");
  const char* found = counted_path(folder, name);
  if (found == nullptr) return next(folder, name, flags);
  const std::string path = found;
  if (fate_of("unlink", path.c_str()) != Fate::kPass) return -1;
  const int done = next(folder, name, flags);
  if (done == 0)
    trace((flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink", -1, 0, nullptr, 0, path.c_str());
  return done;
}

int mkdir_counted(int folder, const char* name, mode_t mode) {
  const Uncounted ours;
  static const auto next = real<int (*)(int, const char*, mode_t)>("mkdirat");
  const char* found = counted_path(folder, name);
  if (found == nullptr) return next(folder, name, mode);
  const std::string path = found;
  if (fate_of("mkdir", path.c_str()) != Fate::kPass) return -1;
  const int done = next(folder, name, mode);
  if (done == 0) trace("mkdir", -1, 0, nullptr, 0, path.c_str());
  return done;
}

int link_counted(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  const Uncounted ours;
  static const auto next = real<int (*)(int, const char*, int, const char*, int)>("linkat");
  const char* found = counted_path(to_folder, to);
  if (found == nullptr) return next(from_folder, from, to_folder, to, flags);
  const std::string target = found;
  const char* source_found = counted_path(from_folder, from);
  const std::string source = source_found == nullptr ? from : source_found;
  if (fate_of("link", target.c_str()) != Fate::kPass) return -1;
  const int done = next(from_folder, from, to_folder, to, flags);
  if (done == 0) trace("link", -1, 0, nullptr, 0, target.c_str(), source.c_str());
  return done;
}

FILE* stream_counted(const char* name, const char* mode) {
  const Uncounted ours;
  static const auto next = real<FILE* (*)(const char*, const char*)>("fopen64");
  const char* found = counted_path(AT_FDCWD, name);
  if (found == nullptr) return next(name, mode);
  const std::string path = found;
  if (fate_of(mode[0] == 'r' ? "open" : "create", path.c_str()) != Fate::kPass) return nullptr;
  struct stat info {};
  const bool was_there = ::lstat(path.c_str(), &info) == 0;
  FILE* file = next(name, mode);
  if (file == nullptr) return file;
  remember(::fileno(file), path.c_str());
  if (mode[0] != 'r' && !was_there) trace("create", ::fileno(file), 0, nullptr, 0, path.c_str());
  if (mode[0] == 'w' && was_there) trace("truncate", ::fileno(file), 0, nullptr, 0, path.c_str());
  change_if_due(path.c_str());
  return file;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace faults

using namespace faults;

#define FAULTS_OPEN(NAME)                             \
  int NAME(const char* name, int flags, ...) {        \
    va_list arguments;                                \
    va_start(arguments, flags);                       \
    const mode_t mode = mode_of(flags, arguments);    \
    va_end(arguments);                                \
    return open_counted(AT_FDCWD, name, flags, mode); \
  }
#define FAULTS_OPENAT(NAME)                                \
  int NAME(int folder, const char* name, int flags, ...) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    const mode_t mode = mode_of(flags, arguments);         \
    va_end(arguments);                                     \
    return open_counted(folder, name, flags, mode);        \
  }

extern "C" {

FAULTS_OPEN(open)
FAULTS_OPEN(open64)
FAULTS_OPENAT(openat)
FAULTS_OPENAT(openat64)
int __open_2(const char* name, int flags) { return open_counted(AT_FDCWD, name, flags, 0); }
int __open64_2(const char* name, int flags) { return open_counted(AT_FDCWD, name, flags, 0); }
int creat(const char* name, mode_t mode) {
  return open_counted(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
FILE* fopen(const char* name, const char* mode) { return stream_counted(name, mode); }
FILE* fopen64(const char* name, const char* mode) { return stream_counted(name, mode); }

int rename(const char* from, const char* to) noexcept {
  return rename_counted(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return rename_counted(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  return rename_counted(from_folder, from, to_folder, to, flags);
}
// The way to a call that the C library has no name for: only renames are looked at.
long syscall(long number, ...) noexcept {
  static const auto next = real<long (*)(long, ...)>("syscall");
  va_list list;
  va_start(list, number);
  long words[6];
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  if (number == SYS_renameat2)
    return rename_counted(static_cast<int>(words[0]), reinterpret_cast<const char*>(words[1]),
                          static_cast<int>(words[2]), reinterpret_cast<const char*>(words[3]),
                          static_cast<unsigned>(words[4]));
  return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
int link(const char* from, const char* to) noexcept {
  return link_counted(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return link_counted(from_folder, from, to_folder, to, flags);
}
int unlink(const char* name) noexcept { return unlink_counted(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char* name, int flags) noexcept {
  return unlink_counted(folder, name, flags);
}
int remove(const char* name) noexcept {
  struct stat info {};
  const bool folder = ::lstat(name, &info) == 0 && S_ISDIR(info.st_mode);
  return unlink_counted(AT_FDCWD, name, folder ? AT_REMOVEDIR : 0);
}
int rmdir(const char* name) noexcept { return unlink_counted(AT_FDCWD, name, AT_REMOVEDIR); }
int mkdir(const char* name, mode_t mode) noexcept { return mkdir_counted(AT_FDCWD, name, mode); }
int mkdirat(int folder, const char* name, mode_t mode) noexcept {
  return mkdir_counted(folder, name, mode);
}

DIR* opendir(const char* name) {
  const Uncounted ours;
  static const auto next = real<DIR* (*)(const char*)>("opendir");
  const char* found = counted_path(AT_FDCWD, name);
  if (found == nullptr) return next(name);
  const std::string path = found;
  if (fate_of("open", path.c_str()) != Fate::kPass) return nullptr;
  DIR* folder = next(name);
  if (folder != nullptr) remember(::dirfd(folder), path.c_str());
  return folder;
}

// The C library closes the descriptor itself: the next file with its number is another one.
int closedir(DIR* folder) {
  static const auto next = real<int (*)(DIR*)>("closedir");
  forget(::dirfd(folder));
  return next(folder);
}

struct dirent* readdir(DIR* folder) {
  static const auto next = real<struct dirent* (*)(DIR*)>("readdir");
  if (fate_of("readdir", path_of(::dirfd(folder))) != Fate::kPass) return nullptr;
  return next(folder);
}

struct dirent64* readdir64(DIR* folder) {
  static const auto next = real<struct dirent64* (*)(DIR*)>("readdir64");
  if (fate_of("readdir", path_of(::dirfd(folder))) != Fate::kPass) return nullptr;
  return next(folder);
}
}
