// Many readers or one writer, without a lock: the counts belong to the thread that has the GIL.
#include <time.h>

#include <algorithm>

#include "bindings/python/src/filter.h"

namespace bloomery::python {

std::uint32_t forks_now = 0;

namespace {

// After a fork the threads that used the filter are gone. What readers left is whole; what a
// writer left may not be.
void forget_lost_threads(Users& users) {
  if (users.forks == forks_now) return;
  users.torn = users.torn || users.writing;
  users.readers = 0;
  users.waiting_writers = 0;
  users.writing = false;
  users.forks = forks_now;
}

bool is_whole(const Filter* filter) {
  if (filter->users.torn) {
    PyErr_SetString(PyExc_RuntimeError,
                    "the filter was being changed by another thread when this process was forked; "
                    "load it again");
    return false;
  }
  if (filter->handle == nullptr) {
    PyErr_SetString(PyExc_ValueError, "the filter is closed");
    return false;
  }
  return true;
}

bool is_free(const Users& users, Use use, bool is_first_in_line) {
  if (use == Use::kWrite) return !users.writing && users.readers == 0;
  return !users.writing && (users.waiting_writers == 0 || is_first_in_line);
}

// Sleeps without the GIL: 20 us, then longer. A sleeping thread needs no care after a fork, and
// Ctrl-C ends its wait.
bool pause(unsigned round) {
  const long nanoseconds = 20'000L << std::min(round, 6u);
  PyThreadState* state = PyEval_SaveThread();
  const timespec time{0, nanoseconds};
  nanosleep(&time, nullptr);
  PyEval_RestoreThread(state);
  return PyErr_CheckSignals() == 0;
}

// Waits until ready() is true, as a writer that later readers respect, or as a reader.
template <class Ready>
bool wait(Filter* filter, Use use, Ready ready) {
  for (unsigned round = 0;; ++round) {
    Users& users = filter->users;
    forget_lost_threads(users);
    if (!is_whole(filter)) return false;
    if (ready()) return true;
    if (use == Use::kWrite) ++users.waiting_writers;
    const std::uint32_t before = users.forks;
    const bool go_on = pause(round);
    if (use == Use::kWrite && users.forks == before && users.waiting_writers > 0)
      --users.waiting_writers;
    if (!go_on) return false;
  }
}

void enter(Users& users, Use use) {
  if (use == Use::kWrite)
    users.writing = true;
  else
    ++users.readers;
}

}  // namespace

bool wait_until_usable(Filter* filter, Use use) {
  // One key at a time passes waiting writers: it holds the GIL, and so they do not run.
  return wait(filter, use, [&] { return is_free(filter->users, use, true); });
}

bool begin(Filter* filter, Use use) {
  if (!wait(filter, use, [&] { return is_free(filter->users, use, false); })) return false;
  enter(filter->users, use);
  return true;
}

bool begin_both(Filter* first, Use use, Filter* second) {
  const bool done = wait(first, use, [&] {
    forget_lost_threads(second->users);
    // Past waiting writers of the second: two threads that merge in both directions would
    // otherwise wait for each other.
    return is_free(first->users, use, false) && is_free(second->users, Use::kRead, true);
  });
  if (!done || !is_whole(second)) return false;
  enter(first->users, use);
  enter(second->users, Use::kRead);
  return true;
}

void end(Filter* filter, Use use) {
  Users& users = filter->users;
  if (use == Use::kWrite)
    users.writing = false;
  else if (users.readers > 0)
    --users.readers;
}

}  // namespace bloomery::python
