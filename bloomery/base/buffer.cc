#include "bloomery/base/buffer.h"

#if !defined(__wasi__)
#include <sys/mman.h>
#endif

#include <cstring>
#include <new>
#include <utility>

#include "bloomery/base/out_of_memory.h"
#include "bloomery/base/zeroed_memory.h"

namespace bloomery {
namespace {

#if defined(__wasi__)
constexpr bool kHasPages = false;  // all memory comes from operator new
std::byte* map_zeroed(std::size_t) { out_of_memory(); }
void unmap(std::byte*, std::size_t) {}
#else
constexpr bool kHasPages = true;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t size) { return (size + kHugePage - 1) / kHugePage * kHugePage; }

// Mapped 2 MiB-aligned and in whole huge pages, so that the kernel can back all of it with them:
// one page too much is mapped, and what lies before and behind the aligned bytes is given back.
std::byte* map_zeroed(std::size_t size) {
  if (size > SIZE_MAX - 2 * kHugePage) out_of_memory();
  const std::size_t used = whole_pages(size);
  void* raw = mmap(nullptr, used + kHugePage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) out_of_memory();
  const std::size_t past = reinterpret_cast<std::uintptr_t>(raw) % kHugePage;
  const std::size_t before = past == 0 ? 0 : kHugePage - past;
  std::byte* aligned = static_cast<std::byte*>(raw) + before;
  if (before > 0) munmap(raw, before);
  munmap(aligned + used, kHugePage - before);
  madvise(aligned, used, MADV_HUGEPAGE);
  return aligned;
}

void unmap(std::byte* data, std::size_t size) { munmap(data, whole_pages(size)); }
#endif

}  // namespace

std::size_t memory_bytes(std::uint64_t bytes) {
  if (bytes > SIZE_MAX) out_of_memory();
  return static_cast<std::size_t>(bytes);
}

Buffer::Buffer(std::size_t size, std::pmr::memory_resource* memory) : memory_{memory}, size_{size} {
  if (size_ == 0) return;
  if (kHasPages && memory_ == nullptr && size_ >= kMappedFrom) {
    data_ = map_zeroed(size_);
    return;
  }
  data_ = static_cast<std::byte*>(memory_ ? memory_->allocate(size_, kAlignment)
                                          : ::operator new (size_, std::align_val_t{kAlignment}));
  if (dynamic_cast<ZeroedMemory*>(memory_) == nullptr) std::memset(data_, 0, size_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : memory_{other.memory_},
      size_{std::exchange(other.size_, 0)},
      data_{std::exchange(other.data_, nullptr)} {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  memory_ = other.memory_;
  size_ = std::exchange(other.size_, 0);
  data_ = std::exchange(other.data_, nullptr);
  return *this;
}

Buffer::~Buffer() { release(); }

void Buffer::release() noexcept {
  if (data_ == nullptr) return;
  if (memory_ != nullptr) {
    memory_->deallocate(data_, size_, kAlignment);
  } else if (kHasPages && size_ >= kMappedFrom) {
    unmap(data_, size_);
  } else {
    ::operator delete (data_, std::align_val_t{kAlignment});
  }
}

Buffer Buffer::clone() const {
  Buffer copy{size_, memory_};
  if (size_ > 0) std::memcpy(copy.data_, data_, size_);
  return copy;
}

}  // namespace bloomery
