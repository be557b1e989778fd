// Memory between two pages that may not be accessed: a byte read or written past either end
// crashes.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <span>

#include "bloomery/base/bytes.h"

namespace bloomery::testing {

class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes)
      : page_{static_cast<std::size_t>(sysconf(_SC_PAGESIZE))},
        inner_{(bytes + page_ - 1) / page_ * page_},
        memory_{mmap(nullptr, inner_ + 2 * page_, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)} {
    if (memory_ == MAP_FAILED) throw std::bad_alloc{};
    if (mprotect(first(), inner_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc{};
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(memory_, inner_ + 2 * page_); }

  ByteSpan all() const { return {first(), inner_}; }
  // The first so many values, right after the guard, and the last, right before the other one.
  template <class T>
  std::span<T> front(std::size_t count) const {
    return {reinterpret_cast<T*>(first()), count};
  }
  template <class T>
  std::span<T> back(std::size_t count) const {
    return {reinterpret_cast<T*>(first() + inner_ - count * sizeof(T)), count};
  }

 private:
  std::byte* first() const { return static_cast<std::byte*>(memory_) + page_; }

  std::size_t page_;
  std::size_t inner_;
  void* memory_;
};

}  // namespace bloomery::testing
