// The later passes of partitioned inserts and lookups: chunks of the filter are built in shared
// memory, or looked up one after the other while they lie in the cache.
#pragma once
#include "bloomery/gpu/cuda/partition.cuh"

namespace bloomery::gpu::cuda {

// What tells whether a chunk's coarse bucket overflowed; null where there is one level.
struct CoarseBuckets {
  const u32* cursor;
  u32 room;
  u32 shift;
};

// One CTA for each chunk. kEmpty: the filter is known to be all zero, so that chunks are written
// unread, but for those whose bucket overflowed: their other keys are there already. The number of
// probes is the compiler's to know: a loop that asks for it costs 5 to 8 % of an insert.
template <u32 kProbes, u32 kThreads, u32 kResident, bool kEmpty>
__global__ void __launch_bounds__(kThreads, kResident)
    build(Buckets chunks, CoarseBuckets coarse, Target target) {
  constexpr bool kEight = kProbes == block::kSectors;
  constexpr Spreads kSpreads = spreads_of(kProbes);
  extern __shared__ __align__(16) u8 shared[];
  uint4* const lines = reinterpret_cast<uint4*>(shared);
  const u32 first = blockIdx.x << chunks.shift;
  const u32 size = min(1u << chunks.shift, target.count - first);
  const u32 wanted = chunks.cursor[blockIdx.x], have = min(wanted, chunks.room);
  const bool overflown =
      wanted > chunks.room ||
      (coarse.cursor != nullptr && coarse.cursor[first >> coarse.shift] > coarse.room);
  if (have == 0) return;
  for (u32 i = threadIdx.x; i < size * 4; i += kThreads) lines[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  const u64* items = static_cast<const u64*>(chunks.items) + u64{blockIdx.x} * chunks.room;
  constexpr u32 kAtOnce = 4;
  for (u32 begin = threadIdx.x; begin < have; begin += kThreads * kAtOnce) {
    u64 item[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; ++j)
      item[j] = begin + j * kThreads < have ? stream_word(items + begin + j * kThreads) : 0;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; ++j) {
      if (begin + j * kThreads >= have) break;
      const ItemPlace in = place_of_item(item[j]);
      // With eight probes any turn uses all sectors: that of the thread spreads the banks.
      const u32 turn = kEight ? threadIdx.x & 7 : in.pattern;
      u8* block = shared + in.block_in_chunk * block::kBlockBytes;
      const u32 low = static_cast<u32>(item[j]), high = static_cast<u32>(item[j] >> 32);
#pragma unroll
      for (u32 i = 0; i < kProbes; ++i) {
        const u32 sector = kEight ? (i + turn) & 7 : used_sector(kSpreads, i, turn);
        const u32 bit = __byte_perm(low, high, sector);
        atomicOr(reinterpret_cast<u32*>(block + sector * 8 + (bit >> 3 & 4)), 1u << (bit & 31));
      }
    }
  }
  __syncthreads();
  uint4* out = reinterpret_cast<uint4*>(target.blocks + u64{first} * block::kBlockBytes);
  for (u32 i = threadIdx.x; i < size * 4; i += kThreads) {
    uint4 line = lines[i];
    if (!kEmpty || overflown) {
      const uint4 old = out[i];
      line = make_uint4(line.x | old.x, line.y | old.y, line.z | old.z, line.w | old.w);
    }
    out[i] = line;
  }
}

// Answers, one byte each, in the order of the buckets. A room is a multiple of 256, so that stores
// stay in the bucket.
template <bool kEight, u32 kResident, class Source>
__global__ void __launch_bounds__(kDirectThreads, kResident)
    look_in_buckets(Source source, Buckets buckets, u32 ctas_of_bucket, Target target,
                    u8* answers) {
  using Carried = typename Source::Carried;
  const u32 bucket = blockIdx.x / ctas_of_bucket;
  const u32 have = min(buckets.cursor[bucket], buckets.room);
  const u64 base =
      u64{blockIdx.x % ctas_of_bucket} * kDirectKeys + threadIdx.x / kWarp * (kWarp * kKeysPerLane);
  if (base >= have) return;
  const Carried* items = static_cast<const Carried*>(buckets.items) + u64{bucket} * buckets.room;
  Carried key[kKeysPerLane];
  u32 block[kKeysPerLane], words[kKeysPerLane];
  Marks marks[kKeysPerLane];
#pragma unroll
  for (u32 j = 0; j < kKeysPerLane; ++j)
    key[j] = items[min(static_cast<u32>(base) + kWarp * j + threadIdx.x % kWarp, have - 1)];
#pragma unroll
  for (u32 j = 0; j < kKeysPerLane; ++j) {
    const Hash128 hash = source.hash(key[j]);
    block[j] = block_of(hash.low, target.count);
    marks[j] = marks_of<kEight>(hash, target.spreads);
  }
  look_up<kEight>(block, marks, target.blocks, words);
  put_answers<false>(words, base, buckets.room, answers + u64{bucket} * buckets.room);
}

inline constexpr u32 kGatherThreads = 512;

// A tile's answers from the buckets back to the order of its keys.
template <bool kBits>
__global__ void __launch_bounds__(kGatherThreads)
    gather(const u8* __restrict__ answers, Buckets buckets, u32 tile, Places places, u64 keys,
           u8* __restrict__ out) {
  extern __shared__ __align__(16) u8 shared[];
  const u64 base = u64{blockIdx.x} * tile;
  const u32 have = static_cast<u32>(min(u64{tile}, keys - base)), lane = threadIdx.x % kWarp;
  const u32* runs = places.runs + u64{blockIdx.x} * 2 * buckets.count;
  for (u32 b = threadIdx.x / kWarp; b < buckets.count; b += kGatherThreads / kWarp) {
    const u32 begin = runs[b], end = b + 1 < buckets.count ? runs[b + 1] : have;
    const u32 place = runs[buckets.count + b];
    const u8* from = answers + u64{b} * buckets.room + place;
    for (u32 i = lane; i < end - begin; i += kWarp)
      shared[begin + i] =
          place + i < buckets.room ? __ldcs(from + i) : places.overflown[base + begin + i];
  }
  __syncthreads();
  const u16* in_tile = places.in_tile + base;
  if (kBits) {
    for (u32 x = threadIdx.x; x < ((have + 31) & ~31u); x += kGatherThreads) {
      const u32 word =
          __ballot_sync(kAllLanes, x < have && shared[__ldcs(in_tile + min(x, have - 1))] != 0);
      if (lane == 0) reinterpret_cast<u32*>(out)[(base + x) / kWarp] = word;
    }
  } else if (have == tile) {
    for (u32 x = threadIdx.x * 4; x < tile; x += kGatherThreads * 4) {
      const ushort4 at = __ldcs(reinterpret_cast<const ushort4*>(in_tile + x));
      __stcs(reinterpret_cast<u32*>(out + base + x),
             shared[at.x] | shared[at.y] << 8 | shared[at.z] << 16 | shared[at.w] << 24);
    }
  } else {
    for (u32 x = threadIdx.x; x < have; x += kGatherThreads) out[base + x] = shared[in_tile[x]];
  }
}

}  // namespace bloomery::gpu::cuda
