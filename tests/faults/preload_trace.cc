// What a program does to files, recorded with its bytes in the order of the calls.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "tests/faults/preload.h"

namespace faults {
namespace {

constexpr std::size_t kSector = 512;

struct Mapping {
  char* address = nullptr;
  char* shadow = nullptr;  // as it was when last recorded
  std::size_t size = 0;
  int fd = -1;
  char path[PATH_MAX] = {};
};

int trace_file() {
  static const int file = open_outside("FAULT_TRACE", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  return file;
}

std::recursive_mutex& lock() {
  static std::recursive_mutex mutex;
  return mutex;
}

Mapping mappings[16];

Mapping* find(const void* address) {
  for (Mapping& mapping : mappings)
    if (mapping.address == address && address != nullptr) return &mapping;
  return nullptr;
}

void trace_sectors(Mapping& mapping) {
  for (std::size_t at = 0; at < mapping.size; at += kSector) {
    const std::size_t size = mapping.size - at < kSector ? mapping.size - at : kSector;
    if (std::memcmp(mapping.address + at, mapping.shadow + at, size) == 0) continue;
    std::memcpy(mapping.shadow + at, mapping.address + at, size);
    trace("write", mapping.fd, static_cast<off_t>(at), mapping.shadow + at, size, mapping.path);
  }
}

}  // namespace

bool tracing() { return trace_file() >= 0; }

void trace(const char* operation, int fd, off_t offset, const void* data, std::size_t size,
           const char* path, const char* second) {
  if (!tracing() || path == nullptr) return;
  const int saved = errno;
  struct stat info {};
  const bool known = fd >= 0 ? ::fstat(fd, &info) == 0 : ::lstat(path, &info) == 0;
  char line[PATH_MAX * 2 + 96];
  const int length = std::snprintf(line, sizeof line, "%s %llu %lld %zu %s%s%s\n", operation,
                                   static_cast<unsigned long long>(known ? info.st_ino : 0),
                                   static_cast<long long>(offset), data == nullptr ? 0 : size, path,
                                   second == nullptr ? "" : "\t", second == nullptr ? "" : second);
  const std::lock_guard guard{lock()};
  say(trace_file(), line, static_cast<std::size_t>(length));
  if (data != nullptr) say(trace_file(), static_cast<const char*>(data), size);
  errno = saved;
}

void remember_mapping(void* address, std::size_t size, int fd) {
  const Uncounted ours;
  const std::lock_guard guard{lock()};
  for (Mapping& mapping : mappings) {
    if (mapping.address != nullptr) continue;
    mapping.address = static_cast<char*>(address);
    mapping.shadow = static_cast<char*>(std::malloc(size));
    mapping.size = size;
    mapping.fd = fd;
    std::snprintf(mapping.path, sizeof mapping.path, "%s", path_of(fd));
    std::memcpy(mapping.shadow, address, size);
    return;
  }
}

void trace_mapping(const void* address) {
  const std::lock_guard guard{lock()};
  if (Mapping* mapping = find(address)) trace_sectors(*mapping);
}

void trace_mappings_of(int fd) {
  const std::lock_guard guard{lock()};
  for (Mapping& mapping : mappings)
    if (mapping.address != nullptr && mapping.fd == fd) trace_sectors(mapping);
}

const char* mapping_path(const void* address) {
  const std::lock_guard guard{lock()};
  const Mapping* mapping = find(address);
  return mapping == nullptr ? nullptr : mapping->path;
}

void trace_mapping_sync(const void* address) {
  const std::lock_guard guard{lock()};
  if (const Mapping* mapping = find(address))
    trace("sync", mapping->fd, 0, nullptr, 0, mapping->path);
}

void forget_mapping(const void* address) {
  const std::lock_guard guard{lock()};
  Mapping* mapping = find(address);
  if (mapping == nullptr) return;
  trace_sectors(*mapping);
  std::free(mapping->shadow);
  *mapping = {};
}

}  // namespace faults
