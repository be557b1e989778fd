// The Python object around a bloomery_filter, and the rules by which threads share it.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <bloomery/c.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace bloomery::python {

enum class KeyType : std::uint8_t { kBytes, kUtf16, kU64, kSigned, kF32, kF64, kBool };
enum class Use : std::uint8_t { kRead, kWrite };

// Who uses the filter without the GIL. All members change with the GIL held only, so a call that
// keeps the GIL need not enter itself: it checks that it may run.
struct Users {
  std::uint32_t readers;
  std::uint32_t waiting_writers;  // readers that come later wait behind them
  std::uint32_t forks;            // of the process, when the counts were last true
  bool writing;
  bool torn;  // another thread was changing the filter as this process was forked
};

struct Filter {
  PyObject_HEAD bloomery_filter* handle;  // NULL: not made yet, or closed
  PyObject* key;                          // a function from objects to keys, or NULL
  Users users;
  KeyType key_type;
  bool is_concurrent;  // inserting is a kind of reading
};

extern PyObject* format_error;   // the class bloomery.FormatError
extern std::uint32_t forks_now;  // how often this process was forked from another

// Sets the exception for an error of the library. `error_number`: errno right after the call.
void raise_error(int code, int error_number);
// The same for a new filter, whose memory max_bytes= limits.
void raise_create_error(int code, int error_number);
// The same for bytes and files that were to become a filter: what is wrong with them is a
// FormatError.
void raise_decode_error(int code, int error_number);

// Whether the filter may be used now, for as long as the caller keeps the GIL. Waits for other
// threads where it must. False: an exception is set.
bool wait_until_usable(Filter* filter, Use use);
inline bool is_usable(Filter* filter, Use use) {
  const Users& users = filter->users;
  const bool now = filter->handle != nullptr && users.forks == forks_now && !users.torn &&
                   !users.writing && (use == Use::kRead || users.readers == 0);
  return now || wait_until_usable(filter, use);
}
inline Use use_of_insert(const Filter* filter) {
  return filter->is_concurrent ? Use::kRead : Use::kWrite;
}

// For calls without the GIL. False: an exception is set and end() must not follow.
bool begin(Filter* filter, Use use);
void end(Filter* filter, Use use);
// The same for two filters at once, which may be the same object only where both uses are kRead.
bool begin_both(Filter* first, Use use, Filter* second);

struct Outcome {
  int code;
  int error_number;
};

// Runs work() -> int, a code of the library, without the GIL.
template <class Work>
Outcome without_gil(Work work) {
  PyThreadState* state = PyEval_SaveThread();
  errno = 0;
  const int code = work();
  const Outcome outcome{code, errno};
  PyEval_RestoreThread(state);
  return outcome;
}

// Runs work() on a filter without the GIL. False: an exception is set.
template <class Work>
bool run(Filter* filter, Use use, Work work) {
  if (!begin(filter, use)) return false;
  const Outcome outcome = without_gil(work);
  end(filter, use);
  if (outcome.code == BLOOMERY_OK) return true;
  raise_error(outcome.code, outcome.error_number);
  return false;
}

extern PyMethodDef filter_methods[];  // what users call with keys
extern PyMethodDef handle_methods[];  // what the Python part of the package stands on
PyObject* make_filter_type(PyObject* module);
PyTypeObject* filter_type();

// What a new or changed handle means for the object.
bool adopt(Filter* filter, bloomery_filter* handle);

}  // namespace bloomery::python
