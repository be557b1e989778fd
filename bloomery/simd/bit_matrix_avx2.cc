// Bit matrices in registers of 32 bytes.
#include <immintrin.h>

#include "bloomery/simd/bit_matrix_lanes.h"

namespace bloomery::simd {
namespace {

struct Avx2 {
  typedef std::uint64_t Lane __attribute__((vector_size(32)));
  typedef std::uint64_t Loose __attribute__((vector_size(32), aligned(1), may_alias));
  BLOOMERY_INLINE static std::size_t put_byte(std::uint8_t byte, std::uint64_t first,
                                              std::uint64_t* positions) {
    const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kBytePlaces.at[byte]));
    const __m256i all = _mm256_set1_epi64x(static_cast<long long>(first));
    auto* to = reinterpret_cast<__m256i*>(positions);
    _mm256_storeu_si256(to, _mm256_add_epi64(all, _mm256_cvtepu8_epi64(places)));
    _mm256_storeu_si256(to + 1,
                        _mm256_add_epi64(all, _mm256_cvtepu8_epi64(_mm_srli_si128(places, 4))));
    return static_cast<std::size_t>(__builtin_popcount(byte));
  }
};

}  // namespace

constinit const BitMatrixKernels kBitMatrixAvx2 = BitMatrix<Avx2>::kernels("avx2");

}  // namespace bloomery::simd
