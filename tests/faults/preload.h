// The plan of a preloaded library that fails one call of a program, or records what it writes.
// Everything is set by environment variables, so that the program under test is not changed:
//   FAULT_PREFIX   only files below this folder (and standard output, where it is such a file)
//   count FAULT_LOG      each counted call is written there: "number kind path" FAULT_AT number of
//   the call that fails; 0: none FAULT_ERROR    its errno, or "short": half of the bytes are
//   written or read FAULT_STICKY   1: later calls of the same kind fail too, as on a disk that
//   stays full FAULT_TRACE    writes, renames and syncs are recorded there, for replay.py
//   FAULT_MEMORY_AT, FAULT_MEMORY_STICKY, FAULT_MEMORY_LOG   the same for allocations after main
//   began
//   FAULT_THREADS_FROM   number of the thread from which on none is started; 0: all are
#pragma once
#include <dlfcn.h>
#include <sys/types.h>

#include <cstddef>

namespace faults {

constexpr int kMaxFiles = 4096;

enum class Fate { kPass, kFail, kShort };

// Counts a call on `path` and says what becomes of it; errno is set where it fails. A null path is
// not counted.
Fate fate_of(const char* kind, const char* path);

// To be called after an open, a read or a mapping: does what FAULT_ERROR says of changes.
void change_if_due(const char* path);

// The absolute path where it lies below the prefix, or null. Valid until the thread's next call.
const char* counted_path(int folder, const char* name);
// The path that a descriptor was opened with, or null where it does not count.
const char* path_of(int fd);
void remember(int fd, const char* path);
void forget(int fd);

bool tracing();
// One record: a line "operation inode offset size path[ TAB second]", then `size` bytes.
void trace(const char* operation, int fd, off_t offset, const void* data, std::size_t size,
           const char* path, const char* second = nullptr);
// Pages that a program changes without a call: their changed sectors are recorded when it syncs.
void remember_mapping(void* address, std::size_t size, int fd);
void trace_mapping(const void* address);
void trace_mappings_of(int fd);
void forget_mapping(const void* address);
void trace_mapping_sync(const void* address);
const char* mapping_path(const void* address);

int open_outside(const char* variable, int flags);
long number_in(const char* variable);
void say(int fd, const char* bytes, std::size_t size);
// While one lives, this thread's allocations are our own and do not count.
class Uncounted {
 public:
  Uncounted();
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
  ~Uncounted();
};

// Whether anonymous pages are refused, as malloc may be.
bool pages_refused();

// The function that the program would have called without us.
template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace faults
