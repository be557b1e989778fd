// What a constructor does that cannot get its memory, with and without exceptions.
#pragma once
#include <cstdlib>
#include <new>

namespace bloomery {

// Throws std::bad_alloc; ends the program where exceptions are turned off.
[[noreturn]] inline void out_of_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc{};
#else
  std::abort();
#endif
}

}  // namespace bloomery
