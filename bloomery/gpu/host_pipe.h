// The way of keys in host memory to a device: chunks through pinned buffers, so that copies and
// kernels overlap. The link of the device (PCIe) is the limit.
#pragma once
#include <span>
#include <vector>

#include "bloomery/gpu/batch.h"
#include "bloomery/gpu/copy_crew.h"

namespace bloomery::gpu {

struct PipeOptions {
  std::uint64_t chunk_keys = std::uint64_t{1} << 22;
  // Of strings: bytes for each key of a chunk, on average. A chunk ends where either is reached.
  std::uint32_t string_bytes = 0;
  unsigned copy_threads = 0;  // fill the buffers from pageable memory; 0: eight, or as many as CPUs
};

// Buffers and streams, made once and kept: pinning memory costs far more than a call. One call at a
// time uses a pipe. Keys in pinned memory are copied from where they lie.
class HostPipe {
 public:
  static constexpr std::size_t kDepth = 3;  // chunks in flight

  // kInvalidArgument for chunks of no keys; kIo where memory is short.
  static Result<HostPipe> create(const Device& device, const PipeOptions& options = {});
  HostPipe(HostPipe&&) noexcept = default;
  HostPipe& operator=(HostPipe&&) noexcept = default;
  ~HostPipe();

  const Device& device() const { return device_; }

 private:
  friend class DeviceBlock;
  // Memory of the host that the device reads and writes by itself.
  class Pinned {
   public:
    Pinned() = default;
    static Result<Pinned> allocate(const Device& device, std::uint64_t bytes);
    Pinned(Pinned&& other) noexcept;
    Pinned& operator=(Pinned&& other) noexcept;
    ~Pinned();
    std::byte* data() const { return data_; }

   private:
    const internal::Runtime* runtime_ = nullptr;
    int device_ = 0;
    std::byte* data_ = nullptr;
  };
  struct Slot {
    explicit Slot(OwnedStream made) : stream{std::move(made)} {}
    OwnedStream stream;
    Pinned staging, back;
    DeviceMemory keys, answers;
    // Answers that wait in `back` to be copied out.
    std::uint8_t* out = nullptr;
    std::uint64_t out_bytes = 0;
  };

  HostPipe(const Device& device, const PipeOptions& options) : device_{device}, options_{options} {}
  // Keys of host memory; `answers` is null for inserts.
  Status run(const internal::Batched& filter, const internal::KeySource& keys,
             std::uint8_t* answers, AnswerKind kind);
  Status run_chunks(internal::CopyCrew& crew, const internal::Batched& filter,
                    const internal::KeySource& keys, std::uint8_t* answers, AnswerKind kind);
  Result<std::uint64_t> keys_of_chunk(const internal::KeySource& keys, std::uint64_t first) const;
  Result<internal::KeySource> send(internal::CopyCrew& crew, Slot& slot,
                                   const internal::KeySource& keys, std::uint64_t first,
                                   std::uint64_t count);
  Status send_bytes(internal::CopyCrew& crew, Slot& slot, std::uint64_t at, const void* from,
                    std::uint64_t bytes);
  Status take_back(internal::CopyCrew& crew, Slot& slot);

  Device device_;
  PipeOptions options_;
  std::vector<Slot> slots_;
  std::uint64_t buffer_bytes_ = 0;
};

}  // namespace bloomery::gpu
