// MurmurHash3, the two 128-bit variants (Austin Appleby, public domain). They are different hashes,
// not one hash for two machines.
#pragma once
#include "bloomery/base/bytes.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

// The seed is both halves of the first state; the original's is 32 bits wide.
Hash128 murmur3_x64_128(ByteView key, std::uint64_t seed = 0) noexcept;
Hash128 murmur3_x86_128(ByteView key, std::uint32_t seed = 0) noexcept;

struct Murmur3Twice {
  Hash128 plain;     // of the key
  Hash128 suffixed;  // of the key followed by one byte
  friend bool operator==(const Murmur3Twice&, const Murmur3Twice&) = default;
};

// Both at little more than the price of one: full blocks are shared. Seed 0.
Murmur3Twice murmur3_x64_128_twice(ByteView key, std::byte suffix) noexcept;

}  // namespace bloomery
