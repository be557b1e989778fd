// Stops exceptions at the C boundary.
#pragma once
#include <exception>
#include <new>

namespace bloomery::redis_module {

// What `work` returns, or `otherwise` where it threw. Only memory runs out here; the library throws
// nothing of its own.
template <class T, class Work>
T guard(T otherwise, Work work) noexcept {
  try {
    return work();
  } catch (const std::exception&) {
    return otherwise;
  }
}

}  // namespace bloomery::redis_module
