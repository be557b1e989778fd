// What filters need of a GPU, as a table of functions: CUDA's, those of a build without it, which
// all fail, and those of the tests. Not for users.
#pragma once
#include <string_view>
#include <vector>

#include "bloomery/gpu/device.h"
#include "bloomery/gpu/layouts.h"

namespace bloomery::gpu::internal {

enum class KeyKind : std::uint8_t { kMix, kXxh3, kStrings32, kStrings64, kSplitHashes };

// Keys on the device, with what their hash takes.
struct KeySource {
  KeyKind kind;
  const void* first;  // numbers, hashes, or offsets
  const void* data;   // of strings: where offset 0 points, which may lie before the memory
  const void* end;    // the last multiple of eight within the memory of the strings
  std::uint64_t seed;
  std::uint64_t count;

  KeySource part(std::uint64_t from, std::uint64_t keys) const {
    const std::uint64_t each = kind == KeyKind::kStrings32 ? 4 : 8;
    KeySource source = *this;
    source.first = static_cast<const char*>(first) + from * each;
    source.count = keys;
    return source;
  }
};
constexpr std::uint32_t carried_bytes(KeyKind kind) {
  return kind == KeyKind::kStrings32 || kind == KeyKind::kStrings64 ? 16 : 8;
}

struct FilterMemory {
  void* blocks;
  const void* seeds;  // null unless seeded
  std::uint32_t count;
  std::uint32_t probes;
};

// `layout` and `workspace` are null for the direct way.
struct InsertJob {
  FilterMemory filter;
  KeySource keys;
  bool empty;  // all bits are known to be zero
  const InsertLayout* layout;
  void* workspace;
};
struct LookupJob {
  FilterMemory filter;
  KeySource keys;
  void* answers;
  AnswerKind kind;
  const LookupLayout* layout;
  void* workspace;
};

// Sums over all blocks: of set bits, and of the mean product of the shares of bits set in the
// sectors of a pattern. On the device.
struct HealthSums {
  std::uint64_t ones;
  double products;
};

struct Runtime {
  // Those that the driver shows, too old ones included. An error says why there are none.
  Result<std::vector<DeviceInfo>> (*devices)();

  Result<void*> (*allocate)(int device, std::uint64_t bytes);
  void (*release)(int device, void* memory);
  Result<void*> (*allocate_pinned)(int device, std::uint64_t bytes);
  void (*release_pinned)(int device, void* memory);
  bool (*is_pinned)(const void* memory);
  // ok where kernels of the device may use it.
  Status (*check_pointer)(int device, const void* memory, std::string_view what);

  Result<Stream> (*make_stream)(int device);
  void (*release_stream)(int device, Stream stream);
  Status (*finish)(int device, Stream stream);

  // These return after they have been launched, or copied where a side is pageable host memory.
  Status (*copy)(int device, void* to, const void* from, std::uint64_t bytes, Stream stream);
  Status (*clear)(int device, void* memory, std::uint64_t bytes, Stream stream);
  Status (*insert)(int device, const InsertJob& job, Stream stream);
  Status (*look_up)(int device, const LookupJob& job, Stream stream);
  Status (*merge)(int device, void* into, const void* from, std::uint64_t bytes, Stream stream);
  Status (*health)(int device, const FilterMemory& filter, HealthSums* sums, Stream stream);
};

// That of this build.
const Runtime& built_runtime();
std::vector<Device> devices_of(const Runtime& runtime);
Result<Device> open_device_of(const Runtime& runtime, int index);

}  // namespace bloomery::gpu::internal
