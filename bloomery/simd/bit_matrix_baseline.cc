// Bit matrices in registers of 16 bytes, or in words where there are none.
#include "bloomery/simd/bit_matrix_lanes.h"

namespace bloomery::simd {
namespace {

struct Baseline {
  typedef std::uint64_t Lane __attribute__((vector_size(16)));
  typedef std::uint64_t Loose __attribute__((vector_size(16), aligned(1), may_alias));
};

}  // namespace

constinit const BitMatrixKernels kBitMatrixBaseline = BitMatrix<Baseline>::kernels("baseline");

}  // namespace bloomery::simd
