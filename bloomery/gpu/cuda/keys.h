// Sources of keys: key number i becomes what passes between the passes of a kernel ("carried"), the
// least from which both words of its hash follow: 8 bytes for numbers, 16 for strings.
#pragma once
#include "bloomery/gpu/cuda/xxh3_long.h"
#include "bloomery/hash/mix.h"

namespace bloomery::gpu::cuda {

// Numbers hashed by the profile mix, whose second word is a function of the first.
struct MixKeys {
  using Loaded = u64;
  using Carried = u64;
  const u64* keys;
  u64 seed;
  BLOOMERY_BOTH Loaded load(u64 i) const { return stream_word(keys + i); }
  BLOOMERY_BOTH Carried carried(Loaded key) const { return mix_u64(key, seed).low; }
  BLOOMERY_BOTH Hash128 hash(Carried place) const { return with_bits_of(place); }
  BLOOMERY_BOTH MixKeys from(u64 first) const { return {keys + first, seed}; }
};

// Numbers hashed by XXH3. They are hashed again rather than carried in 16 bytes: less traffic.
struct Xxh3Keys {
  using Loaded = u64;
  using Carried = u64;
  const u64* keys;
  u64 seed;
  BLOOMERY_BOTH Loaded load(u64 i) const { return stream_word(keys + i); }
  BLOOMERY_BOTH Carried carried(Loaded key) const { return key; }
  BLOOMERY_BOTH Hash128 hash(Carried key) const { return xxh3_of_number(key, seed); }
  BLOOMERY_BOTH Xxh3Keys from(u64 first) const { return {keys + first, seed}; }
};

// Byte strings as columns keep them: string i is data[offsets[i], offsets[i + 1]), by XXH3.
template <class Offset>
struct Strings {
  struct Loaded {
    Offset begin, end;
  };
  using Carried = Hash128;
  const Offset* offsets;
  const u8* data;
  const u8* end;  // the last multiple of eight within the memory of the data
  u64 seed;
  BLOOMERY_BOTH Loaded load(u64 i) const {
#ifdef __CUDA_ARCH__
    return {__ldg(offsets + i), __ldg(offsets + i + 1)};
#else
    return {offsets[i], offsets[i + 1]};
#endif
  }
  BLOOMERY_BOTH Carried carried(Loaded at) const {
    const u8* p = data + at.begin;
    const Offset length = at.end - at.begin;
    if (length <= 128 && p + length <= end) return xxh3_short(AlignedReader{}, p, length, seed);
    return xxh3_any(p, length, seed, end);
  }
  BLOOMERY_BOTH Hash128 hash(const Carried& hash) const { return hash; }
  BLOOMERY_BOTH Strings from(u64 first) const { return {offsets + first, data, end, seed}; }
};

}  // namespace bloomery::gpu::cuda
