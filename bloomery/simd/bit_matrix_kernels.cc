#include "bloomery/simd/bit_matrix_kernels.h"

#include <vector>

#include "bloomery/simd/bit_matrix_rows.h"
#include "bloomery/simd/cpu_choice.h"

namespace bloomery::simd {
namespace {

std::vector<BitMatrixKernels> runnable_kernels() {
  std::vector<BitMatrixKernels> kernels;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  if (avx512 && avx2) kernels.push_back(kBitMatrixAvx512);
  if (avx2) kernels.push_back(kBitMatrixAvx2);
#endif
  kernels.push_back(kBitMatrixBaseline);
  return kernels;
}

}  // namespace

std::span<const BitMatrixKernels> bit_matrix_kernels() {
  static const std::vector<BitMatrixKernels> kAll = runnable_kernels();
  return kAll;
}

const BitMatrixKernels& active_bit_matrix_kernels() {
  static const BitMatrixKernels& active = chosen_row(bit_matrix_kernels());
  return active;
}

}  // namespace bloomery::simd
