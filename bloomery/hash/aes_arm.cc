// Compiled for CPUs with AES instructions; aes_hash.cc calls it on those alone.
#include "bloomery/hash/aes_arm.h"

#if defined(__aarch64__) && defined(__ARM_FEATURE_AES)
namespace bloomery::internal {

Hash128 aes_u64_arm(std::uint64_t key, std::uint64_t seed) noexcept {
  return words_of(aes_of_number(key, seed));
}
Hash128 aes_bytes_arm(ByteView key, std::uint64_t seed) noexcept {
  return words_of(aes_of_bytes(key, seed));
}

}  // namespace bloomery::internal
#endif
