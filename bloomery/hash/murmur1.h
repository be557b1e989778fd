// MurmurHash1's loop without its last avalanche: the 32-bit hash of LevelDB (1.23, util/hash.cc).
#pragma once
#include "bloomery/base/bytes.h"

namespace bloomery {

std::uint32_t murmur1_unfinished(ByteView key, std::uint32_t seed) noexcept;

// LevelDB before 1.18 read the last one to three bytes as signed char: a byte of 0x80 or more is
// sign-extended before it is shifted and added.
std::uint32_t murmur1_unfinished_signed_tail(ByteView key, std::uint32_t seed) noexcept;

}  // namespace bloomery
