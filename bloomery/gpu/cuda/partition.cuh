// The first pass of partitioned inserts and lookups, which go to no random place of device memory:
// a tile of keys is sorted by bucket in shared memory and written in runs to buckets of fixed room.
#pragma once
#include <type_traits>

#include "bloomery/gpu/cuda/direct.cuh"
#include "bloomery/gpu/plan.h"

namespace bloomery::gpu::cuda {

enum class Pass { kToChunks, kToCoarse, kCoarseToChunks, kToLook };

struct Buckets {
  void* items;
  u32* cursor;  // keys that wanted each bucket: more than `room` says that it overflowed
  u32 room;     // items of one bucket
  u32 count;    // of buckets; in kCoarseToChunks, for each coarse bucket
  u32 shift;    // bucket = block >> shift
};

// Where the keys of a lookup went, so that their answers find the way back.
struct Places {
  u16* in_tile;  // of each key, its place in its tile after sorting
  u32* runs;  // of each tile: where its run of each bucket begins in the tile, then in the bucket
  u8* overflown;  // answers of keys that found no room, in the order of the sorted tile
};

// The threads, keys for each thread and CTAs on a multiprocessor of a pass. More registers than
// these leave would be spilled.
template <u32 kThreadsOf, u32 kKeysOf, u32 kResidentOf>
struct TileShape {
  static constexpr u32 kThreads = kThreadsOf;
  static constexpr u32 kKeys = kKeysOf;
  static constexpr u32 kResident = kResidentOf;
  static constexpr u32 kTile = kThreads * kKeys;
};

constexpr u32 scatter_shared_bytes(u32 tile, u32 item_bytes, u32 buckets) {
  return tile * (item_bytes + 2) + buckets * 8 + 16;
}

// Sums of all values of the threads before this one.
template <u32 kThreads>
__device__ __forceinline__ u32 sum_before(u32 value, u32 (&warp_sums)[kWarp]) {
  const u32 lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  u32 sum = value;
#pragma unroll
  for (u32 step = 1; step < kWarp; step *= 2) {
    const u32 other = __shfl_up_sync(kAllLanes, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == kWarp - 1) warp_sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    u32 all = lane < kThreads / kWarp ? warp_sums[lane] : 0;
#pragma unroll
    for (u32 step = 1; step < kWarp; step *= 2) {
      const u32 other = __shfl_up_sync(kAllLanes, all, step);
      if (lane >= step) all += other;
    }
    warp_sums[lane] = all;
  }
  __syncthreads();
  return sum - value + (warp != 0 ? warp_sums[warp - 1] : 0);
}

// kToChunks: keys become items. kToCoarse and kToLook: keys become what is carried.
// kCoarseToChunks: what `from` carries becomes items. A key that finds no room is dealt with at
// once, with no list that could itself fill up. An insert tests and sets the filter (the chunk's
// cursor, or its coarse bucket's, then exceeds its room, which makes `build` merge that chunk). A
// lookup answers into `places.overflown`.
template <bool kEight, class Source, Pass kPass, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kResident)
    scatter(Source source, u64 keys, Buckets from, u32 tiles_of_coarse, Buckets to, Target target,
            Places places) {
  constexpr u32 kThreads = Shape::kThreads;
  constexpr u32 kTile = Shape::kTile;
  constexpr bool kCarries = kPass == Pass::kToCoarse || kPass == Pass::kToLook;
  using Carried = typename Source::Carried;
  using Item = std::conditional_t<kCarries, Carried, u64>;
  extern __shared__ __align__(16) u8 shared[];
  Item* items = reinterpret_cast<Item*>(shared);
  u16* bucket_at = reinterpret_cast<u16*>(items + kTile);
  u32* start = reinterpret_cast<u32*>(bucket_at + kTile);  // counts, then first place in the tile
  u32* delta = start + to.count;  // place in the bucket less place in the tile
  __shared__ u32 warp_sums[kWarp];
  const u32 tid = threadIdx.x;
  const u64 base = u64{blockIdx.x} * kTile;
  u32 have;
  const Carried* carried = nullptr;
  Item* buckets = static_cast<Item*>(to.items);
  u32 first_bucket = 0;
  if constexpr (kPass == Pass::kCoarseToChunks) {
    const u32 coarse = blockIdx.x / tiles_of_coarse;
    const u64 at = u64{blockIdx.x % tiles_of_coarse} * kTile;
    const u32 full = min(from.cursor[coarse], from.room);
    if (at >= full) return;
    have = min(kTile, static_cast<u32>(full - at));
    carried = static_cast<const Carried*>(from.items) + u64{coarse} * from.room + at;
    first_bucket = coarse * to.count;
    to.cursor += first_bucket;
    buckets += u64{first_bucket} * to.room;
  } else {
    have = static_cast<u32>(min(u64{kTile}, keys - base));
  }
  for (u32 i = tid; i < to.count; i += kThreads) start[i] = 0;

  Item item[Shape::kKeys];
  u32 where[Shape::kKeys];  // bucket << 16 | rank in it
  using Loaded =
      std::conditional_t<kPass == Pass::kCoarseToChunks, Carried, typename Source::Loaded>;
  Loaded loaded[Shape::kKeys];
#pragma unroll
  for (u32 j = 0; j < Shape::kKeys; ++j) {
    const u32 x = min(j * kThreads + tid, have - 1);
    if constexpr (kPass == Pass::kCoarseToChunks)
      loaded[j] = carried[x];
    else
      loaded[j] = source.load(base + x);
  }
  __syncthreads();
#pragma unroll
  for (u32 j = 0; j < Shape::kKeys; ++j) {
    Carried key;
    if constexpr (kPass == Pass::kCoarseToChunks)
      key = loaded[j];
    else
      key = source.carried(loaded[j]);
    const Hash128 hash = source.hash(key);
    const u32 block = block_of(hash.low, target.count);
    const u32 bucket = (block >> to.shift) - first_bucket;
    if constexpr (kCarries)
      item[j] = key;
    else
      item[j] = item_of(hash, block & ((1u << to.shift) - 1));
    where[j] = bucket << 16;
    // The count's old value is the key's rank: one atomic a key.
    if (j * kThreads + tid < have) where[j] |= atomicAdd(&start[bucket], 1u);
  }
  __syncthreads();

  // Where each bucket's run starts in the tile, and room for it: one atomic.
  const u32 each = (to.count + kThreads - 1) / kThreads, first = tid * each;
  const u32 last = min(first + each, to.count);
  u32 sum = 0;
  for (u32 i = first; i < last; ++i) sum += start[i];
  u32 at = sum_before<kThreads>(sum, warp_sums);
  for (u32 i = first; i < last; ++i) {
    const u32 count = start[i];
    const u32 begin = count != 0 ? atomicAdd(&to.cursor[i], count) : 0;
    start[i] = at;
    delta[i] = begin - at;
    if constexpr (kPass == Pass::kToLook) {
      u32* runs = places.runs + u64{blockIdx.x} * 2 * to.count;
      runs[i] = at;
      runs[to.count + i] = begin;
    }
    at += count;
  }
  __syncthreads();
#pragma unroll
  for (u32 j = 0; j < Shape::kKeys; ++j) {
    const u32 x = j * kThreads + tid, bucket = where[j] >> 16;
    if (x >= have) break;
    const u32 place = start[bucket] + (where[j] & 0xffff);
    items[place] = item[j];
    bucket_at[place] = static_cast<u16>(bucket);
    if constexpr (kPass == Pass::kToLook) places.in_tile[base + x] = static_cast<u16>(place);
  }
  __syncthreads();
  for (u32 x = tid; x < have; x += kThreads) {
    const Item value = items[x];
    const u32 bucket = bucket_at[x], place = delta[bucket] + x;
    if (place < to.room) {
      buckets[u64{bucket} * to.room + place] = value;
    } else if constexpr (kCarries) {
      const Hash128 hash = source.hash(value);
      const u32 block = block_of(hash.low, target.count);
      const Marks marks = marks_of<kEight>(hash, target.spreads);
      if constexpr (kPass == Pass::kToLook)
        places.overflown[base + x] = test_one(target.blocks, block, marks);
      else
        test_and_set(target.blocks, block, marks);
    } else {
      const ItemPlace in = place_of_item(value);
      test_and_set(target.blocks, ((first_bucket + bucket) << to.shift) + in.block_in_chunk,
                   marks_of_item<kEight>(value, in.pattern, target.spreads));
    }
  }
}

}  // namespace bloomery::gpu::cuda
