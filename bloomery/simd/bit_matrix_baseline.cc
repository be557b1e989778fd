// Bit matrices in registers of 16 bytes, or in words where there are none.
#include "bloomery/simd/bit_matrix_lanes.h"

namespace bloomery::simd {
namespace {

struct Baseline {
  typedef std::uint64_t Lane __attribute__((vector_size(16)));
  typedef std::uint64_t Loose __attribute__((vector_size(16), aligned(1), may_alias));
  static std::size_t put_byte(std::uint8_t byte, std::uint64_t first, std::uint64_t* positions) {
    for (unsigned i = 0; i < 8; ++i) positions[i] = first + kBytePlaces.at[byte][i];
    return static_cast<std::size_t>(__builtin_popcount(byte));
  }
};

}  // namespace

constinit const BitMatrixKernels kBitMatrixBaseline = BitMatrix<Baseline>::kernels("baseline");

}  // namespace bloomery::simd
