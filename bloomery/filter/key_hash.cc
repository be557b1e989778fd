#include "bloomery/filter/key_hash.h"

#include "bloomery/hash/xxh.h"

namespace bloomery {

Hash128 KeyHash::digest_other_length(ByteView key) const noexcept {
  return hasher.accepts_bytes() ? hasher(key) : xxh3_128(key, hasher.seed());
}

}  // namespace bloomery
