// Bytes at rest: owned, zeroed, 64-byte-aligned. Never grows, so views stay valid while it lives.
#pragma once
#include "bloomery/base/bytes.h"
#include "bloomery/base/memory_resource.h"

namespace bloomery {

// The same number as a size. Throws std::bad_alloc where an address has fewer bits (32-bit hosts).
std::size_t memory_bytes(std::uint64_t bytes);

class Buffer {
 public:
  static constexpr std::size_t kAlignment = 64;
  // From this size on, memory without a resource comes from the kernel: zeroed lazily, in whole
  // huge pages of 2 MiB. Half a page is where random reads in small pages begin to cost more than
  // the rest of it.
  static constexpr std::size_t kMappedFrom = std::size_t{1} << 20;

  Buffer() = default;
  // Memory comes from `memory`, or from the system where it is null. Memory of a ZeroedMemory
  // (zeroed_memory.h) is not zeroed again. Throws std::bad_alloc.
  explicit Buffer(std::size_t size, std::pmr::memory_resource* memory = nullptr);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  Buffer clone() const;  // same bytes, same source of memory
  ByteSpan span() { return {data_, size_}; }
  ByteView view() const { return {data_, size_}; }
  std::size_t size() const { return size_; }
  std::pmr::memory_resource* memory() const { return memory_; }

 private:
  void release() noexcept;
  std::pmr::memory_resource* memory_ = nullptr;
  std::size_t size_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace bloomery
