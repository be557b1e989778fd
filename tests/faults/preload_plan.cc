// Which calls count, and which of them fails.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/faults/preload.h"

namespace faults {
namespace {

constexpr int kMaxPrefixes = 2;

struct Plan {
  char prefixes[kMaxPrefixes][PATH_MAX] = {};
  char folder[PATH_MAX] = {};  // the working folder, for relative names
  int log = -1;
  long at = 0;
  bool sticky = false;
  bool shortened = false;
  char change = '\0';  // the first letter of a change underneath
  int error = EIO;
};

Plan plan;
std::atomic<long> counted{0};
std::atomic<const char*> failing_kind{nullptr};
thread_local bool change_is_due = false;
char* paths[kMaxFiles];

bool below(const char* path, const char* prefix) {
  const std::size_t size = std::strlen(prefix);
  return size > 0 && std::strncmp(path, prefix, size) == 0 &&
         (path[size] == '/' || path[size] == '\0');
}

bool below_prefix(const char* path) {
  return below(path, plan.prefixes[0]) || below(path, plan.prefixes[1]);
}

void read_prefixes(const char* text) {
  for (char* const prefix : {plan.prefixes[0], plan.prefixes[1]}) {
    const char* end = ::strchrnul(text, ':');
    std::snprintf(prefix, PATH_MAX, "%.*s", static_cast<int>(end - text), text);
    if (*end == '\0') return;
    text = end + 1;
  }
}

void remember_standard_output() {
  char path[PATH_MAX] = {};
  if (::readlink("/proc/self/fd/1", path, sizeof path - 1) > 0 && below_prefix(path))
    remember(STDOUT_FILENO, path);
}

__attribute__((constructor)) void read_plan() {
  const char* prefix = std::getenv("FAULT_PREFIX");
  if (prefix == nullptr) return;
  if (::getcwd(plan.folder, sizeof plan.folder) == nullptr) return;
  plan.at = number_in("FAULT_AT");
  plan.sticky = number_in("FAULT_STICKY") != 0;
  const char* error = std::getenv("FAULT_ERROR");
  plan.shortened = error != nullptr && std::strcmp(error, "short") == 0;
  if (error != nullptr && std::strncmp(error, "change-", 7) == 0) plan.change = error[7];
  if (error != nullptr && !plan.shortened) plan.error = std::atoi(error);
  plan.log = open_outside("FAULT_LOG", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  read_prefixes(prefix);
  remember_standard_output();
}

void log_call(long number, const char* kind, const char* path) {
  char line[PATH_MAX + 64];
  const int size = std::snprintf(line, sizeof line, "%ld %s %s\n", number, kind, path);
  if (size > 0) say(plan.log, line, static_cast<std::size_t>(size));
}

}  // namespace

int open_outside(const char* variable, int flags) {
  const char* name = std::getenv(variable);
  if (name == nullptr) return -1;
  // Far from the small numbers, which a program may count on.
  const int fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, name, flags, 0666));
  if (fd < 0) return fd;
  const int high = static_cast<int>(::syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900));
  ::syscall(SYS_close, fd);
  return high;
}

long number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

void say(int fd, const char* bytes, std::size_t size) {
  if (fd >= 0) ::syscall(SYS_write, fd, bytes, size);
}

Fate fate_of(const char* kind, const char* path) {
  if (path == nullptr) return Fate::kPass;
  const long number = ++counted;
  log_call(number, kind, path);
  const char* failing = failing_kind.load();
  const bool again = plan.sticky && failing != nullptr && std::strcmp(failing, kind) == 0;
  if (number != plan.at && !again) return Fate::kPass;
  failing_kind = kind;
  if (plan.shortened) return Fate::kShort;
  if (plan.change != '\0') {
    change_is_due = true;
    return Fate::kPass;
  }
  errno = plan.error;
  return Fate::kFail;
}

void change_if_due(const char* path) {
  if (!change_is_due) return;
  change_is_due = false;
  const int saved = errno;
  const int fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC));
  const long size = ::syscall(SYS_lseek, fd, 0, SEEK_END);
  if (plan.change == 'e') ::syscall(SYS_ftruncate, fd, 0);         // empty
  if (plan.change == 's') ::syscall(SYS_ftruncate, fd, size / 2);  // shorter
  if (plan.change == 'f') {                                        // flipped bits, one in each page
    for (long at = size / 3; at < size; at += 4096) {
      char byte = 0;
      ::syscall(SYS_pread64, fd, &byte, 1, at);
      byte = static_cast<char>(~byte);
      ::syscall(SYS_pwrite64, fd, &byte, 1, at);
    }
  }
  if (plan.change == 'g') ::syscall(SYS_unlink, path);                              // gone
  if (plan.change == 'o') ::syscall(SYS_rename, std::getenv("FAULT_OTHER"), path);  // another
  ::syscall(SYS_close, fd);
  errno = saved;
}

const char* counted_path(int folder, const char* name) {
  static thread_local char whole[PATH_MAX * 2];
  if (plan.prefixes[0][0] == '\0' || name == nullptr) return nullptr;
  if (name[0] == '/') return below_prefix(name) ? name : nullptr;
  const char* start = folder == AT_FDCWD ? plan.folder : path_of(folder);
  if (start == nullptr) return nullptr;
  std::snprintf(whole, sizeof whole, "%s/%s", start, name);
  return below_prefix(whole) ? whole : nullptr;
}

const char* path_of(int fd) { return fd >= 0 && fd < kMaxFiles ? paths[fd] : nullptr; }

// Never given back: a thread may still read it, and a test opens few files.
void remember(int fd, const char* path) {
  if (fd >= 0 && fd < kMaxFiles && path != nullptr) paths[fd] = ::strdup(path);
}

void forget(int fd) {
  if (fd >= 0 && fd < kMaxFiles) paths[fd] = nullptr;
}

}  // namespace faults
