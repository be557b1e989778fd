#include "bloomery/simd/block_kernels.h"

#include "bloomery/hash/arm_cpu.h"
#include "bloomery/simd/block_rows.h"
#include "bloomery/simd/cpu_choice.h"

namespace bloomery::simd {
namespace {

auto runnable_block_kernels() {
  RunnableRows<BlockKernels, 3> kernels;
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
  if (avx512 && avx2 && aes && vaes) kernels.add(kBlockAvx512);
  if (avx2 && aes) kernels.add(kBlockAvx2);
#elif defined(__aarch64__)
  if (internal::arm_has_aes()) kernels.add(kBlockNeon);
#endif
  kernels.add(kBlockBaseline);
  return kernels;
}

}  // namespace

std::span<const BlockKernels> block_kernels() {
  static const auto kAll = runnable_block_kernels();
  return kAll.all();
}

const BlockKernels& active_block_kernels() {
  static const BlockKernels& active = chosen_row(block_kernels());
  return active;
}

}  // namespace bloomery::simd
