#include "bloomery/simd/block_kernels.h"

#include <vector>

#include "bloomery/simd/block_rows.h"
#include "bloomery/simd/cpu_choice.h"

namespace bloomery::simd {
namespace {

// Without a destructor: a database's thread may still ask while the program ends.
struct Runnable {
  std::array<BlockKernels, 3> rows;
  std::size_t count = 0;
};

Runnable runnable_kernels() {
  Runnable kernels{};
#if defined(__x86_64__)
  const bool aes = __builtin_cpu_supports("aes") != 0;
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
                    __builtin_cpu_supports("bmi2") != 0;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512bitalg") != 0 &&
      __builtin_cpu_supports("avx512vpopcntdq") != 0;
  const bool vaes = __builtin_cpu_supports("avx512vbmi2") != 0;  // came with VAES on every CPU
  if (avx512 && avx2 && aes && vaes) kernels.rows[kernels.count++] = kBlockAvx512;
  if (avx2 && aes) kernels.rows[kernels.count++] = kBlockAvx2;
#endif
  kernels.rows[kernels.count++] = kBlockBaseline;
  return kernels;
}

}  // namespace

std::span<const BlockKernels> block_kernels() {
  static const Runnable kAll = runnable_kernels();
  return std::span{kAll.rows}.first(kAll.count);
}

const BlockKernels& active_block_kernels() {
  static const BlockKernels& active = chosen_row(block_kernels());
  return active;
}

}  // namespace bloomery::simd
