// Kernels for strings with offsets of 32 bits, with four to seven probes.
#include "bloomery/gpu/cuda/launch.cuh"

namespace bloomery::gpu::cuda {
namespace {

Strings<u32> source_of(const internal::KeySource& keys) {
  return {static_cast<const u32*>(keys.first), static_cast<const u8*>(keys.data),
          static_cast<const u8*>(keys.end), keys.seed};
}

}  // namespace

cudaError_t insert_strings32_fewer(const internal::InsertJob& job, cudaStream_t stream) {
  return insert_with<false>(source_of(job.keys), job, stream);
}
cudaError_t look_strings32_fewer(const internal::LookupJob& job, cudaStream_t stream) {
  return look_with<false>(source_of(job.keys), job, stream);
}

}  // namespace bloomery::gpu::cuda
