// Kernels that go to the filter once for each key, at a random place: right for small batches and
// for filters that fit in the cache of the device.
#pragma once
#include "bloomery/gpu/cuda/keys.h"
#include "bloomery/gpu/cuda/marks.h"

namespace bloomery::gpu::cuda {

inline constexpr u32 kAllLanes = 0xffffffff;
inline constexpr u32 kWarp = 32;
inline constexpr u32 kDirectThreads = 256;
inline constexpr u32 kKeysPerLane = 4;
inline constexpr u32 kDirectKeys = kDirectThreads * kKeysPerLane;  // of one CTA

// A filter as kernels see it.
struct Target {
  u8* blocks;
  const u8* seeds;  // null unless seeded
  u32 count;        // of blocks
  Spreads spreads;
};

__device__ __forceinline__ void or_word(void* at, u64 bits) {
  asm volatile("red.relaxed.gpu.global.or.b64 [%0],%1;" ::"l"(at), "l"(bits) : "memory");
}

// One thread sets one key, testing first through L1: a stale line can only miss bits. For keys that
// a bucket had no room for. They are mostly repeats, and blind atomics on one line are 20 times
// slower.
__device__ __forceinline__ void test_and_set(u8* blocks, u32 block, const Marks& marks) {
  ulonglong2* at = reinterpret_cast<ulonglong2*>(blocks + u64{block} * block::kBlockBytes);
  ulonglong2 have[4];
#pragma unroll
  for (u32 i = 0; i < 4; ++i) have[i] = at[i];
#pragma unroll
  for (u32 i = 0; i < block::kSectors; ++i) {
    const u32 mark = mark_of(marks, i);
    const u64 bit = u64{1} << (mark & 63);
    if (mark < 64 && ((i % 2 == 1 ? have[i / 2].y : have[i / 2].x) & bit) == 0)
      or_word(reinterpret_cast<u64*>(at) + i, bit);
  }
}
__device__ __forceinline__ bool test_one(const u8* blocks, u32 block, const Marks& marks) {
  const u64* at = reinterpret_cast<const u64*>(blocks + u64{block} * block::kBlockBytes);
  bool found = true;
#pragma unroll
  for (u32 i = 0; i < block::kSectors; ++i) {
    const u32 mark = mark_of(marks, i);
    found &= mark >= 64 || (at[i] >> (mark & 63) & 1) != 0;
  }
  return found;
}

// The answers of a warp: bit l of words[j] is that of key `base` + 32 j + l. Whole words for bits,
// zero past the last key.
template <bool kBits>
__device__ __forceinline__ void put_answers(const u32 (&words)[kKeysPerLane], u64 base, u64 keys,
                                            u8* out) {
  const u32 lane = threadIdx.x % kWarp;
  if (kBits || base + kWarp * kKeysPerLane > keys) {
#pragma unroll
    for (u32 j = 0; j < kKeysPerLane; ++j) {
      const u64 at = base + kWarp * j;
      if (kBits) {
        if (lane == 0 && at < keys)
          reinterpret_cast<u32*>(out)[at / kWarp] =
              keys - at >= kWarp ? words[j] : words[j] & ((1u << (keys - at)) - 1);
      } else if (at + lane < keys) {
        out[at + lane] = words[j] >> lane & 1;
      }
    }
    return;
  }
  const u32 a = (lane & 8) != 0 ? words[1] : words[0];
  const u32 b = (lane & 8) != 0 ? words[3] : words[2];
  const u32 four = ((lane & 16) != 0 ? b : a) >> lane % 8 * 4 & 15;
  __stcs(reinterpret_cast<u32*>(out + base) + lane, four * 0x00204081u & 0x01010101u);
}

// Four lanes look up four keys: lane r reads sectors 2r and 2r + 1 of each, so that a block is one
// request of 64 bytes. Its two bytes of marks of each key come by a transposition, two shuffles.
template <bool kEight>
__device__ __forceinline__ void look_up(const u32 (&block)[kKeysPerLane],
                                        const Marks (&marks)[kKeysPerLane], const u8* blocks,
                                        u32 (&words)[kKeysPerLane]) {
  const u32 r = threadIdx.x & 3;
  const u8* mine = blocks + r * 16;
  uint4 read[kKeysPerLane][4];
  u32 even[kKeysPerLane],
      odd[kKeysPerLane];  // marks of keys 0 and 2 (low half, high half); 1 and 3
#pragma unroll
  for (u32 j = 0; j < kKeysPerLane; ++j) {
#pragma unroll
    for (u32 i = 0; i < 4; ++i)
      read[j][i] = __ldg(reinterpret_cast<const uint4*>(
          mine + u64{__shfl_sync(kAllLanes, block[j], i, 4)} * block::kBlockBytes));
    const u32 got = __shfl_xor_sync(kAllLanes, (r & 2) != 0 ? marks[j].low : marks[j].high, 2);
    const u32 x = (r & 2) != 0 ? got : marks[j].low;   // of key r & 1
    const u32 y = (r & 2) != 0 ? marks[j].high : got;  // of key 2 + (r & 1)
    const u32 low = __byte_perm(x, y, 0x5410), high = __byte_perm(x, y, 0x7632);
    const u32 other = __shfl_xor_sync(kAllLanes, (r & 1) != 0 ? low : high, 1);
    even[j] = (r & 1) != 0 ? other : low;
    odd[j] = (r & 1) != 0 ? high : other;
  }
#pragma unroll
  for (u32 j = 0; j < kKeysPerLane; ++j) {
    words[j] = 0;
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      const u32 first = (i % 2 == 1 ? odd[j] : even[j]) >> (i >= 2 ? 16 : 0), second = first >> 8;
      const u32 a = (first & 32) != 0 ? read[j][i].y : read[j][i].x;
      const u32 b = (second & 32) != 0 ? read[j][i].w : read[j][i].z;
      u32 has_a = __funnelshift_r(a, a, first), has_b = __funnelshift_r(b, b, second);
      if constexpr (!kEight) has_a |= first >> 6, has_b |= second >> 6;
      u32 found = __ballot_sync(kAllLanes, (has_a & has_b & 1) != 0);
      found &= found >> 1;
      words[j] |= (found & found >> 2 & 0x11111111u) << i;
    }
  }
}

static __constant__ std::array<block::WindowSet, block::kWindowSets> windows_on_device =
    block::kWindows;

template <bool kEight, bool kSeeded>
__device__ __forceinline__ Marks marks_in(const Target& target, const Hash128& hash, u32 block) {
  if constexpr (kSeeded) {
    return seeded_marks<kEight>(hash, windows_on_device[target.seeds[block] % block::kWindowSets],
                                target.spreads);
  }
  return marks_of<kEight>(hash, target.spreads);
}

template <bool kEight, bool kBits, bool kSeeded, class Source>
__global__ void __launch_bounds__(kDirectThreads, 5)
    look_direct(Source source, u64 keys, Target target, u8* out) {
  const u64 warp = (u64{blockIdx.x} * kDirectThreads + threadIdx.x) / kWarp;
  const u64 base = warp * (kWarp * kKeysPerLane);
  if (base >= keys) return;
  typename Source::Loaded key[kKeysPerLane];
  u32 block[kKeysPerLane], words[kKeysPerLane];
  Marks marks[kKeysPerLane];
#pragma unroll
  for (u32 j = 0; j < kKeysPerLane; ++j)
    key[j] = source.load(min(base + kWarp * j + threadIdx.x % kWarp, keys - 1));
#pragma unroll
  for (u32 j = 0; j < kKeysPerLane; ++j) {
    const Hash128 hash = source.hash(source.carried(key[j]));
    block[j] = block_of(hash.low, target.count);
    marks[j] = marks_in<kEight, kSeeded>(target, hash, block[j]);
  }
  look_up<kEight>(block, marks, target.blocks, words);
  put_answers<kBits>(words, base, keys, out);
}

// Eight lanes set eight keys: lane r has sector r of each, so that a block is one instruction.
// Lanes past the last key set it again.
template <bool kEight, class Source>
__global__ void __launch_bounds__(kDirectThreads)
    insert_direct(Source source, u64 keys, Target target) {
  const u32 lane = threadIdx.x % kWarp, r = lane & 7;
  const u64 warp = (u64{blockIdx.x} * kDirectThreads + threadIdx.x) / kWarp;
  const u64 base = warp * (kWarp * kKeysPerLane);
  if (base >= keys) return;
  typename Source::Loaded key[kKeysPerLane];
#pragma unroll
  for (u32 j = 0; j < kKeysPerLane; ++j)
    key[j] = source.load(min(base + kWarp * j + lane, keys - 1));
#pragma unroll
  for (u32 j = 0; j < kKeysPerLane; ++j) {
    const Hash128 hash = source.hash(source.carried(key[j]));
    const u32 block = block_of(hash.low, target.count);
    const Marks marks = marks_of<kEight>(hash, target.spreads);
#pragma unroll
    for (u32 i = 0; i < 8; ++i) {
      const u32 low = __shfl_sync(kAllLanes, marks.low, i, 8);
      const u32 high = __shfl_sync(kAllLanes, marks.high, i, 8);
      const u32 mark = __byte_perm(low, high, r) & 0xff;
      u8* at =
          target.blocks + u64{__shfl_sync(kAllLanes, block, i, 8)} * block::kBlockBytes + r * 8;
      if (kEight || mark < 64) or_word(at, u64{1} << (mark & 63));
    }
  }
}

// What hashing costs alone: both words are used, so that nothing is left out. For benchmarks.
template <class Source>
__global__ void __launch_bounds__(kDirectThreads) hash_only(Source source, u64 keys, u64* out) {
  const u64 i = u64{blockIdx.x} * kDirectThreads + threadIdx.x;
  if (i >= keys) return;
  const Hash128 hash = source.hash(source.carried(source.load(i)));
  if ((hash.low ^ hash.high) == 0x123456789abcdef) *out = i;
}

}  // namespace bloomery::gpu::cuda
