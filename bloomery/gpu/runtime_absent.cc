// A build without CUDA: there is no device, and open_device() says why. The other functions cannot
// be reached without one.
#include "bloomery/gpu/runtime.h"

namespace bloomery::gpu::internal {
namespace {

Error absent() {
  return {ErrorCode::kUnsupported,
          "this build has no GPU support; build with -DBLOOMERY_GPU=ON, which needs CUDA's nvcc"};
}

}  // namespace

const Runtime& built_runtime() {
  static constexpr Runtime kRuntime{
      []() -> Result<std::vector<DeviceInfo>> { return absent(); },
      [](int, std::uint64_t) -> Result<void*> { return absent(); },
      [](int, void*) {},
      [](int, std::uint64_t) -> Result<void*> { return absent(); },
      [](int, void*) {},
      [](const void*) { return false; },
      [](int, const void*, std::string_view) -> Status { return absent(); },
      [](int) -> Result<Stream> { return absent(); },
      [](int, Stream) {},
      [](int, Stream) -> Status { return absent(); },
      [](int, void*, const void*, std::uint64_t, Stream) -> Status { return absent(); },
      [](int, void*, std::uint64_t, Stream) -> Status { return absent(); },
      [](int, const InsertJob&, Stream) -> Status { return absent(); },
      [](int, const LookupJob&, Stream) -> Status { return absent(); },
      [](int, void*, const void*, std::uint64_t, Stream) -> Status { return absent(); },
      [](int, const FilterMemory&, HealthSums*, Stream) -> Status { return absent(); },
  };
  return kRuntime;
}

}  // namespace bloomery::gpu::internal
