// Bit matrices in registers of 64 bytes.
#include "bloomery/simd/bit_matrix_lanes.h"

namespace bloomery::simd {
namespace {

struct Avx512 {
  typedef std::uint64_t Lane __attribute__((vector_size(64)));
  typedef std::uint64_t Loose __attribute__((vector_size(64), aligned(1), may_alias));
};

}  // namespace

constinit const BitMatrixKernels kBitMatrixAvx512 = BitMatrix<Avx512>::kernels("avx512");

}  // namespace bloomery::simd
