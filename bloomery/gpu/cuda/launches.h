// What each file of kernels offers: one file for each source of keys and each way of counting
// probes, because each takes a minute to compile.
#pragma once
#include <cuda_runtime_api.h>

#include "bloomery/gpu/runtime.h"

namespace bloomery::gpu::cuda {

#define BLOOMERY_GPU_LAUNCHES(name)                                               \
  cudaError_t insert_##name(const internal::InsertJob& job, cudaStream_t stream); \
  cudaError_t look_##name(const internal::LookupJob& job, cudaStream_t stream)

BLOOMERY_GPU_LAUNCHES(mix_eight);
BLOOMERY_GPU_LAUNCHES(mix_fewer);
BLOOMERY_GPU_LAUNCHES(xxh3_eight);
BLOOMERY_GPU_LAUNCHES(xxh3_fewer);
BLOOMERY_GPU_LAUNCHES(strings32_eight);
BLOOMERY_GPU_LAUNCHES(strings32_fewer);
BLOOMERY_GPU_LAUNCHES(strings64_eight);
BLOOMERY_GPU_LAUNCHES(strings64_fewer);

cudaError_t merge_blocks(void* into, const void* from, std::uint64_t bytes, cudaStream_t stream);
cudaError_t sum_health(const internal::FilterMemory& filter, internal::HealthSums* sums,
                       cudaStream_t stream);

}  // namespace bloomery::gpu::cuda
