// Kernels over all blocks of a filter: merge and health. Both read it once, at the speed of memory.
#include "bloomery/gpu/cuda/launch.cuh"

namespace bloomery::gpu::cuda {
namespace {

constexpr u32 kWholeThreads = 256;

__global__ void __launch_bounds__(kWholeThreads)
    or_lines(uint4* __restrict__ into, const uint4* __restrict__ from, u64 lines) {
  constexpr u32 kAtOnce = 4;
  const u64 step = u64{gridDim.x} * kWholeThreads;
  for (u64 i = u64{blockIdx.x} * kWholeThreads + threadIdx.x; i < lines; i += step * kAtOnce) {
    uint4 a[kAtOnce], b[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; ++j)
      if (i + j * step < lines) a[j] = into[i + j * step], b[j] = __ldcs(from + i + j * step);
#pragma unroll
    for (u32 j = 0; j < kAtOnce; ++j)
      if (i + j * step < lines)
        into[i + j * step] =
            make_uint4(a[j].x | b[j].x, a[j].y | b[j].y, a[j].z | b[j].z, a[j].w | b[j].w);
  }
}

// One atomic for each warp. Sums of doubles, whose order is not fixed.
template <u32 kProbes>
__global__ void __launch_bounds__(kWholeThreads)
    add_health(const u8* __restrict__ blocks, u32 count, internal::HealthSums* sums) {
  constexpr Spreads kSpreads = spreads_of(kProbes);
  constexpr u32 kPatterns = kProbes == block::kSectors ? 1 : block::kPatterns;
  double products = 0;
  u64 ones = 0;
  for (u64 b = u64{blockIdx.x} * kWholeThreads + threadIdx.x; b < count;
       b += u64{gridDim.x} * kWholeThreads) {
    float fill[block::kSectors];
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      const uint4 line = __ldg(reinterpret_cast<const uint4*>(blocks + b * block::kBlockBytes) + i);
      const u32 first = __popc(line.x) + __popc(line.y), second = __popc(line.z) + __popc(line.w);
      ones += first + second;
      fill[2 * i] = first / 64.f;
      fill[2 * i + 1] = second / 64.f;
    }
    float all = 0;
#pragma unroll
    for (u32 pattern = 0; pattern < kPatterns; ++pattern) {
      float product = 1;
#pragma unroll
      for (u32 i = 0; i < block::kSectors; ++i)
        if ((unused_sectors(kSpreads, pattern) >> i & 1) == 0) product *= fill[i];
      all += product;
    }
    products += all / kPatterns;
  }
  for (u32 step = kWarp / 2; step != 0; step /= 2) {
    products += __shfl_xor_sync(kAllLanes, products, step);
    ones += __shfl_xor_sync(kAllLanes, ones, step);
  }
  if (threadIdx.x % kWarp == 0) {
    atomicAdd(&sums->products, products);
    atomicAdd(reinterpret_cast<unsigned long long*>(&sums->ones), ones);
  }
}

u32 ctas_of_device(u32 for_each) {
  int device = 0, multiprocessors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  return static_cast<u32>(multiprocessors) * for_each;
}

}  // namespace

cudaError_t merge_blocks(void* into, const void* from, u64 bytes, cudaStream_t stream) {
  const u64 lines = bytes / sizeof(uint4);
  return launch(or_lines, ctas_of_device(8), kWholeThreads, 0, stream, static_cast<uint4*>(into),
                static_cast<const uint4*>(from), lines);
}

cudaError_t sum_health(const internal::FilterMemory& filter, internal::HealthSums* sums,
                       cudaStream_t stream) {
  if (const cudaError_t error = cudaMemsetAsync(sums, 0, sizeof *sums, stream);
      error != cudaSuccess)
    return error;
  const auto run = [&](auto kernel) {
    return launch(kernel, ctas_of_device(4), kWholeThreads, 0, stream,
                  static_cast<const u8*>(filter.blocks), filter.count, sums);
  };
  switch (filter.probes) {
    case 4:
      return run(add_health<4>);
    case 5:
      return run(add_health<5>);
    case 6:
      return run(add_health<6>);
    case 7:
      return run(add_health<7>);
    default:
      return run(add_health<8>);
  }
}

}  // namespace bloomery::gpu::cuda
