// XXH3 of more than 128 bytes, one thread a key. Apart from the kernels' loops: such keys are rare,
// and the registers that these take would slow down the others, which pay for them even uncalled.
// Loops stay loops for that reason.
#pragma once
#include "bloomery/gpu/cuda/xxh3.h"

namespace bloomery::gpu::cuda {

#ifdef __CUDACC__
#define BLOOMERY_APART inline __host__ __device__ __noinline__
#define BLOOMERY_ROLLED _Pragma("unroll 1")
#else
#define BLOOMERY_APART inline
#define BLOOMERY_ROLLED
#endif

namespace long_xxh3 {

inline constexpr u32 kLanes = 8;
inline constexpr u32 kStripe = 64;
inline constexpr u32 kStripesInBlock = 16;
inline constexpr u32 kSecretBytes = kSecretWords * 8;

// Word number `word` of the secret that a seed makes; with seed 0 it is the default one.
BLOOMERY_BOTH u64 seeded_word(const u64 (&words)[kSecretWords], u32 word, u64 seed) {
  return (word & 1) == 0 ? words[word] + seed : words[word] - seed;
}
// Eight bytes of it from any byte on.
BLOOMERY_BOTH u64 seeded_bytes(const u64 (&words)[kSecretWords], u32 at, u64 seed) {
  const u32 shift = at % 8 * 8;
  const u64 low = seeded_word(words, at / 8, seed);
  return shift == 0 ? low : low >> shift | seeded_word(words, at / 8 + 1, seed) << (64 - shift);
}

template <class Reader>
BLOOMERY_BOTH u64 mix_16_bytes(const u64 (&words)[kSecretWords], Reader reader, const u8* p, u32 at,
                               u64 seed) {
  return fold(reader.word(p) ^ (seeded_bytes(words, at, 0) + seed),
              reader.word(p + 8) ^ (seeded_bytes(words, at + 8, 0) - seed));
}
template <class Reader>
BLOOMERY_BOTH void mix_32_bytes(Hash128& sum, const u64 (&words)[kSecretWords], Reader reader,
                                const u8* a, const u8* b, u32 at, u64 seed) {
  sum.low += mix_16_bytes(words, reader, a, at, seed);
  sum.low ^= reader.word(b) + reader.word(b + 8);
  sum.high += mix_16_bytes(words, reader, b, at + 16, seed);
  sum.high ^= reader.word(a) + reader.word(a + 8);
}

template <class Reader>
BLOOMERY_BOTH Hash128 of_129_to_240(const u64 (&words)[kSecretWords], Reader reader, const u8* p,
                                    u64 length, u64 seed) {
  Hash128 sum{length * kPrime1, 0};
  BLOOMERY_ROLLED
  for (u32 i = 0; i < 4; ++i)
    mix_32_bytes(sum, words, reader, p + 32 * i, p + 32 * i + 16, 32 * i, seed);
  sum.low = avalanche(sum.low);
  sum.high = avalanche(sum.high);
  BLOOMERY_ROLLED
  for (u32 i = 4; i < length / 32; ++i)
    mix_32_bytes(sum, words, reader, p + 32 * i, p + 32 * i + 16, 3 + 32 * (i - 4), seed);
  mix_32_bytes(sum, words, reader, p + length - 16, p + length - 32, 136 - 17 - 16, 0 - seed);
  return finish_middle(sum, length, seed);
}

template <class Reader>
BLOOMERY_BOTH void add_stripe(u64 (&sums)[kLanes], const u64 (&words)[kSecretWords], Reader reader,
                              const u8* p, u32 at, u64 seed) {
  BLOOMERY_ROLLED
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const u64 data = reader.word(p + 8 * lane);
    const u64 keyed = data ^ seeded_bytes(words, at + 8 * lane, seed);
    sums[lane ^ 1] += data;
    sums[lane] += u64{static_cast<u32>(keyed)} * (keyed >> 32);
  }
}
BLOOMERY_BOTH void scramble(u64 (&sums)[kLanes], const u64 (&words)[kSecretWords], u64 seed) {
  BLOOMERY_ROLLED
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const u64 key = seeded_bytes(words, kSecretBytes - kStripe + 8 * lane, seed);
    sums[lane] = (sums[lane] ^ sums[lane] >> 47 ^ key) * kSmallPrime1;
  }
}
BLOOMERY_BOTH u64 merged(const u64 (&sums)[kLanes], const u64 (&words)[kSecretWords], u32 at,
                         u64 start, u64 seed) {
  BLOOMERY_ROLLED
  for (u32 i = 0; i < 4; ++i)
    start += fold(sums[2 * i] ^ seeded_bytes(words, at + 16 * i, seed),
                  sums[2 * i + 1] ^ seeded_bytes(words, at + 16 * i + 8, seed));
  return avalanche(start);
}

template <class Reader>
BLOOMERY_BOTH Hash128 of_more(const u64 (&words)[kSecretWords], Reader reader, const u8* p,
                              u64 length, u64 seed) {
  u64 sums[kLanes] = {kSmallPrime3, kPrime1,      kPrime2, kPrime3,
                      kPrime4,      kSmallPrime2, kPrime5, kSmallPrime1};
  const u64 stripes = (length - 1) / kStripe;  // the last bytes are a stripe of their own
  BLOOMERY_ROLLED
  for (u64 i = 0; i < stripes; ++i) {
    const u32 in_block = static_cast<u32>(i % kStripesInBlock);
    add_stripe(sums, words, reader, p + i * kStripe, 8 * in_block, seed);
    if (in_block == kStripesInBlock - 1) scramble(sums, words, seed);
  }
  add_stripe(sums, words, reader, p + length - kStripe, kSecretBytes - kStripe - 7, seed);
  return {merged(sums, words, 11, length * kPrime1, seed),
          merged(sums, words, kSecretBytes - kStripe - 11, ~(length * kPrime2), seed)};
}

}  // namespace long_xxh3

// Of any length, reading nothing at or past the first byte after the key where that lies behind
// `end`, the last multiple of eight within the caller's memory.
BLOOMERY_APART Hash128 xxh3_any(const u8* p, u64 length, u64 seed, const u8* end) {
  const CarefulReader reader{end};
  if (length <= 128) return xxh3_short(reader, p, length, seed);
  constexpr u64 kSecret[kSecretWords] = {
      secret<0>(),  secret<1>(),  secret<2>(),  secret<3>(),  secret<4>(),  secret<5>(),
      secret<6>(),  secret<7>(),  secret<8>(),  secret<9>(),  secret<10>(), secret<11>(),
      secret<12>(), secret<13>(), secret<14>(), secret<15>(), secret<16>(), secret<17>(),
      secret<18>(), secret<19>(), secret<20>(), secret<21>(), secret<22>(), secret<23>()};
  if (length <= 240) return long_xxh3::of_129_to_240(kSecret, reader, p, length, seed);
  return long_xxh3::of_more(kSecret, reader, p, length, seed);
}

}  // namespace bloomery::gpu::cuda
