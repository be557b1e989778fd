// The digests of many keys at once, with the kernels of this CPU.
#pragma once
#include <cassert>

#include "bloomery/filter/key_hash.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery {

// Precondition: a digest for each key; the hash accepts bytes, or the keys are whole numbers.
inline void digest_batch(const KeyHash& hash, std::span<const ByteView> keys,
                         std::span<Hash128> digests) {
  assert(digests.size() >= keys.size());
  if (!hash.whole_numbers)
    simd::active_block_kernels().hash_bytes(hash.hasher, keys.data(), keys.size(), digests.data());
  else
    for (std::size_t i = 0; i < keys.size(); ++i) digests[i] = hash.digest(keys[i]);
}

}  // namespace bloomery
