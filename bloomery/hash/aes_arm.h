// The hash of aes_hash.h by the AES instructions of ARMv8, inlined. For files that are compiled for
// such CPUs (-march=armv8-a+crypto) and run only on them.
#pragma once
#include "bloomery/hash/aes_hash.h"

#if defined(__aarch64__) && defined(__ARM_FEATURE_AES)
#include <arm_neon.h>

#include "bloomery/hash/partial_load.h"

namespace bloomery::internal {

#define BLOOMERY_AES_INLINE [[gnu::always_inline]] inline

BLOOMERY_AES_INLINE uint8x16_t aes_key(std::size_t i) {
  const AesBlock* keys = kAesKeys.data();
  __asm__("" : "+r"(keys));  // one address: known constants are each looked up by their own
  return vreinterpretq_u8_u64(vld1q_u64(&keys[i].low));
}
BLOOMERY_AES_INLINE uint8x16_t in_both_words(std::uint64_t word) {
  return vreinterpretq_u8_u64(vdupq_n_u64(word));
}
// AESE adds its key before the round, AESENC after it: so a round here takes the key of the one
// before, and the last key is added by itself.
BLOOMERY_AES_INLINE uint8x16_t round_after(uint8x16_t key, uint8x16_t state) {
  return vaesmcq_u8(vaeseq_u8(state, key));
}

// A hash in a register: low word the place, high word the bits.
BLOOMERY_AES_INLINE uint8x16_t aes_of_number(std::uint64_t key, std::uint64_t seed) {
  // The seed meets the round key, not the key: in a loop only once.
  const uint8x16_t first = veorq_u8(aes_key(0), in_both_words(seed));
  return veorq_u8(round_after(aes_key(1), round_after(first, in_both_words(key))), aes_key(2));
}

// Zero past the end of the key, and nothing past it is read.
BLOOMERY_AES_INLINE uint8x16_t load_lane(const std::byte* from, std::size_t size) {
  if (size >= 16) return vld1q_u8(reinterpret_cast<const std::uint8_t*>(from));
  const std::uint64_t low = size < 8 ? load_le_partial(from, size) : load_le<std::uint64_t>(from);
  const std::uint64_t high = size <= 8 ? 0 : load_le_partial(from + 8, size - 8);
  return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}
BLOOMERY_AES_INLINE uint8x16_t aes_of_bytes(ByteView key, std::uint64_t seed) {
  const uint8x16_t keys[4] = {aes_key(3), aes_key(2), aes_key(1), aes_key(0)};
  uint8x16_t state[4];
  for (std::size_t i = 0; i < 4; ++i) state[i] = veorq_u8(keys[i], in_both_words(seed));
  const std::byte* from = key.data();
  std::size_t rest = key.size();
  for (; rest > kAesStripeBytes; rest -= kAesStripeBytes, from += kAesStripeBytes)
    for (std::size_t i = 0; i < 4; ++i) {
      const uint8x16_t once = round_after(load_lane(from + 16 * i, 16), state[i]);
      state[i] = veorq_u8(round_after(keys[i], once), keys[i]);
    }
  const uint8x16_t none = vdupq_n_u8(0);
  for (std::size_t i = 0; i < 4; ++i)
    state[i] =
        round_after(16 * i < rest ? load_lane(from + 16 * i, rest - 16 * i) : none, state[i]);
  const uint8x16_t length = in_both_words(key.size() * kAesLengthFactor);
  const uint8x16_t even = veorq_u8(round_after(length, state[0]), veorq_u8(state[2], length));
  const uint8x16_t odd = veorq_u8(round_after(length, state[1]), veorq_u8(state[3], length));
  const uint8x16_t hash = round_after(aes_key(1), round_after(odd, round_after(none, even)));
  return veorq_u8(hash, aes_key(2));
}
BLOOMERY_AES_INLINE Hash128 words_of(uint8x16_t hash) {
  const uint64x2_t words = vreinterpretq_u64_u8(hash);
  return {vgetq_lane_u64(words, 0), vgetq_lane_u64(words, 1)};
}

}  // namespace bloomery::internal
#endif
