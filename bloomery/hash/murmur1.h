// MurmurHash1's loop without its last avalanche: the 32-bit hash of LevelDB (1.23, util/hash.cc).
#pragma once
#include "bloomery/base/endian.h"

namespace bloomery {

std::uint32_t murmur1_unfinished(ByteView key, std::uint32_t seed) noexcept;

// LevelDB before 1.18 read the last one to three bytes as signed char: a byte of 0x80 or more is
// sign-extended before it is shifted and added.
std::uint32_t murmur1_unfinished_signed_tail(ByteView key, std::uint32_t seed) noexcept;

namespace internal {

inline constexpr std::uint32_t kMurmur1Factor = 0xc6a4a793;

[[gnu::always_inline]] inline std::uint32_t murmur1_word(std::uint32_t hash, std::uint32_t word) {
  hash = (hash + word) * kMurmur1Factor;
  return hash ^ (hash >> 16);
}

// Two words at a time: of short keys the loop is half the work.
[[gnu::always_inline]] inline std::uint32_t murmur1_full_words(ByteView key, std::uint32_t seed) {
  std::uint32_t hash = seed ^ (static_cast<std::uint32_t>(key.size()) * kMurmur1Factor);
  const std::byte* from = key.data();
  for (std::size_t left = key.size() / 8; left > 0; --left, from += 8) {
    std::uint64_t words;
    __builtin_memcpy(&words, from, sizeof words);
    hash = murmur1_word(hash, static_cast<std::uint32_t>(words));
    hash = murmur1_word(hash, static_cast<std::uint32_t>(words >> 32));
  }
  if ((key.size() & 4) == 0) return hash;
  std::uint32_t word;
  __builtin_memcpy(&word, from, sizeof word);
  return murmur1_word(hash, word);
}

[[gnu::always_inline]] inline std::uint32_t murmur1_tail(std::uint32_t hash, std::uint32_t tail) {
  hash = (hash + tail) * kMurmur1Factor;
  return hash ^ (hash >> 24);
}

// For kernels, which call nothing of other layers.
[[gnu::always_inline]] inline std::uint32_t murmur1_inlined(ByteView key, std::uint32_t seed) {
  const std::uint32_t hash = murmur1_full_words(key, seed);
  const std::size_t left = key.size() % 4;
  if (left == 0) return hash;
  // Of one to three bytes: the first, the middle and the last; OR joins those that are the same.
  const std::byte* from = key.data() + key.size() - left;
  const std::uint32_t tail = static_cast<std::uint32_t>(from[0]) |
                             static_cast<std::uint32_t>(from[left / 2]) << (8 * (left / 2)) |
                             static_cast<std::uint32_t>(from[left - 1]) << (8 * (left - 1));
  return murmur1_tail(hash, tail);
}

}  // namespace internal
}  // namespace bloomery
