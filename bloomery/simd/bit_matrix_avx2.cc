// Bit matrices in registers of 32 bytes.
#include "bloomery/simd/bit_matrix_lanes.h"

namespace bloomery::simd {
namespace {

struct Avx2 {
  typedef std::uint64_t Lane __attribute__((vector_size(32)));
  typedef std::uint64_t Loose __attribute__((vector_size(32), aligned(1), may_alias));
};

}  // namespace

constinit const BitMatrixKernels kBitMatrixAvx2 = BitMatrix<Avx2>::kernels("avx2");

}  // namespace bloomery::simd
