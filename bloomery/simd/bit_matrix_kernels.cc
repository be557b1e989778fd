#include "bloomery/simd/bit_matrix_kernels.h"

#include "bloomery/simd/bit_matrix_rows.h"
#include "bloomery/simd/cpu_choice.h"

namespace bloomery::simd {
namespace {

auto runnable_bit_matrix_kernels() {
  RunnableRows<BitMatrixKernels, 3> kernels;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  if (avx512 && avx2) kernels.add(kBitMatrixAvx512);
  if (avx2) kernels.add(kBitMatrixAvx2);
#elif defined(__aarch64__)
  kernels.add(kBitMatrixNeon);
#endif
  kernels.add(kBitMatrixBaseline);
  return kernels;
}

}  // namespace

std::span<const BitMatrixKernels> bit_matrix_kernels() {
  static const auto kAll = runnable_bit_matrix_kernels();
  return kAll.all();
}

const BitMatrixKernels& active_bit_matrix_kernels() {
  static const BitMatrixKernels& active = chosen_row(bit_matrix_kernels());
  return active;
}

}  // namespace bloomery::simd
