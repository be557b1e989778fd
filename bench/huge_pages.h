// Memory in huge pages for a peer's filter, as ours has it: both sides or neither.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace bloomery::bench {

template <class T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>& /*other*/) {}

  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static std::size_t mapped(std::size_t count) {
    return (count * sizeof(T) + 2 * kPage - 1) / kPage * kPage + kPage;
  }
  // What lies before the first whole page is kept, and found again by its alignment.
  T* allocate(std::size_t count) {
    void* raw =
        mmap(nullptr, mapped(count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) throw std::bad_alloc{};
    const auto address = reinterpret_cast<std::uintptr_t>(raw);
    auto* aligned = reinterpret_cast<char*>((address + kPage) / kPage * kPage);
    madvise(aligned, mapped(count) - kPage, MADV_HUGEPAGE);
    *reinterpret_cast<void**>(aligned - sizeof raw) = raw;
    return reinterpret_cast<T*>(aligned);
  }
  void deallocate(T* memory, std::size_t count) {
    munmap(*reinterpret_cast<void**>(reinterpret_cast<char*>(memory) - sizeof(void*)),
           mapped(count));
  }
  template <class U>
  bool operator==(const HugePages<U>& /*other*/) const {
    return true;
  }
};

}  // namespace bloomery::bench
