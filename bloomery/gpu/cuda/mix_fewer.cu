// Kernels for numbers hashed by mix, with four to seven probes.
#include "bloomery/gpu/cuda/launch.cuh"

namespace bloomery::gpu::cuda {
namespace {

MixKeys source_of(const internal::KeySource& keys) {
  return {static_cast<const u64*>(keys.first), keys.seed};
}

}  // namespace

cudaError_t insert_mix_fewer(const internal::InsertJob& job, cudaStream_t stream) {
  return insert_with<false>(source_of(job.keys), job, stream);
}
cudaError_t look_mix_fewer(const internal::LookupJob& job, cudaStream_t stream) {
  return look_with<false>(source_of(job.keys), job, stream);
}

}  // namespace bloomery::gpu::cuda
