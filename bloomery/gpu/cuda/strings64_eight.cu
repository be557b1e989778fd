// Kernels for strings with offsets of 64 bits, with eight probes.
#include "bloomery/gpu/cuda/launch.cuh"

namespace bloomery::gpu::cuda {
namespace {

Strings<u64> source_of(const internal::KeySource& keys) {
  return {static_cast<const u64*>(keys.first), static_cast<const u8*>(keys.data),
          static_cast<const u8*>(keys.end), keys.seed};
}

}  // namespace

cudaError_t insert_strings64_eight(const internal::InsertJob& job, cudaStream_t stream) {
  return insert_with<true>(source_of(job.keys), job, stream);
}
cudaError_t look_strings64_eight(const internal::LookupJob& job, cudaStream_t stream) {
  return look_with<true>(source_of(job.keys), job, stream);
}

}  // namespace bloomery::gpu::cuda
