// xxHash (Yann Collet): XXH64, and XXH3 with 64 and 128 bits. The code is libxxhash's.
#pragma once
#include "bloomery/base/bytes.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

std::uint64_t xxh64(ByteView key, std::uint64_t seed = 0) noexcept;
std::uint64_t xxh3_64(ByteView key, std::uint64_t seed = 0) noexcept;
Hash128 xxh3_128(ByteView key, std::uint64_t seed = 0) noexcept;

}  // namespace bloomery
