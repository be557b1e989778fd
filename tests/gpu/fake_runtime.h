// A device that does not exist: memory of this process, and kernels that are the definitions in
// layout/ and hash/. It counts what is asked of it and fails where a test says so.
#pragma once
#include <cstring>
#include <map>
#include <memory>

#include "bloomery/gpu/runtime.h"
#include "bloomery/hash/profile.h"

namespace bloomery::gpu {

struct FakeDevice {
  std::uint64_t free_bytes = std::uint64_t{1} << 30;
  std::map<const void*, std::pair<std::uint64_t, int>> memory;  // size, device
  std::size_t allocations = 0, inserts = 0, lookups = 0, partitioned = 0, finishes = 0;
  bool is_failing = false;  // as after a fault of a kernel
  int devices = 2;
  std::uint32_t compute_major = 9;
};
inline FakeDevice fake;

namespace fake_functions {

using internal::KeyKind;
using internal::KeySource;

inline Status state() {
  if (!fake.is_failing) return ok();
  return Error{ErrorCode::kIo, "a kernel failed on the GPU"};
}

inline Hash128 digest_of(const KeySource& keys, std::uint64_t i) {
  const auto string = [&](auto* offsets) {
    const auto* data = static_cast<const std::byte*>(keys.data);
    return Hasher{Profile::kXxh3, keys.seed}(
        ByteView{data + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])});
  };
  if (keys.kind == KeyKind::kStrings32)
    return string(static_cast<const std::uint32_t*>(keys.first));
  if (keys.kind == KeyKind::kStrings64)
    return string(static_cast<const std::uint64_t*>(keys.first));
  const Profile profile = keys.kind == KeyKind::kMix ? Profile::kMix : Profile::kXxh3;
  return Hasher{profile, keys.seed}(static_cast<const std::uint64_t*>(keys.first)[i]);
}

inline Result<void*> allocate(int device, std::uint64_t bytes) {
  ++fake.allocations;
  if (bytes > fake.free_bytes) return Error{ErrorCode::kIo, "GPU 0 has not enough memory"};
  fake.free_bytes -= bytes;
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  fake.memory[memory] = {bytes, device};
  return memory;
}
inline void release(int, void* memory) {
  fake.free_bytes += fake.memory.at(memory).first;
  fake.memory.erase(memory);
  std::free(memory);
}
inline Status check_pointer(int device, const void* memory, std::string_view what) {
  auto after = fake.memory.upper_bound(memory);
  if (after != fake.memory.begin()) {
    const auto& [start, size] = *std::prev(after);
    if (static_cast<const char*>(memory) < static_cast<const char*>(start) + size.first) {
      if (size.second == device) return ok();
      return Error{ErrorCode::kInvalidArgument, std::string{what} + " lie on another GPU"};
    }
  }
  return Error{ErrorCode::kInvalidArgument, std::string{what} + " lie in host memory"};
}

inline Status insert(int, const internal::InsertJob& job, Stream) {
  ++fake.inserts;
  fake.partitioned += job.layout != nullptr;
  auto* const words = static_cast<std::uint64_t*>(job.filter.blocks);
  for (std::uint64_t i = 0; i < job.keys.count; ++i) {
    const Hash128 hash = digest_of(job.keys, i);
    const auto mask = block::mask_of(hash.low, hash.high, job.filter.probes);
    const std::uint64_t at = block::block_of(hash.low, job.filter.count) * block::kSectors;
    for (std::uint32_t s = 0; s < block::kSectors; ++s) words[at + s] |= mask[s];
  }
  return state();
}
inline Status look_up(int, const internal::LookupJob& job, Stream) {
  ++fake.lookups;
  fake.partitioned += job.layout != nullptr;
  const auto* const words = static_cast<const std::uint64_t*>(job.filter.blocks);
  const auto* const seeds = static_cast<const std::uint8_t*>(job.filter.seeds);
  auto* const out = static_cast<std::uint8_t*>(job.answers);
  std::memset(out, 0, answer_bytes(job.kind, job.keys.count));
  for (std::uint64_t i = 0; i < job.keys.count; ++i) {
    const Hash128 hash = digest_of(job.keys, i);
    const std::uint64_t at = block::block_of(hash.low, job.filter.count);
    const auto mask =
        block::mask_of(hash.low, hash.high, job.filter.probes, seeds == nullptr ? 0 : seeds[at]);
    bool found = true;
    for (std::uint32_t s = 0; s < block::kSectors; ++s)
      found = found && (words[at * block::kSectors + s] & mask[s]) == mask[s];
    if (job.kind == AnswerKind::kBytes)
      out[i] = found;
    else
      out[i / 8] = static_cast<std::uint8_t>(out[i / 8] | found << i % 8);
  }
  return state();
}
inline Status merge(int, void* into, const void* from, std::uint64_t bytes, Stream) {
  for (std::uint64_t i = 0; i < bytes / 8; ++i)
    static_cast<std::uint64_t*>(into)[i] |= static_cast<const std::uint64_t*>(from)[i];
  return state();
}
inline Status health(int, const internal::FilterMemory& filter, internal::HealthSums* sums,
                     Stream) {
  *sums = {};
  const auto* words = static_cast<const std::uint64_t*>(filter.blocks);
  for (std::uint32_t b = 0; b < filter.count; ++b, words += block::kSectors)
    for (std::uint32_t pattern = 0; pattern < block::kPatterns; ++pattern) {
      double product = 1;
      for (std::uint32_t s = 0; s < block::kSectors; ++s) {
        const int ones = std::popcount(words[s]);
        if (pattern == 0) sums->ones += static_cast<std::uint64_t>(ones);
        if ((block::pattern(pattern, filter.probes) >> s & 1) != 0) product *= ones / 64.0;
      }
      sums->products += product / block::kPatterns;
    }
  return state();
}

}  // namespace fake_functions

inline const internal::Runtime& fake_runtime() {
  using namespace fake_functions;
  static constexpr internal::Runtime kRuntime{
      []() -> Result<std::vector<DeviceInfo>> {
        std::vector<DeviceInfo> all;
        for (int i = 0; i < fake.devices; ++i)
          all.push_back({i, "no GPU", fake.compute_major, 0, 1, std::uint64_t{1} << 30, 1 << 20});
        return all;
      },
      allocate,
      release,
      [](int, std::uint64_t bytes) -> Result<void*> { return std::malloc(bytes); },
      [](int, void* memory) { std::free(memory); },
      [](const void*) { return false; },
      check_pointer,
      [](int) -> Result<Stream> { return Stream{}; },
      [](int, Stream) {},
      [](int, Stream) {
        ++fake.finishes;
        return state();
      },
      [](int, void* to, const void* from, std::uint64_t bytes, Stream) {
        std::memcpy(to, from, bytes);
        return state();
      },
      [](int, void* memory, std::uint64_t bytes, Stream) {
        std::memset(memory, 0, bytes);
        return state();
      },
      insert,
      look_up,
      merge,
      health};
  return kRuntime;
}

}  // namespace bloomery::gpu
