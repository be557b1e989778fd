// std::pmr::memory_resource, declared: its own header costs a third of a second in every file that
// includes a filter. A file that makes or calls a resource includes <memory_resource>.
#pragma once
#include <cstddef>  // with libstdc++, defines the two macros below

#if defined(__GLIBCXX__) && !_GLIBCXX_INLINE_VERSION
namespace std::pmr {
class memory_resource;
}  // namespace std::pmr
#else
#include <memory_resource>
#endif
