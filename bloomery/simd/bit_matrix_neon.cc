// Bit matrices in the registers of 16 bytes that every aarch64 CPU has, by instructions that a
// plain vector type does not reach.
#include <arm_neon.h>

#include "bloomery/simd/bit_matrix_lanes.h"

namespace bloomery::simd {
namespace {

struct Neon {
  typedef std::uint64_t Lane __attribute__((vector_size(16)));
  typedef std::uint64_t Loose __attribute__((vector_size(16), aligned(1), may_alias));
  BLOOMERY_INLINE static std::size_t put_byte(std::uint8_t byte, std::uint64_t first,
                                              std::uint64_t* positions) {
    const uint16x8_t places = vmovl_u8(vld1_u8(kBytePlaces.at[byte]));
    const uint32x4_t halves[2] = {vmovl_u16(vget_low_u16(places)), vmovl_high_u16(places)};
    const uint64x2_t all = vdupq_n_u64(first);
    for (std::size_t i = 0; i < 2; ++i) {
      vst1q_u64(positions + 4 * i, vaddw_u32(all, vget_low_u32(halves[i])));
      vst1q_u64(positions + 4 * i + 2, vaddw_high_u32(all, halves[i]));
    }
    return static_cast<std::size_t>(__builtin_popcount(byte));
  }

  // Whole bytes change places in one instruction for each row; bits are inserted in two.
  template <unsigned kHalf>
  BLOOMERY_INLINE static void exchange(Lane& low, Lane& high) {
    const uint64x2_t a = (uint64x2_t)low;
    const uint64x2_t b = (uint64x2_t)high;
    if constexpr (kHalf == 32) {
      low = (Lane)vtrn1q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
      high = (Lane)vtrn2q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
    } else if constexpr (kHalf == 16) {
      low = (Lane)vtrn1q_u16(vreinterpretq_u16_u64(a), vreinterpretq_u16_u64(b));
      high = (Lane)vtrn2q_u16(vreinterpretq_u16_u64(a), vreinterpretq_u16_u64(b));
    } else if constexpr (kHalf == 8) {
      low = (Lane)vtrn1q_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(b));
      high = (Lane)vtrn2q_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(b));
    } else {
      const uint64x2_t kept_of_low = vdupq_n_u64(~std::uint64_t{0} / ((1ULL << kHalf) + 1));
      low = (Lane)vbslq_u64(kept_of_low, a, vshlq_n_u64(b, kHalf));
      high = (Lane)vbslq_u64(kept_of_low, vshrq_n_u64(a, kHalf), b);
    }
  }
};

}  // namespace

constinit const BitMatrixKernels kBitMatrixNeon = BitMatrix<Neon>::kernels("neon");

}  // namespace bloomery::simd
