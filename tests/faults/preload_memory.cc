// Allocations that fail: malloc and its relatives, the operators new above them, and anonymous
// pages. Counted from the first line of main on, because nothing can be reported before.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/faults/preload.h"

// glibc's own names: looking them up would need memory.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace faults {
namespace {

std::atomic<bool> armed{false};
std::atomic<long> asked{0};
thread_local int own_work = 0;
long at = 0;
bool sticky = false;
int report = -1;

// Whose code asked: LevelDB is built without exceptions and cannot go on without memory.
bool within_leveldb(void* const* frames, int count) {
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (::dladdr(frames[i], &info) != 0 && info.dli_fname != nullptr &&
        std::strstr(info.dli_fname, "libleveldb") != nullptr)
      return true;
  }
  return false;
}

void report_fault(long number) {
  const Uncounted ours;
  void* frames[48];
  const int count = ::backtrace(frames, 48);
  char line[96];
  const int size = std::snprintf(line, sizeof line, "failed %ld%s\n", number,
                                 within_leveldb(frames, count) ? " leveldb" : "");
  say(report, line, static_cast<std::size_t>(size));
  ::backtrace_symbols_fd(frames, count, report);
}

bool refused() {
  if (own_work > 0 || !armed.load(std::memory_order_relaxed)) return false;
  const long number = ++asked;
  if (at == 0 || number < at || (number > at && !sticky)) return false;
  if (number == at) report_fault(number);
  errno = ENOMEM;
  return true;
}

int (*real_main)(int, char**, char**) = nullptr;

int armed_main(int count, char** arguments, char** environment) {
  at = number_in("FAULT_MEMORY_AT");
  sticky = number_in("FAULT_MEMORY_STICKY") != 0;
  report = open_outside("FAULT_MEMORY_LOG", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  void* warm[4];
  ::backtrace(warm, 4);  // loads what it needs
  armed = report >= 0;
  const int code = real_main(count, arguments, environment);
  armed = false;
  return code;
}

__attribute__((destructor)) void tell_count() {
  armed = false;
  if (report < 0) return;
  char line[64];
  const int size = std::snprintf(line, sizeof line, "asked %ld\n", asked.load());
  say(report, line, static_cast<std::size_t>(size));
}

}  // namespace

Uncounted::Uncounted() { ++own_work; }
Uncounted::~Uncounted() { --own_work; }

bool pages_refused() { return refused(); }

}  // namespace faults

using namespace faults;

extern "C" {

void* malloc(std::size_t size) noexcept { return refused() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return refused() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  return refused() ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return refused() ? nullptr : __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return refused() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  if (refused()) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack_end) {
  using Start =
      int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  static const auto next = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  real_main = main;
  return next(armed_main, count, arguments, init, fini, loader_fini, stack_end);
}
}
