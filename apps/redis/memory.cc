#include "apps/redis/memory.h"

#include <new>

#include "apps/redis/redis_api.h"

namespace bloomery::redis_module {
namespace {

// Calloc leaves fresh pages of the kernel untouched, but ends the server when there are none; the
// form that may fail came with 7.4. Before it, asking for the same size with TryAlloc (7.0) and
// giving it back says whether there are: nothing is written, and nobody allocates in between but
// other threads of small things.
void* zeroed(std::size_t size) {
  if (api.TryCalloc != nullptr) return api.TryCalloc(1, size);
  if (api.TryAlloc != nullptr) {
    void* probe = api.TryAlloc(size);
    if (probe == nullptr) return nullptr;
    api.Free(probe);
  }
  return api.Calloc(1, size);
}

class ServerMemory final : public ZeroedMemory {
  // The server aligns to 16 bytes. What lies before the aligned bytes says where they began: in the
  // one byte just before them, which alignment to more than 16 always leaves.
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (alignment < 32 || alignment > 128 || size > SIZE_MAX - alignment) throw std::bad_alloc{};
    auto* raw = static_cast<std::byte*>(zeroed(size + alignment));
    if (raw == nullptr) throw std::bad_alloc{};
    const std::size_t gap = alignment - reinterpret_cast<std::uintptr_t>(raw) % alignment;
    raw[gap - 1] = static_cast<std::byte>(gap);
    return raw + gap;
  }
  void do_deallocate(void* pointer, std::size_t, std::size_t) override {
    auto* aligned = static_cast<std::byte*>(pointer);
    api.Free(aligned - static_cast<std::size_t>(aligned[-1]));
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

ZeroedMemory* server_memory() {
  static ServerMemory memory;
  return &memory;
}

}  // namespace bloomery::redis_module
