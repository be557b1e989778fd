// Compiled for CPUs with AES instructions; aes_hash.cc calls it on those alone.
#include "bloomery/hash/aes_x86.h"

#if defined(__AES__) && defined(__SSE4_1__)
namespace bloomery::internal {

Hash128 aes_u64_x86(std::uint64_t key, std::uint64_t seed) noexcept {
  return words_of(aes_of_number(key, seed));
}
Hash128 aes_bytes_x86(ByteView key, std::uint64_t seed) noexcept {
  return words_of(aes_of_bytes(key, seed));
}

}  // namespace bloomery::internal
#endif
