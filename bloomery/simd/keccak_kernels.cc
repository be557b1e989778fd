#include "bloomery/simd/keccak_kernels.h"

#include "bloomery/hash/keccak.h"
#include "bloomery/simd/cpu_choice.h"
#include "bloomery/simd/keccak_rows.h"

namespace bloomery::simd {
namespace {

void hash_one_by_one(const ByteView* keys, std::size_t count, Keccak256Digest* digests) noexcept {
  for (std::size_t i = 0; i < count; ++i) digests[i] = keccak256(keys[i]);
}

auto runnable_keccak_kernels() {
  RunnableRows<KeccakKernels, 3> kernels;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  if (avx512 && avx2) kernels.add(kKeccakAvx512);
  if (avx2) kernels.add(kKeccakAvx2);
#elif defined(__aarch64__)
  kernels.add(kKeccakNeon);
#endif
  kernels.add({"baseline", hash_one_by_one});
  return kernels;
}

}  // namespace

std::span<const KeccakKernels> keccak_kernels() {
  static const auto kAll = runnable_keccak_kernels();
  return kAll.all();
}

const KeccakKernels& active_keccak_kernels() {
  static const KeccakKernels& active = chosen_row(keccak_kernels());
  return active;
}

}  // namespace bloomery::simd
