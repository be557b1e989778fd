// MurmurHash2: the original 32-bit hash and the 64-bit one, 64A (Austin Appleby, public domain).
#pragma once
#include "bloomery/base/bytes.h"

namespace bloomery {

std::uint64_t murmur2_64a(ByteView key, std::uint64_t seed) noexcept;
std::uint32_t murmur2_32(ByteView key, std::uint32_t seed) noexcept;

}  // namespace bloomery
