// The GPUs of this machine that filters may live on.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/gpu/spans.h"

namespace bloomery::gpu {

namespace internal {
struct Runtime;
}

struct DeviceInfo {
  int index = 0;  // as CUDA counts them
  std::string name;
  std::uint32_t compute_major = 0, compute_minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t cache_bytes = 0;  // L2
};

// A value: copy it freely.
class Device {
 public:
  // Not for users: those have open_device().
  Device(DeviceInfo info, const internal::Runtime& runtime)
      : info_{std::move(info)}, runtime_{&runtime} {}
  const DeviceInfo& info() const { return info_; }
  int index() const { return info_.index; }
  const internal::Runtime& runtime() const { return *runtime_; }

 private:
  DeviceInfo info_;
  const internal::Runtime* runtime_;
};

// Filters were tested on devices of compute capability 9.0; older ones are refused.
inline constexpr std::uint32_t kOldestCompute = 90;  // ten times major, and minor

// All devices that open_device() opens. Empty without a driver, a device, or GPU support in this
// build.
std::vector<Device> devices();
// kUnsupported where this build has no GPU support or the device is too old, kIo where there is no
// driver or no device, kInvalidArgument for an index that does not exist.
Result<Device> open_device(int index = 0);

// Waits until all work of the stream is done. Faults of kernels are reported here or by the next
// call.
Status finish(const Device& device, Stream stream = {});

// Memory on a device, owned. Its bytes are not initialised.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // kIo where the device has not as much memory left.
  static Result<DeviceMemory> allocate(const Device& device, std::uint64_t bytes);
  // Allocates and copies; returns when both are done.
  static Result<DeviceMemory> upload(const Device& device, const void* from, std::uint64_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  Status download(void* to, std::uint64_t bytes, std::uint64_t from = 0) const;  // waits
  DeviceBytes bytes() const { return {data_, size_}; }
  void* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  const internal::Runtime* runtime_ = nullptr;
  int device_ = 0;
  void* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// A stream of a device, owned.
class OwnedStream {
 public:
  static Result<OwnedStream> make(const Device& device);
  OwnedStream(OwnedStream&& other) noexcept;
  OwnedStream& operator=(OwnedStream&& other) noexcept;
  ~OwnedStream();
  Stream get() const { return stream_; }

 private:
  OwnedStream() = default;
  const internal::Runtime* runtime_ = nullptr;
  int device_ = 0;
  Stream stream_;
};

}  // namespace bloomery::gpu
