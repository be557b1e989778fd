// Where a kernel's hashes come from: one small struct per kind of key and profile. Included by each
// instruction set's file on its own, so nothing here may be compiled once and shared.
#pragma once
// A short key is hashed in a few cycles: the hash is compiled into the loop.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bloomery/simd/block_kernels.h"

namespace bloomery::simd {
namespace {

[[maybe_unused]] inline Hash128 inlined_xxh3(const void* key, std::size_t size,
                                             std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(key, size, seed);
  return {hash.low64, hash.high64};
}

struct HashSource {
  const Hash128* keys;
  Hash128 digest(std::size_t i) const { return keys[i]; }
};

struct MixSource {
  const std::uint64_t* keys;
  std::uint64_t seed;
  Hash128 digest(std::size_t i) const { return mix_u64(keys[i], seed); }
};

struct Xxh3NumberSource {
  const std::uint64_t* keys;
  std::uint64_t seed;
  Hash128 digest(std::size_t i) const { return inlined_xxh3(keys + i, sizeof *keys, seed); }
};

struct Xxh3BytesSource {
  const ByteView* keys;
  std::uint64_t seed;
  Hash128 digest(std::size_t i) const { return inlined_xxh3(keys[i].data(), keys[i].size(), seed); }
};

// Profiles that gain nothing from being inlined.
template <class Key>
struct AnySource {
  const Key* keys;
  const Hasher& hasher;
  Hash128 digest(std::size_t i) const { return hasher(keys[i]); }
};

template <class Source>
inline constexpr bool kIsAnySource = false;
template <class Key>
inline constexpr bool kIsAnySource<AnySource<Key>> = true;

// Keys that lie elsewhere are fetched before they are hashed.
template <class Source>
void prefetch_key(const Source& source, std::size_t i) {
  if constexpr (requires { source.keys[i].data(); }) {
    const auto& key = source.keys[i];
    __builtin_prefetch(key.data());
    if (key.size() > 1) __builtin_prefetch(key.data() + (key.size() - 1));
  }
}

}  // namespace
}  // namespace bloomery::simd
