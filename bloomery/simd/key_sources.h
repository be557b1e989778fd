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

// Almost every filter has seed 0. The function behind XXH3_64bits, because a compiler does not
// inline XXH3_64bits itself into so many loops.
[[maybe_unused, gnu::always_inline]] inline Hash128 unseeded_xxh3_64(const void* key,
                                                                     std::size_t size) {
  return with_bits_of(XXH3_64bits_internal(key, size, 0, XXH3_kSecret, sizeof XXH3_kSecret,
                                           XXH3_hashLong_64b_default));
}
[[maybe_unused, gnu::always_inline]] inline Hash128 inlined_xxh3_64(const void* key,
                                                                    std::size_t size,
                                                                    std::uint64_t seed) {
  if (__builtin_expect(seed == 0, 1)) return unseeded_xxh3_64(key, size);
  return with_bits_of(XXH3_64bits_withSeed(key, size, seed));
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

struct Xxh3x64NumberSource {
  const std::uint64_t* keys;
  std::uint64_t seed;
  Hash128 digest(std::size_t i) const { return inlined_xxh3_64(keys + i, sizeof *keys, seed); }
};

struct Xxh3x64BytesSource {
  const ByteView* keys;
  std::uint64_t seed;
  Hash128 digest(std::size_t i) const {
    return inlined_xxh3_64(keys[i].data(), keys[i].size(), seed);
  }
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
// A sanitizer makes each loop slow to compile: its builds hash these first, as they do others.
#if defined(BLOOMERY_SMALL_KERNELS)
template <>
inline constexpr bool kIsAnySource<Xxh3NumberSource> = true;
template <>
inline constexpr bool kIsAnySource<Xxh3BytesSource> = true;
template <>
inline constexpr bool kIsAnySource<Xxh3x64NumberSource> = true;
template <>
inline constexpr bool kIsAnySource<Xxh3x64BytesSource> = true;
#endif

// Keys that lie elsewhere are fetched before they are hashed: into the second-level cache, because
// the first has miss buffers for a few lines only. A key has bytes in one line or more; those
// between its first and last follow by themselves. Always inlined: GCC takes a function that only
// fetches for one without effect, and drops its calls.
template <class Source>
inline constexpr bool kKeysLieElsewhere = requires(const Source& source) {
  source.keys->data();
};
template <class Source>
BLOOMERY_INLINE void prefetch_key(const Source& source, std::size_t i) {
  const auto& key = source.keys[i];
  __builtin_prefetch(key.data(), 0, 2);
  if (key.size() > 1) __builtin_prefetch(key.data() + (key.size() - 1), 0, 2);
}

}  // namespace
}  // namespace bloomery::simd
