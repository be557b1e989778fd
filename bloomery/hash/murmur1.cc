#include "bloomery/hash/murmur1.h"

namespace bloomery {

std::uint32_t murmur1_unfinished(ByteView key, std::uint32_t seed) noexcept {
  return internal::murmur1_inlined(key, seed);
}

std::uint32_t murmur1_unfinished_signed_tail(ByteView key, std::uint32_t seed) noexcept {
  const std::uint32_t hash = internal::murmur1_full_words(key, seed);
  const ByteView tail = key.last(key.size() % 4);
  if (tail.empty()) return hash;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const auto byte = std::to_integer<std::uint32_t>(tail[i]);
    const std::uint32_t extended = (byte ^ 0x80) - 0x80;  // to 32 bits, as from a signed char
    sum += extended << (8 * i);
  }
  return internal::murmur1_tail(hash, sum);
}

}  // namespace bloomery
