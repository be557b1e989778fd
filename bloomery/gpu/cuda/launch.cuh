// Launches of all kernels of one source of keys.
#pragma once
#include "bloomery/gpu/cuda/chunks.cuh"
#include "bloomery/gpu/cuda/launches.h"

namespace bloomery::gpu::cuda {

template <class Kernel, class... Arguments>
cudaError_t launch(Kernel kernel, u64 ctas, u32 threads, u32 shared_bytes, cudaStream_t stream,
                   Arguments... arguments) {
  if (ctas == 0) return cudaSuccess;
  constexpr u32 kUnasked = 48 * 1024;  // more must be asked for
  if (shared_bytes > kUnasked)
    if (const cudaError_t error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
        error != cudaSuccess)
      return error;
  kernel<<<static_cast<u32>(ctas), threads, shared_bytes, stream>>>(arguments...);
  return cudaGetLastError();
}

inline u64 ctas_for(u64 keys, u32 each) { return (keys + each - 1) / each; }

inline Target target_of(const internal::FilterMemory& filter) {
  return {static_cast<u8*>(filter.blocks), static_cast<const u8*>(filter.seeds), filter.count,
          spreads_of(filter.probes)};
}

template <class T>
T* at_offset(void* workspace, u64 offset) {
  return reinterpret_cast<T*>(static_cast<u8*>(workspace) + offset);
}

template <bool kEight, class Source, Pass kPass, class Shape>
cudaError_t launch_scatter(Source source, u64 keys, Buckets from, u32 tiles_of_coarse, u64 ctas,
                           Buckets to, const Target& target, Places places, cudaStream_t stream) {
  constexpr bool kCarries = kPass == Pass::kToCoarse || kPass == Pass::kToLook;
  constexpr u32 kItem = kCarries ? sizeof(typename Source::Carried) : sizeof(u64);
  return launch(scatter<kEight, Source, kPass, Shape>, ctas, Shape::kThreads,
                scatter_shared_bytes(Shape::kTile, kItem, to.count), stream, source, keys, from,
                tiles_of_coarse, to, target, places);
}

template <u32 kProbes>
cudaError_t launch_build_of(const internal::InsertLayout& layout, const Buckets& chunks,
                            const CoarseBuckets& coarse, const Target& target, bool empty,
                            cudaStream_t stream) {
  const u32 shared = static_cast<u32>(block::kBlockBytes) << layout.chunk_shift;
  const auto run = [&](auto kernel, u32 threads) {
    return launch(kernel, layout.chunks, threads, shared, stream, chunks, coarse, target);
  };
  if (layout.small_chunks)
    return empty ? run(build<kProbes, 640, 3, true>, 640) : run(build<kProbes, 640, 3, false>, 640);
  return empty ? run(build<kProbes, 1024, 1, true>, 1024)
               : run(build<kProbes, 1024, 1, false>, 1024);
}

template <bool kEight>
cudaError_t launch_build(const internal::InsertLayout& layout, const Buckets& chunks,
                         const CoarseBuckets& coarse, const Target& target, bool empty,
                         cudaStream_t stream) {
  if constexpr (kEight) {
    return launch_build_of<8>(layout, chunks, coarse, target, empty, stream);
  } else {
    switch (target.spreads.probes) {
      case 4:
        return launch_build_of<4>(layout, chunks, coarse, target, empty, stream);
      case 5:
        return launch_build_of<5>(layout, chunks, coarse, target, empty, stream);
      case 6:
        return launch_build_of<6>(layout, chunks, coarse, target, empty, stream);
      default:
        return launch_build_of<7>(layout, chunks, coarse, target, empty, stream);
    }
  }
}

template <bool kEight, class Source>
cudaError_t insert_partitioned(Source source, const internal::InsertJob& job, cudaStream_t stream) {
  using Shape = TileShape<512, 12, 2>;
  const internal::InsertLayout& layout = *job.layout;
  const Target target = target_of(job.filter);
  const u64 keys = job.keys.count;
  if (const cudaError_t error = cudaMemsetAsync(job.workspace, 0, layout.cursor_bytes, stream);
      error != cudaSuccess)
    return error;
  Buckets chunks{at_offset<void>(job.workspace, layout.chunk_items),
                 at_offset<u32>(job.workspace, layout.chunk_cursor), layout.chunk_room,
                 layout.chunks, layout.chunk_shift};
  CoarseBuckets coarse{};
  cudaError_t error;
  if (layout.has_groups()) {
    const Buckets groups{at_offset<void>(job.workspace, layout.group_items),
                         at_offset<u32>(job.workspace, layout.group_cursor), layout.group_room,
                         layout.groups, layout.chunk_shift + layout.group_shift};
    coarse = {groups.cursor, groups.room, groups.shift};
    chunks.count = 1u << layout.group_shift;
    error = launch_scatter<kEight, Source, Pass::kToCoarse, Shape>(
        source, keys, Buckets{}, 0, ctas_for(keys, Shape::kTile), groups, target, {}, stream);
    if (error != cudaSuccess) return error;
    const u32 tiles = static_cast<u32>(ctas_for(groups.room, Shape::kTile));
    error = launch_scatter<kEight, Source, Pass::kCoarseToChunks, Shape>(
        source, keys, groups, tiles, u64{tiles} * groups.count, chunks, target, {}, stream);
  } else if (layout.first_tile == internal::Tile::k384x12) {
    using Small = TileShape<384, 12, 3>;
    error = launch_scatter<kEight, Source, Pass::kToChunks, Small>(
        source, keys, Buckets{}, 0, ctas_for(keys, Small::kTile), chunks, target, {}, stream);
  } else {
    using Large = TileShape<1024, 16, 1>;
    error = launch_scatter<kEight, Source, Pass::kToChunks, Large>(
        source, keys, Buckets{}, 0, ctas_for(keys, Large::kTile), chunks, target, {}, stream);
  }
  if (error != cudaSuccess) return error;
  return launch_build<kEight>(layout, chunks, coarse, target, job.empty, stream);
}

template <bool kEight, class Source>
cudaError_t insert_with(Source source, const internal::InsertJob& job, cudaStream_t stream) {
  if (job.layout != nullptr) return insert_partitioned<kEight>(source, job, stream);
  return launch(insert_direct<kEight, Source>, ctas_for(job.keys.count, kDirectKeys),
                kDirectThreads, 0, stream, source, job.keys.count, target_of(job.filter));
}

template <bool kEight, class Source, class Shape, u32 kResident>
cudaError_t look_partitioned(Source source, const internal::LookupJob& job, cudaStream_t stream) {
  const internal::LookupLayout& layout = *job.layout;
  const Target target = target_of(job.filter);
  const u64 keys = job.keys.count;
  void* const workspace = job.workspace;
  if (const cudaError_t error = cudaMemsetAsync(workspace, 0, layout.cursor_bytes, stream);
      error != cudaSuccess)
    return error;
  const Buckets buckets{at_offset<void>(workspace, layout.items),
                        at_offset<u32>(workspace, layout.cursor), layout.room, layout.chunks,
                        layout.chunk_shift};
  const Places places{at_offset<u16>(workspace, layout.in_tile),
                      at_offset<u32>(workspace, layout.runs),
                      at_offset<u8>(workspace, layout.overflown)};
  u8* const answers = at_offset<u8>(workspace, layout.answers);
  cudaError_t error = launch_scatter<kEight, Source, Pass::kToLook, Shape>(
      source, keys, Buckets{}, 0, layout.tiles, buckets, target, places, stream);
  if (error != cudaSuccess) return error;
  const u32 ctas = static_cast<u32>(ctas_for(layout.room, kDirectKeys));
  error = launch(look_in_buckets<kEight, kResident, Source>, u64{ctas} * layout.chunks,
                 kDirectThreads, 0, stream, source, buckets, ctas, target, answers);
  if (error != cudaSuccess) return error;
  u8* const out = static_cast<u8*>(job.answers);
  const auto run = [&](auto kernel) {
    return launch(kernel, layout.tiles, kGatherThreads, Shape::kTile, stream,
                  static_cast<const u8*>(answers), buckets, Shape::kTile, places, keys, out);
  };
  return job.kind == AnswerKind::kBits ? run(gather<true>) : run(gather<false>);
}

template <bool kEight, class Source>
cudaError_t look_with(Source source, const internal::LookupJob& job, cudaStream_t stream) {
  if (job.layout != nullptr) {
    if constexpr (sizeof(typename Source::Carried) == 8)
      if (job.layout->tile == internal::Tile::k1024x12)
        return look_partitioned<kEight, Source, TileShape<1024, 12, 1>, 4>(source, job, stream);
    return look_partitioned<kEight, Source, TileShape<512, 12, 2>, 5>(source, job, stream);
  }
  const auto run = [&](auto kernel) {
    return launch(kernel, ctas_for(job.keys.count, kDirectKeys), kDirectThreads, 0, stream, source,
                  job.keys.count, target_of(job.filter), static_cast<u8*>(job.answers));
  };
  const bool bits = job.kind == AnswerKind::kBits;
  if (job.filter.seeds != nullptr)
    return bits ? run(look_direct<kEight, true, true, Source>)
                : run(look_direct<kEight, false, true, Source>);
  return bits ? run(look_direct<kEight, true, false, Source>)
              : run(look_direct<kEight, false, false, Source>);
}

}  // namespace bloomery::gpu::cuda
