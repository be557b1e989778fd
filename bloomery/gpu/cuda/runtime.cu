// The table of functions that filters need, by CUDA's runtime, which is linked statically: a
// program starts without a driver and has no devices then.
#include <cuda_runtime_api.h>

#include "bloomery/base/message.h"
#include "bloomery/gpu/cuda/launches.h"

namespace bloomery::gpu::internal {
namespace {

Error failed(std::string_view what, cudaError_t error) {
  return {ErrorCode::kIo, message(what, " failed on the GPU: ", cudaGetErrorString(error))};
}
Status status_of(std::string_view what, cudaError_t error) {
  return error == cudaSuccess ? ok() : Status{failed(what, error)};
}

// The current device of this thread is the caller's: it is put back.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    if (cudaGetDevice(&before_) == cudaSuccess && before_ != device)
      is_changed_ = cudaSetDevice(device) == cudaSuccess;
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    if (is_changed_) cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool is_changed_ = false;
};

Result<std::vector<DeviceInfo>> cuda_devices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver)
    return Error{ErrorCode::kIo,
                 "there is no NVIDIA driver, or one too old for CUDA 13; install driver 580 or "
                 "newer"};
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    return Error{ErrorCode::kIo, "the NVIDIA driver shows no GPU on this machine"};
  if (error != cudaSuccess) return failed("counting the devices", error);
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (const cudaError_t unknown = cudaGetDeviceProperties(&properties, i); unknown != cudaSuccess)
      return failed("reading the properties of a device", unknown);
    devices.push_back({i, properties.name, static_cast<std::uint32_t>(properties.major),
                       static_cast<std::uint32_t>(properties.minor),
                       static_cast<std::uint32_t>(properties.multiProcessorCount),
                       properties.totalGlobalMem,
                       static_cast<std::uint64_t>(properties.l2CacheSize)});
  }
  return devices;
}

Result<void*> allocate(int device, std::uint64_t bytes) {
  const OnDevice on{device};
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // not an error of the next call
    std::size_t free_bytes = 0, all_bytes = 0;
    cudaMemGetInfo(&free_bytes, &all_bytes);
    return Error{ErrorCode::kIo, message("GPU ", device, " has not enough memory for ", bytes,
                                         " bytes: ", free_bytes, " of ", all_bytes,
                                         " are free; use a smaller filter or batch")};
  }
  if (error != cudaSuccess) return failed("allocating memory", error);
  return memory;
}
void release(int device, void* memory) {
  const OnDevice on{device};
  cudaFree(memory);
}
Result<void*> allocate_pinned(int device, std::uint64_t bytes) {
  const OnDevice on{device};
  void* memory = nullptr;
  if (const cudaError_t error = cudaMallocHost(&memory, bytes); error != cudaSuccess) {
    cudaGetLastError();
    return Error{ErrorCode::kIo, message("cannot pin ", bytes, " bytes of host memory: ",
                                         cudaGetErrorString(error), "; use smaller chunks")};
  }
  return memory;
}
void release_pinned(int device, void* memory) {
  const OnDevice on{device};
  cudaFreeHost(memory);
}
bool is_pinned(const void* memory) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeHost;
}
Status check_pointer(int device, const void* memory, std::string_view what) {
  cudaPointerAttributes attributes{};
  if (const cudaError_t error = cudaPointerGetAttributes(&attributes, memory);
      error != cudaSuccess) {
    cudaGetLastError();
    return failed(message("looking up the memory of ", what), error);
  }
  if (attributes.type == cudaMemoryTypeManaged) return ok();
  if (attributes.type != cudaMemoryTypeDevice)
    return Error{ErrorCode::kInvalidArgument,
                 message(what, " lie in host memory; pass device memory, or keys as a span")};
  if (attributes.device != device)
    return Error{ErrorCode::kInvalidArgument,
                 message(what, " lie on GPU ", attributes.device, ", and the filter on GPU ",
                         device, "; copy one of them")};
  return ok();
}

Result<Stream> make_stream(int device) {
  const OnDevice on{device};
  cudaStream_t stream = nullptr;
  const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) return failed("making a stream", error);
  return Stream{stream};
}
void release_stream(int device, Stream stream) {
  const OnDevice on{device};
  cudaStreamDestroy(stream.handle());
}
Status finish(int device, Stream stream) {
  const OnDevice on{device};
  return status_of("work of a stream", cudaStreamSynchronize(stream.handle()));
}
Status copy(int device, void* to, const void* from, std::uint64_t bytes, Stream stream) {
  const OnDevice on{device};
  return status_of("a copy", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.handle()));
}
Status clear(int device, void* memory, std::uint64_t bytes, Stream stream) {
  const OnDevice on{device};
  return status_of("clearing a filter", cudaMemsetAsync(memory, 0, bytes, stream.handle()));
}

using Insert = cudaError_t (*)(const InsertJob&, cudaStream_t);
using Look = cudaError_t (*)(const LookupJob&, cudaStream_t);
struct Launches {
  KeyKind kind;
  Insert insert_eight, insert_fewer;
  Look look_eight, look_fewer;
};
constexpr Launches kLaunches[] = {
    {KeyKind::kMix, cuda::insert_mix_eight, cuda::insert_mix_fewer, cuda::look_mix_eight,
     cuda::look_mix_fewer},
    {KeyKind::kXxh3, cuda::insert_xxh3_eight, cuda::insert_xxh3_fewer, cuda::look_xxh3_eight,
     cuda::look_xxh3_fewer},
    {KeyKind::kStrings32, cuda::insert_strings32_eight, cuda::insert_strings32_fewer,
     cuda::look_strings32_eight, cuda::look_strings32_fewer},
    {KeyKind::kStrings64, cuda::insert_strings64_eight, cuda::insert_strings64_fewer,
     cuda::look_strings64_eight, cuda::look_strings64_fewer},
};
const Launches& launches_for(KeyKind kind) {
  for (const Launches& row : kLaunches)
    if (row.kind == kind) return row;
  return kLaunches[0];
}

Status insert(int device, const InsertJob& job, Stream stream) {
  const OnDevice on{device};
  const Launches& row = launches_for(job.keys.kind);
  const Insert launch = job.filter.probes == 8 ? row.insert_eight : row.insert_fewer;
  return status_of("an insert", launch(job, stream.handle()));
}
Status look_up(int device, const LookupJob& job, Stream stream) {
  const OnDevice on{device};
  const Launches& row = launches_for(job.keys.kind);
  const Look launch = job.filter.probes == 8 ? row.look_eight : row.look_fewer;
  return status_of("a lookup", launch(job, stream.handle()));
}
Status merge(int device, void* into, const void* from, std::uint64_t bytes, Stream stream) {
  const OnDevice on{device};
  return status_of("a merge", cuda::merge_blocks(into, from, bytes, stream.handle()));
}
Status health(int device, const FilterMemory& filter, HealthSums* sums, Stream stream) {
  const OnDevice on{device};
  return status_of("a health report", cuda::sum_health(filter, sums, stream.handle()));
}

}  // namespace

const Runtime& built_runtime() {
  static constexpr Runtime kRuntime{cuda_devices,   allocate,  release,       allocate_pinned,
                                    release_pinned, is_pinned, check_pointer, make_stream,
                                    release_stream, finish,    copy,          clear,
                                    insert,         look_up,   merge,         health};
  return kRuntime;
}

}  // namespace bloomery::gpu::internal
