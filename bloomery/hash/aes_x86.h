// The hash of aes_hash.h by the CPU's own AES instruction, inlined. For files that are compiled for
// such CPUs (-maes -msse4.1) and run only on them.
#pragma once
#include "bloomery/hash/aes_hash.h"

#if defined(__AES__) && defined(__SSE4_1__)
#include <immintrin.h>

#include "bloomery/hash/partial_load.h"

namespace bloomery::internal {

#define BLOOMERY_AES_INLINE [[gnu::always_inline]] inline

BLOOMERY_AES_INLINE __m128i aes_key(std::size_t i) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&kAesKeys[i]));
}
BLOOMERY_AES_INLINE Hash128 words_of(__m128i hash) {
  return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash)),
          static_cast<std::uint64_t>(_mm_extract_epi64(hash, 1))};
}
// A hash in a register: low word the place, high word the bits.
BLOOMERY_AES_INLINE __m128i aes_of_number(std::uint64_t key, std::uint64_t seed) {
  const __m128i word = _mm_set1_epi64x(static_cast<long long>(key ^ seed));
  const __m128i state = _mm_xor_si128(word, aes_key(0));
  return _mm_aesenc_si128(_mm_aesenc_si128(state, aes_key(1)), aes_key(2));
}

struct AesStripe {
  __m128i lane[4];
};
// Zero past the end of the key, and nothing past it is read.
BLOOMERY_AES_INLINE __m128i load_lane(const std::byte* from, std::size_t size) {
  if (size >= 16) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  if (size < 8) return _mm_cvtsi64_si128(static_cast<long long>(load_le_partial(from, size)));
  const auto low = load_le<std::uint64_t>(from);
  const std::uint64_t high = size == 8 ? 0 : load_le_partial(from + 8, size - 8);
  return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}
BLOOMERY_AES_INLINE void aes_round(AesStripe& state, const AesStripe& keys) {
  for (std::size_t i = 0; i < 4; ++i) state.lane[i] = _mm_aesenc_si128(state.lane[i], keys.lane[i]);
}
BLOOMERY_AES_INLINE __m128i aes_of_bytes(ByteView key, std::uint64_t seed) {
  const AesStripe keys = {{aes_key(3), aes_key(2), aes_key(1), aes_key(0)}};
  const __m128i seeds = _mm_set1_epi64x(static_cast<long long>(seed));
  AesStripe state;
  for (std::size_t i = 0; i < 4; ++i) state.lane[i] = _mm_xor_si128(keys.lane[i], seeds);
  const std::byte* from = key.data();
  std::size_t rest = key.size();
  for (; rest > kAesStripeBytes; rest -= kAesStripeBytes, from += kAesStripeBytes) {
    for (std::size_t i = 0; i < 4; ++i)
      state.lane[i] = _mm_xor_si128(state.lane[i], load_lane(from + 16 * i, 16));
    aes_round(state, keys);
    aes_round(state, keys);
  }
  for (std::size_t i = 0; i < 4 && 16 * i < rest; ++i)
    state.lane[i] = _mm_xor_si128(state.lane[i], load_lane(from + 16 * i, rest - 16 * i));
  const __m128i length = _mm_set1_epi64x(static_cast<long long>(key.size() * kAesLengthFactor));
  aes_round(state, {{length, length, length, length}});
  __m128i hash = _mm_aesenc_si128(_mm_aesenc_si128(state.lane[0], state.lane[2]),
                                  _mm_aesenc_si128(state.lane[1], state.lane[3]));
  hash = _mm_aesenc_si128(hash, aes_key(1));
  return _mm_aesenc_si128(hash, aes_key(2));
}

}  // namespace bloomery::internal
#endif
