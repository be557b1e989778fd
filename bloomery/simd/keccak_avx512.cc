// Keccak-256 in eight lanes, on AVX-512: rotations and the three-way steps are one instruction
// each.
#include <immintrin.h>

#include "bloomery/simd/keccak_lanes.h"

namespace bloomery::simd {
namespace {

constexpr int kXor3 = 0x96;         // a ^ b ^ c
constexpr int kXorNotBAndC = 0xd2;  // a ^ (~b & c)

struct EightLanes {
  using Lane = __m512i;
  BLOOMERY_INLINE static Lane load(const std::uint64_t* from) { return _mm512_load_si512(from); }
  BLOOMERY_INLINE static void store(std::uint64_t* to, Lane lane) { _mm512_store_si512(to, lane); }
  BLOOMERY_INLINE static Lane broadcast(std::uint64_t word) {
    return _mm512_set1_epi64(static_cast<long long>(word));
  }
  BLOOMERY_INLINE static Lane exclusive_or(Lane a, Lane b) { return _mm512_xor_si512(a, b); }
  BLOOMERY_INLINE static Lane exclusive_or_5(Lane a, Lane b, Lane c, Lane d, Lane e) {
    return _mm512_ternarylogic_epi64(_mm512_ternarylogic_epi64(a, b, c, kXor3), d, e, kXor3);
  }
  BLOOMERY_INLINE static Lane chi(Lane a, Lane b, Lane c) {
    return _mm512_ternarylogic_epi64(a, b, c, kXorNotBAndC);
  }
  template <int kBits>
  BLOOMERY_INLINE static Lane rotate(Lane a) {
    return _mm512_maskz_rol_epi64(0xff, a, kBits);  // GCC 12 warns of the plain one's insides
  }
};

struct FourLanes {
  using Lane = __m256i;
  BLOOMERY_INLINE static Lane load(const std::uint64_t* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  }
  BLOOMERY_INLINE static void store(std::uint64_t* to, Lane lane) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), lane);
  }
  BLOOMERY_INLINE static Lane broadcast(std::uint64_t word) {
    return _mm256_set1_epi64x(static_cast<long long>(word));
  }
  BLOOMERY_INLINE static Lane exclusive_or(Lane a, Lane b) { return _mm256_xor_si256(a, b); }
  BLOOMERY_INLINE static Lane exclusive_or_5(Lane a, Lane b, Lane c, Lane d, Lane e) {
    return _mm256_ternarylogic_epi64(_mm256_ternarylogic_epi64(a, b, c, kXor3), d, e, kXor3);
  }
  BLOOMERY_INLINE static Lane chi(Lane a, Lane b, Lane c) {
    return _mm256_ternarylogic_epi64(a, b, c, kXorNotBAndC);
  }
  template <int kBits>
  BLOOMERY_INLINE static Lane rotate(Lane a) {
    return _mm256_rol_epi64(a, kBits);
  }
};

}  // namespace

constinit const KeccakKernels kKeccakAvx512 = {
    "avx512", hash_in_lanes<Sponges<EightLanes>, Sponges<FourLanes>, Sponges<EightLanes>>};

}  // namespace bloomery::simd
