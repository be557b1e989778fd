// Threads that the system does not give: from the FAULT_THREADS_FROM-th on, none is started.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "tests/faults/preload.h"

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) {
  static std::atomic<long> asked{0};
  static const long from = faults::number_in("FAULT_THREADS_FROM");
  if (from > 0 && ++asked >= from) return EAGAIN;
  static const auto next =
      reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, work, argument);
}
