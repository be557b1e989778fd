#include "apps/redis/server/memory.h"

#include <sys/mman.h>

#include <new>

#include "apps/redis/server/redis_api.h"

namespace bloomery::redis_module {
namespace {

// Calloc leaves fresh pages of the kernel untouched, but ends the server when there are none; the
// form that may fail came with 7.4. Before it, asking for the same size with TryAlloc (7.0) and
// giving it back tells whether there are: nothing is written, and nothing is allocated in between
// but other threads of small things.
void* zeroed(std::size_t size) {
  if (api.TryCalloc != nullptr) return api.TryCalloc(1, size);
  if (api.TryAlloc != nullptr) {
    void* probe = api.TryAlloc(size);
    if (probe == nullptr) return nullptr;
    api.Free(probe);
  }
  return api.Calloc(1, size);
}

// Random probes into 4 KiB pages miss the processor's page table cache; 2 MiB pages do not. A page
// is zeroed when first touched, 50 to 100 microseconds for 2 MiB, and a batch may touch them all:
// so only as many as take a few milliseconds.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMostInHugePages = std::size_t{64} << 20;

enum class Pages { kHuge, kOrdinary };

// A hint: a server or a system that forbids huge pages ignores it.
void advise(std::byte* from, std::size_t size, Pages pages) {
  if (size < kHugePage || size > kMostInHugePages) return;
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t last = (address + size) / kHugePage * kHugePage;
  if (first >= last) return;
  madvise(reinterpret_cast<void*>(first), last - first,
          pages == Pages::kHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
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
    advise(raw + gap, size, Pages::kHuge);
    return raw + gap;
  }
  void do_deallocate(void* pointer, std::size_t size, std::size_t) override {
    auto* aligned = static_cast<std::byte*>(pointer);
    advise(aligned, size, Pages::kOrdinary);
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
