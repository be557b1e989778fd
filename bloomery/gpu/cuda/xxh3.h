// XXH3 with 128 bits, for integers and for bytes of every length: the words that hash/xxh.h gives.
// Compiles for the device and for the CPU.
#pragma once
#include "bloomery/gpu/cuda/words.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::gpu::cuda {

inline constexpr u64 kPrime1 = 0x9e3779b185ebca87;
inline constexpr u64 kPrime2 = 0xc2b2ae3d27d4eb4f;
inline constexpr u64 kPrime3 = 0x165667b19e3779f9;
inline constexpr u64 kPrime4 = 0x85ebca77c2b2ae63;
inline constexpr u64 kPrime5 = 0x27d4eb2f165667c5;
inline constexpr u64 kSmallPrime1 = 0x9e3779b1;
inline constexpr u64 kSmallPrime2 = 0x85ebca77;
inline constexpr u64 kSmallPrime3 = 0xc2b2ae3d;

// XXH3's default secret as little-endian words.
inline constexpr u32 kSecretWords = 24;
template <u32 kWord>
BLOOMERY_BOTH constexpr u64 secret() {
  constexpr u64 kSecret[kSecretWords] = {
      0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
      0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,
      0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
      0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,
      0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
      0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af,
  };
  return kSecret[kWord];
}

BLOOMERY_BOTH u64 avalanche(u64 h) {
  h = (h ^ h >> 37) * 0x165667919e3779f9;
  return h ^ h >> 32;
}
BLOOMERY_BOTH u64 avalanche_short(u64 h) {
  h = (h ^ h >> 33) * kPrime2;
  h = (h ^ h >> 29) * kPrime3;
  return h ^ h >> 32;
}
BLOOMERY_BOTH u64 fold(u64 a, u64 b) { return a * b ^ multiply_high(a, b); }

// Of 4 to 8 bytes, whose first four are the low half of `input` and last four the high half.
BLOOMERY_BOTH Hash128 xxh3_4_to_8(u64 input, u64 seed, u64 length) {
  seed ^= u64{reversed_bytes(static_cast<u32>(seed))} << 32;
  const u64 keyed = input ^ ((secret<2>() ^ secret<3>()) + seed);
  const u64 factor = kPrime1 + (length << 2);
  u64 low = keyed * factor;
  u64 high = multiply_high(keyed, factor);
  high += low << 1;
  low ^= high >> 3;
  low = (low ^ low >> 35) * 0x9fb21c651e98df25;
  return {low ^ low >> 28, avalanche(high)};
}
BLOOMERY_BOTH Hash128 xxh3_of_number(u64 key, u64 seed) { return xxh3_4_to_8(key, seed, 8); }

// Reads bytes at any address in aligned words: never past the aligned eight that hold the last one
// that was asked for.
struct AlignedReader {
  BLOOMERY_BOTH u64 word(const u8* at) const {
    const u64* words = reinterpret_cast<const u64*>(reinterpret_cast<std::uintptr_t>(at) & ~u64{7});
    const u32 shift = static_cast<u32>(reinterpret_cast<std::uintptr_t>(at) & 7) * 8;
    const u64 low = load_word(words);
    return shift == 0 ? low : low >> shift | load_word(words + 1) << (64 - shift);
  }
  BLOOMERY_BOTH u32 half(const u8* at) const {
    const u64* words = reinterpret_cast<const u64*>(reinterpret_cast<std::uintptr_t>(at) & ~u64{7});
    const u32 first = static_cast<u32>(reinterpret_cast<std::uintptr_t>(at) & 7);
    const u64 low = load_word(words) >> first * 8;
    return static_cast<u32>(first <= 4 ? low : low | load_word(words + 1) << (64 - first * 8));
  }
};
// The same byte by byte from `end` on, the last multiple of eight within the caller's memory.
struct CarefulReader {
  const u8* end;
  BLOOMERY_BOTH u64 word(const u8* at) const {
    if (at + 8 <= end) return AlignedReader{}.word(at);
    u64 bytes = 0;
    for (u32 i = 0; i < 8; ++i) bytes |= u64{at[i]} << 8 * i;
    return bytes;
  }
  BLOOMERY_BOTH u32 half(const u8* at) const {
    u32 bytes = 0;
    for (u32 i = 0; i < 4; ++i) bytes |= u32{at[i]} << 8 * i;
    return bytes;
  }
};

template <u32 kWord, class Reader>
BLOOMERY_BOTH void mix_32_bytes(Hash128& sum, Reader reader, const u8* a, const u8* b, u64 seed) {
  const u64 a0 = reader.word(a), a1 = reader.word(a + 8);
  const u64 b0 = reader.word(b), b1 = reader.word(b + 8);
  sum.low += fold(a0 ^ (secret<kWord>() + seed), a1 ^ (secret<kWord + 1>() - seed));
  sum.low ^= b0 + b1;
  sum.high += fold(b0 ^ (secret<kWord + 2>() + seed), b1 ^ (secret<kWord + 3>() - seed));
  sum.high ^= a0 + a1;
}
BLOOMERY_BOTH Hash128 finish_middle(const Hash128& sum, u64 length, u64 seed) {
  return {avalanche(sum.low + sum.high),
          0 - avalanche(sum.low * kPrime1 + sum.high * kPrime4 + (length - seed) * kPrime2)};
}

// Up to 128 bytes, the lengths of most keys.
template <class Reader>
BLOOMERY_BOTH Hash128 xxh3_short(Reader reader, const u8* p, u64 length, u64 seed) {
  if (length > 16) {
    Hash128 sum{length * kPrime1, 0};
    if (length > 96) mix_32_bytes<12>(sum, reader, p + 48, p + length - 64, seed);
    if (length > 64) mix_32_bytes<8>(sum, reader, p + 32, p + length - 48, seed);
    if (length > 32) mix_32_bytes<4>(sum, reader, p + 16, p + length - 32, seed);
    mix_32_bytes<0>(sum, reader, p, p + length - 16, seed);
    return finish_middle(sum, length, seed);
  }
  if (length > 8) {
    const u64 a = reader.word(p);
    u64 b = reader.word(p + length - 8);
    const u64 keyed = a ^ b ^ ((secret<4>() ^ secret<5>()) - seed);
    u64 low = keyed * kPrime1 + ((length - 1) << 54);
    u64 high = multiply_high(keyed, kPrime1);
    b ^= (secret<6>() ^ secret<7>()) + seed;
    high += b + u64{static_cast<u32>(b)} * (kSmallPrime2 - 1);
    low ^= reversed_bytes(high);
    return {avalanche(low * kPrime2), avalanche(multiply_high(low, kPrime2) + high * kPrime2)};
  }
  if (length >= 4)
    return xxh3_4_to_8(reader.half(p) + (u64{reader.half(p + length - 4)} << 32), seed, length);
  if (length == 0)
    return {avalanche_short(seed ^ secret<8>() ^ secret<9>()),
            avalanche_short(seed ^ secret<10>() ^ secret<11>())};
  const u32 x =
      u32{p[0]} << 16 | u32{p[length >> 1]} << 24 | p[length - 1] | static_cast<u32>(length) << 8;
  const u32 y = reversed_bytes(x);
  constexpr u64 kFirst = static_cast<u32>(secret<0>()) ^ static_cast<u32>(secret<0>() >> 32);
  constexpr u64 kSecond = static_cast<u32>(secret<1>()) ^ static_cast<u32>(secret<1>() >> 32);
  return {avalanche_short(x ^ (kFirst + seed)),
          avalanche_short(u64{y << 13 | y >> 19} ^ (kSecond - seed))};
}

}  // namespace bloomery::gpu::cuda
