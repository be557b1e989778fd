// The rows of the table of bit matrix kernels, each in its own file, compiled for its instruction
// set.
#pragma once
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::simd {

extern const BitMatrixKernels kBitMatrixBaseline;
#if defined(__x86_64__)
extern const BitMatrixKernels kBitMatrixAvx2;
extern const BitMatrixKernels kBitMatrixAvx512;
#elif defined(__aarch64__)
extern const BitMatrixKernels kBitMatrixNeon;
#endif

}  // namespace bloomery::simd
