// The rows of the table of Keccak kernels, each in its own file, compiled for its instruction set.
#pragma once
#include "bloomery/simd/keccak_kernels.h"

namespace bloomery::simd {

#if defined(__x86_64__)
extern const KeccakKernels kKeccakAvx2;
extern const KeccakKernels kKeccakAvx512;
#elif defined(__aarch64__)
extern const KeccakKernels kKeccakNeon;
#endif

}  // namespace bloomery::simd
