#include "bloomery/gpu/device.h"

#include <utility>

#include "bloomery/base/message.h"
#include "bloomery/gpu/runtime.h"

namespace bloomery::gpu {
namespace {

bool is_too_old(const DeviceInfo& info) {
  return info.compute_major * 10 + info.compute_minor < kOldestCompute;
}

}  // namespace

namespace internal {

std::vector<Device> devices_of(const Runtime& runtime) {
  std::vector<Device> usable;
  const auto found = runtime.devices();
  if (!found) return usable;
  for (const DeviceInfo& info : *found)
    if (!is_too_old(info)) usable.emplace_back(info, runtime);
  return usable;
}

Result<Device> open_device_of(const Runtime& runtime, int index) {
  const auto found = runtime.devices();
  if (!found) return found.error();
  if (index < 0 || static_cast<std::size_t>(index) >= found->size())
    return Error{ErrorCode::kInvalidArgument,
                 message("there is no GPU number ", index, "; this machine has ", found->size(),
                         ", counted from 0")};
  const DeviceInfo& info = (*found)[static_cast<std::size_t>(index)];
  if (is_too_old(info))
    return Error{ErrorCode::kUnsupported,
                 message("GPU ", index, " (", info.name, ") has compute capability ",
                         info.compute_major, ".", info.compute_minor,
                         "; filters need 9.0 or newer, the oldest that was tested")};
  return Device{info, runtime};
}

}  // namespace internal

std::vector<Device> devices() { return internal::devices_of(internal::built_runtime()); }
Result<Device> open_device(int index) {
  return internal::open_device_of(internal::built_runtime(), index);
}
Status finish(const Device& device, Stream stream) {
  return device.runtime().finish(device.index(), stream);
}

Result<DeviceMemory> DeviceMemory::allocate(const Device& device, std::uint64_t bytes) {
  DeviceMemory memory;
  memory.runtime_ = &device.runtime();
  memory.device_ = device.index();
  if (bytes == 0) return memory;
  const auto data = device.runtime().allocate(device.index(), bytes);
  if (!data) return data.error();
  memory.data_ = *data;
  memory.size_ = bytes;
  return memory;
}

Result<DeviceMemory> DeviceMemory::upload(const Device& device, const void* from,
                                          std::uint64_t bytes) {
  auto memory = allocate(device, bytes);
  if (!memory || bytes == 0) return memory;
  const internal::Runtime& runtime = device.runtime();
  if (auto copied = runtime.copy(device.index(), memory->data(), from, bytes, {}); !copied)
    return copied.error();
  if (auto done = runtime.finish(device.index(), {}); !done) return done.error();
  return memory;
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : runtime_{other.runtime_},
      device_{other.device_},
      data_{std::exchange(other.data_, nullptr)},
      size_{std::exchange(other.size_, 0)} {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(runtime_, other.runtime_);
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) runtime_->release(device_, data_);
}

Status DeviceMemory::download(void* to, std::uint64_t bytes, std::uint64_t from) const {
  if (from > size_ || bytes > size_ - from)
    return Error{ErrorCode::kInvalidArgument,
                 message("cannot copy ", bytes, " bytes from byte ", from, " of device memory of ",
                         size_, " bytes")};
  if (bytes == 0) return ok();
  const auto copied =
      runtime_->copy(device_, to, static_cast<const char*>(data_) + from, bytes, {});
  return copied ? runtime_->finish(device_, {}) : copied;
}

Result<OwnedStream> OwnedStream::make(const Device& device) {
  const auto stream = device.runtime().make_stream(device.index());
  if (!stream) return stream.error();
  OwnedStream owned;
  owned.runtime_ = &device.runtime();
  owned.device_ = device.index();
  owned.stream_ = *stream;
  return owned;
}

OwnedStream::OwnedStream(OwnedStream&& other) noexcept
    : runtime_{std::exchange(other.runtime_, nullptr)},
      device_{other.device_},
      stream_{std::exchange(other.stream_, {})} {}

OwnedStream& OwnedStream::operator=(OwnedStream&& other) noexcept {
  std::swap(runtime_, other.runtime_);
  std::swap(device_, other.device_);
  std::swap(stream_, other.stream_);
  return *this;
}

OwnedStream::~OwnedStream() {
  if (runtime_ != nullptr) runtime_->release_stream(device_, stream_);
}

}  // namespace bloomery::gpu
