// Integers by short names, and the few operations that a GPU has as instructions. Compiles for the
// device and for the CPU, whose tests compare the code that stands on it with the definitions.
#pragma once
#include <cstdint>

#include "bloomery/layout/block.h"

#ifdef __CUDACC__
#define BLOOMERY_BOTH __host__ __device__ __forceinline__
#else
#define BLOOMERY_BOTH inline
#endif

namespace bloomery::gpu::cuda {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Marks {  // byte i: the bit of sector i in six bits, and 0x40 where the sector is not used
  u32 low, high;
};

BLOOMERY_BOTH u64 multiply_high(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  return static_cast<u64>((block::Product{a} * b) >> 64);
#endif
}

// Four bytes chosen from the eight of a (0 to 3) and b (4 to 7), by the nibbles of `which`.
BLOOMERY_BOTH u32 choose_bytes(u32 a, u32 b, u32 which) {
#ifdef __CUDA_ARCH__
  return __byte_perm(a, b, which);
#else
  const u64 both = u64{b} << 32 | a;
  u32 chosen = 0;
  for (u32 i = 0; i < 4; ++i)
    chosen |= (static_cast<u32>(both >> (which >> 4 * i & 7) * 8) & 0xff) << 8 * i;
  return chosen;
#endif
}

BLOOMERY_BOTH u32 reversed_bytes(u32 x) { return choose_bytes(x, 0, 0x0123); }
BLOOMERY_BOTH u64 reversed_bytes(u64 x) {
  return u64{reversed_bytes(static_cast<u32>(x))} << 32 | reversed_bytes(static_cast<u32>(x >> 32));
}

// Eight bytes at a multiple of eight. Keys are not written while they are read.
BLOOMERY_BOTH u64 load_word(const u64* word) {
#ifdef __CUDA_ARCH__
  return __ldg(reinterpret_cast<const unsigned long long*>(word));
#else
  return *word;
#endif
}

// The same for data that is read once: it need not stay in a cache.
BLOOMERY_BOTH u64 stream_word(const u64* word) {
#ifdef __CUDA_ARCH__
  return __ldcs(reinterpret_cast<const unsigned long long*>(word));
#else
  return *word;
#endif
}

}  // namespace bloomery::gpu::cuda
