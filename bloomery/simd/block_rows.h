// The rows of the table of block kernels, each in its own file, compiled for its instruction set.
#pragma once
#include "bloomery/simd/block_kernels.h"

namespace bloomery::simd {

extern const BlockKernels kBlockBaseline;
#if defined(__x86_64__)
extern const BlockKernels kBlockAvx2;
extern const BlockKernels kBlockAvx512;
#elif defined(__aarch64__)
extern const BlockKernels kBlockNeon;
#endif

}  // namespace bloomery::simd
