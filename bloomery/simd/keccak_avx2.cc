// Keccak-256 in four lanes, on AVX2 (Haswell, Zen and later).
#include <immintrin.h>

#include "bloomery/simd/keccak_lanes.h"

namespace bloomery::simd {
namespace {

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
    return exclusive_or(exclusive_or(exclusive_or(a, b), exclusive_or(c, d)), e);
  }
  BLOOMERY_INLINE static Lane chi(Lane a, Lane b, Lane c) {
    return _mm256_xor_si256(a, _mm256_andnot_si256(b, c));
  }
  template <int kBits>
  BLOOMERY_INLINE static Lane rotate(Lane a) {
    if constexpr (kBits == 0) {
      return a;
    } else if constexpr (kBits % 8 ==
                         0) {  // whole bytes move in one shuffle instead of three steps
      alignas(32) static constexpr auto kMoved = [] {
        std::array<std::uint8_t, 32> from{};
        for (unsigned i = 0; i < 32; ++i)
          from[i] = static_cast<std::uint8_t>(i % 16 / 8 * 8 + (i % 8 + 8 - kBits / 8) % 8);
        return from;
      }();
      return _mm256_shuffle_epi8(
          a, _mm256_load_si256(reinterpret_cast<const __m256i*>(kMoved.data())));
    } else if constexpr (kBits == 1) {  // more units add than shift
      return _mm256_or_si256(_mm256_add_epi64(a, a), _mm256_srli_epi64(a, 63));
    } else {
      return _mm256_or_si256(_mm256_slli_epi64(a, kBits), _mm256_srli_epi64(a, 64 - kBits));
    }
  }
};

}  // namespace

constinit const KeccakKernels kKeccakAvx2 = {
    "avx2", hash_in_lanes<Sponges<FourLanes, 2>, Sponges<FourLanes>>};

}  // namespace bloomery::simd
