// The hash of the `aes` profile: AES rounds as mixing steps, for CPUs that have them as one
// instruction. This portable code is the definition; vector code computes the same bits. Not for
// hostile keys.
#pragma once
#include <array>

#include "bloomery/base/bytes.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

// One 128-bit register of AES state: byte i of the register is byte i of the two words, low first.
using AesBlock = Hash128;

// The fractional digits of pi in hexadecimal, as Blowfish has them. Vector code takes them from
// here.
inline constexpr std::array<AesBlock, 4> kAesKeys = {{
    {0x13198a2e03707344, 0x243f6a8885a308d3},
    {0x082efa98ec4e6c89, 0xa4093822299f31d0},
    {0xbe5466cf34e90c6c, 0x452821e638d01377},
    {0x3f84d5b5b5470917, 0xc0ac29b7c97c50dd},
}};

// A byte key fills four blocks at a time, and these are the state they meet.
inline constexpr std::array<AesBlock, 4> kAesStripeKeys = {kAesKeys[3], kAesKeys[2], kAesKeys[1],
                                                           kAesKeys[0]};
inline constexpr std::size_t kAesStripeBytes = 64;

// Times the key's length: the round key of the last stripe, so that zero filling cannot be
// mistaken.
inline constexpr std::uint64_t kAesLengthFactor = 0x9e3779b97f4a7c15;

// One round of FIPS 197 with AddRoundKey last: the instruction AESENC.
AesBlock aes_round(AesBlock state, AesBlock round_key) noexcept;

// The seed enters both words of every block of the first state.
Hash128 aes_hash_u64(std::uint64_t key, std::uint64_t seed) noexcept;
Hash128 aes_hash_bytes(ByteView key, std::uint64_t seed) noexcept;

// The same hashes, by the CPU's instruction where it has one.
Hash128 fast_aes_u64(std::uint64_t key, std::uint64_t seed) noexcept;
Hash128 fast_aes_bytes(ByteView key, std::uint64_t seed) noexcept;

namespace internal {  // hash/aes_x86.cc and aes_arm.cc
Hash128 aes_u64_x86(std::uint64_t key, std::uint64_t seed) noexcept;
Hash128 aes_bytes_x86(ByteView key, std::uint64_t seed) noexcept;
Hash128 aes_u64_arm(std::uint64_t key, std::uint64_t seed) noexcept;
Hash128 aes_bytes_arm(ByteView key, std::uint64_t seed) noexcept;
}  // namespace internal

}  // namespace bloomery
