// Inlined into this file: a short key is hashed in a few cycles, so a call across libraries would
// show.
#define XXH_INLINE_ALL
#include <xxhash.h>

// After xxhash.h, whose macro must stand first.
#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

// xxhash.h asks whether the address is null, and an analyzer then believes it may be. Only an empty
// view has none.
const void* address_of(ByteView key) {
  const std::byte* address = key.data();
  if (address == nullptr && !key.empty()) __builtin_unreachable();
  return address;
}

}  // namespace

std::uint64_t xxh64(ByteView key, std::uint64_t seed) noexcept {
  return XXH64(address_of(key), key.size(), seed);
}

std::uint64_t xxh3_64(ByteView key, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(address_of(key), key.size(), seed);
}

Hash128 xxh3_128(ByteView key, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(address_of(key), key.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace bloomery
