// Kernels of classic filters whose probes are one 32-bit hash and its rotation as step: probe i is
// (hash + i * rotr(hash, 17)) mod 2^32 mod bits, of whole bytes. One table, one row per instruction
// set, chosen as the one of block_kernels.h.
#pragma once
#include <span>
#include <string_view>

#include "bloomery/base/bytes.h"

namespace bloomery::simd {

// Bits are whole bytes, so the byte of a probe is (h >> 3) mod bytes, and its bit h mod 8: numbers
// of 29 bits are divided. Precondition of all: 1 <= bytes <= kMostStepBytes.
inline constexpr std::uint64_t kMostStepBytes = std::uint64_t{1} << 29;

// Smaller filters sit in the second-level cache.
inline constexpr std::uint32_t kFetchAheadFromBytes = 256 * 1024;

struct StepShape {  // small enough for a register
  std::uint32_t bytes;
  std::uint32_t probes;  // at least 1
};

struct StepKernels {
  std::string_view name;  // "baseline", "avx2"
  // In registers throughout: a lookup takes ten nanoseconds, and memory in between shows.
  bool (*may_contain)(const std::byte* bits, StepShape shape, std::uint32_t hash) noexcept;
  // The hash is murmur1_unfinished(key, seed).
  bool (*may_contain_key)(const std::byte* bits, StepShape shape, ByteView key,
                          std::uint32_t seed) noexcept;
  void (*insert_batch)(std::byte* bits, StepShape shape, const std::uint32_t* hashes,
                       std::size_t count) noexcept;
};

std::span<const StepKernels> step_kernels();  // all that this CPU can run, best first
// The best, or where the environment variable BLOOMERY_CPU says "baseline", that one.
const StepKernels& active_step_kernels();

#if defined(__x86_64__)
extern const StepKernels kStepAvx2;
#endif

}  // namespace bloomery::simd
