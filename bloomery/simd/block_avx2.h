// One key of the block layout on AVX2 with AES, inlined into the caller: for code that is compiled
// for such a CPU (-march=x86-64-v3 and the like). The batch kernels use the same functions.
#pragma once
#include "bloomery/simd/block_kernels.h"

#if defined(__AVX2__)
#define BLOOMERY_HAS_AVX2 1
#include "bloomery/hash/partial_load.h"
#include "bloomery/simd/intrinsics.h"

namespace bloomery::simd::avx2 {

BLOOMERY_INLINE __m128i aes_key(std::size_t i) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&kAesKeys[i]));
}
// x86-64-v3 is without AES, which the caller asks the CPU for at run time: the kernels' row has it.
BLOOMERY_INLINE __m128i aes_round(__m128i state, __m128i key) {
#if defined(__AES__)
  return _mm_aesenc_si128(state, key);
#else
  __m128i next;
  __asm__("vaesenc %2, %1, %0" : "=x"(next) : "x"(state), "x"(key));
  return next;
#endif
}
// A hash stays in a register: low word the place, high word the bits.
// The seed meets the round key, not the key: in a loop only once.
BLOOMERY_INLINE __m128i aes_number(std::uint64_t key, std::uint64_t seed) {
  const __m128i first = _mm_xor_si128(aes_key(0), _mm_set1_epi64x(static_cast<long long>(seed)));
  const __m128i state = _mm_xor_si128(_mm_set1_epi64x(static_cast<long long>(key)), first);
  return aes_round(aes_round(state, aes_key(1)), aes_key(2));
}
BLOOMERY_INLINE __m128i load_lane(const std::byte* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
// The last `size` bytes (1 to 16) before `end`, zeros behind them: turned down from a load that
// ends with the key. Precondition: the key has at least 16 bytes.
BLOOMERY_INLINE __m128i last_lane(const std::byte* end, std::size_t size) {
  static constexpr auto kTurns = [] {
    std::array<std::uint8_t, 32> turns{};
    for (std::uint8_t i = 0; i < 32; ++i) turns[i] = i < 16 ? i : 0x80;
    return turns;
  }();
  const auto* turn = reinterpret_cast<const __m128i*>(kTurns.data() + (16 - size));
  return _mm_shuffle_epi8(load_lane(end - 16), _mm_loadu_si128(turn));
}
// A key of less than 16 bytes.
BLOOMERY_INLINE __m128i short_lane(const std::byte* from, std::size_t size) {
  if (size < 8)
    return _mm_cvtsi64_si128(static_cast<long long>(internal::load_le_partial(from, size)));
  const std::uint64_t high =
      size == 8 ? 0 : load_le<std::uint64_t>(from + size - 8) >> (8 * (16 - size));
  return _mm_set_epi64x(static_cast<long long>(high),
                        static_cast<long long>(load_le<std::uint64_t>(from)));
}
// The hash of bytes in four registers of one lane each: no byte past the key is read. Not one wide
// register and a masked load: on Zen 4 such a load waits for the address of every store before it,
// and taking the lanes apart again is slow.
BLOOMERY_INLINE __m128i aes_bytes(ByteView key, std::uint64_t seed) {
  const __m128i seeds = _mm_set1_epi64x(static_cast<long long>(seed));
  const __m128i keys[4] = {aes_key(3), aes_key(2), aes_key(1), aes_key(0)};
  __m128i lane[4];
  for (std::size_t i = 0; i < 4; ++i) lane[i] = _mm_xor_si128(keys[i], seeds);
  const std::byte* from = key.data();
  std::size_t rest = key.size();
  for (; __builtin_expect(rest > kAesStripeBytes, 0); rest -= kAesStripeBytes) {
    for (std::size_t i = 0; i < 4; ++i) {
      lane[i] = _mm_xor_si128(lane[i], load_lane(from + 16 * i));
      lane[i] = aes_round(aes_round(lane[i], keys[i]), keys[i]);
    }
    from += kAesStripeBytes;
  }
  const auto take = [&lane](std::size_t i, __m128i bytes) {
    lane[i] = _mm_xor_si128(lane[i], bytes);
  };
  if (rest > 16) take(0, load_lane(from));
  if (rest > 32) take(1, load_lane(from + 16));
  if (rest > 48) {
    take(2, load_lane(from + 32));
    take(3, last_lane(from + rest, rest - 48));
  } else if (rest > 32) {
    take(2, last_lane(from + rest, rest - 32));
  } else if (rest > 16) {
    take(1, last_lane(from + rest, rest - 16));
  } else if (key.size() >= 16) {
    take(0, last_lane(from + rest, rest));
  } else {
    take(0, short_lane(from, rest));
  }
  const __m128i length = _mm_set1_epi64x(static_cast<long long>(key.size() * kAesLengthFactor));
  for (__m128i& one : lane) one = aes_round(one, length);
  const __m128i hash = aes_round(aes_round(lane[0], lane[2]), aes_round(lane[1], lane[3]));
  return aes_round(aes_round(hash, aes_key(1)), aes_key(2));
}
BLOOMERY_INLINE std::uint64_t place_of(__m128i hash) {
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash));
}

struct Mask {  // what a key sets in its block
  __m256i low;
  __m256i high;
};
// Byte i of the high word, which has been reduced to a bit number, into the lowest byte of lane i.
// Two shuffles of a broadcast register; widening the bytes would take twice the instructions.
BLOOMERY_INLINE Mask in_lanes(__m256i both) {
  constexpr auto kRest = static_cast<long long>(0x8080808080808000U);  // zeros
  return {
      _mm256_shuffle_epi8(both, _mm256_setr_epi64x(kRest | 8, kRest | 9, kRest | 10, kRest | 11)),
      _mm256_shuffle_epi8(both,
                          _mm256_setr_epi64x(kRest | 12, kRest | 13, kRest | 14, kRest | 15))};
}
BLOOMERY_INLINE __m256i low_six_bits() { return _mm256_set1_epi8(block::kSectorBits - 1); }
// The bit numbers of the eight sectors.
BLOOMERY_INLINE Mask shifts_of(__m128i hash) {
  return in_lanes(_mm256_and_si256(_mm256_broadcastsi128_si256(hash), low_six_bits()));
}
BLOOMERY_INLINE Mask all_sectors(__m128i hash) {
  const Mask shifts = shifts_of(hash);
  const __m256i one = _mm256_set1_epi64x(1);
  return {_mm256_sllv_epi64(one, shifts.low), _mm256_sllv_epi64(one, shifts.high)};
}

// A half block as it is stored: no alias of the filter's own members, unlike __m256i, so that a
// loop of inserts keeps those in registers.
typedef long long StoredHalf __attribute__((vector_size(32), aligned(1)));
BLOOMERY_INLINE __m256i load_half(const void* from) {
  return (__m256i)(*static_cast<const StoredHalf*>(from));
}
BLOOMERY_INLINE void store_half(std::byte* half, __m256i value) {
  *reinterpret_cast<StoredHalf*>(half) = (StoredHalf)value;
}

// Whether the key was certainly new, or may be there. One test of both halves: two tests became a
// branch on the first, which half the keys miss.
template <bool kInsert>
BLOOMERY_INLINE bool act_in(std::byte* block, const Mask& mask) {
  const __m256i low = load_half(block);
  const __m256i high = load_half(block + sizeof low);
  const __m256i missing =
      _mm256_or_si256(_mm256_andnot_si256(low, mask.low), _mm256_andnot_si256(high, mask.high));
  if constexpr (kInsert) {
    store_half(block, _mm256_or_si256(low, mask.low));
    store_half(block + sizeof low, _mm256_or_si256(high, mask.high));
    return _mm256_testz_si256(missing, missing) == 0;
  }
  return _mm256_testz_si256(missing, missing) != 0;
}
// A lookup that uses all sectors: each asked bit is shifted to the sign of its lane, by 63 less its
// number. Fewer instructions than masks, and one test that is no branch.
BLOOMERY_INLINE bool has_all(const std::byte* block, __m128i hash) {
  const Mask shifts =
      in_lanes(_mm256_andnot_si256(_mm256_broadcastsi128_si256(hash), low_six_bits()));
  const __m256i low = _mm256_sllv_epi64(load_half(block), shifts.low);
  const __m256i high = _mm256_sllv_epi64(load_half(block + sizeof low), shifts.high);
  return _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_and_si256(low, high))) == 0xf;
}
// Precondition: all sectors are used, and no seeds.
template <bool kInsert>
BLOOMERY_INLINE bool one(const BlockTarget& target, __m128i hash) {
  std::byte* block =
      target.blocks + block::block_of(place_of(hash), target.count) * block::kBlockBytes;
  if constexpr (kInsert) return act_in<true>(block, all_sectors(hash));
  return has_all(block, hash);
}

}  // namespace bloomery::simd::avx2
#endif
