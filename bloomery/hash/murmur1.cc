#include "bloomery/hash/murmur1.h"

#include "bloomery/base/endian.h"
#include "bloomery/hash/partial_load.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kFactor = 0xc6a4a793;

std::uint32_t mixed_full_words(ByteView key, std::uint32_t seed) {
  std::uint32_t hash = seed ^ (static_cast<std::uint32_t>(key.size()) * kFactor);
  const std::byte* from = key.data();
  for (std::size_t left = key.size() / 4; left > 0; --left, from += 4) {
    hash = (hash + load_le<std::uint32_t>(from)) * kFactor;
    hash ^= hash >> 16;
  }
  return hash;
}

std::uint32_t mixed_tail(std::uint32_t hash, std::uint32_t tail) {
  hash = (hash + tail) * kFactor;
  return hash ^ (hash >> 24);
}

ByteView tail_of(ByteView key) { return key.last(key.size() % 4); }

}  // namespace

std::uint32_t murmur1_unfinished(ByteView key, std::uint32_t seed) noexcept {
  const std::uint32_t hash = mixed_full_words(key, seed);
  const ByteView tail = tail_of(key);
  if (tail.empty()) return hash;
  return mixed_tail(
      hash, static_cast<std::uint32_t>(internal::load_le_partial(tail.data(), tail.size())));
}

std::uint32_t murmur1_unfinished_signed_tail(ByteView key, std::uint32_t seed) noexcept {
  const std::uint32_t hash = mixed_full_words(key, seed);
  const ByteView tail = tail_of(key);
  if (tail.empty()) return hash;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const auto byte = std::to_integer<std::uint32_t>(tail[i]);
    const std::uint32_t extended = (byte ^ 0x80) - 0x80;  // to 32 bits, as from a signed char
    sum += extended << (8 * i);
  }
  return mixed_tail(hash, sum);
}

}  // namespace bloomery
