// Bit matrices in registers of 64 bytes.
#include <immintrin.h>

#include "bloomery/simd/bit_matrix_lanes.h"

namespace bloomery::simd {
namespace {

struct Avx512 {
  typedef std::uint64_t Lane __attribute__((vector_size(64)));
  typedef std::uint64_t Loose __attribute__((vector_size(64), aligned(1), may_alias));
  BLOOMERY_INLINE static std::size_t put_byte(std::uint8_t byte, std::uint64_t first,
                                              std::uint64_t* positions) {
    const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kBytePlaces.at[byte]));
    _mm512_storeu_si512(positions,
                        _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first)),
                                         _mm512_maskz_cvtepu8_epi64(0xff, places)));
    return static_cast<std::size_t>(__builtin_popcount(byte));
  }
};

}  // namespace

constinit const BitMatrixKernels kBitMatrixAvx512 = BitMatrix<Avx512>::kernels("avx512");

}  // namespace bloomery::simd
