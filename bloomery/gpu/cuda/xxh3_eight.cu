// Kernels for numbers hashed by xxh3, with eight probes.
#include "bloomery/gpu/cuda/launch.cuh"

namespace bloomery::gpu::cuda {
namespace {

Xxh3Keys source_of(const internal::KeySource& keys) {
  return {static_cast<const u64*>(keys.first), keys.seed};
}

}  // namespace

cudaError_t insert_xxh3_eight(const internal::InsertJob& job, cudaStream_t stream) {
  return insert_with<true>(source_of(job.keys), job, stream);
}
cudaError_t look_xxh3_eight(const internal::LookupJob& job, cudaStream_t stream) {
  return look_with<true>(source_of(job.keys), job, stream);
}

}  // namespace bloomery::gpu::cuda
