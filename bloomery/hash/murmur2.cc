#include "bloomery/hash/murmur2.h"

#include "bloomery/base/endian.h"
#include "bloomery/hash/partial_load.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kFactor64 = 0xc6a4a7935bd1e995;
constexpr std::uint32_t kFactor32 = 0x5bd1e995;

}  // namespace

std::uint64_t murmur2_64a(ByteView key, std::uint64_t seed) noexcept {
  std::uint64_t hash = seed ^ (key.size() * kFactor64);
  const std::byte* from = key.data();
  for (std::size_t left = key.size() / 8; left > 0; --left, from += 8) {
    std::uint64_t word = load_le<std::uint64_t>(from) * kFactor64;
    word = (word ^ (word >> 47)) * kFactor64;
    hash = (hash ^ word) * kFactor64;
  }
  if (const std::size_t tail = key.size() % 8; tail > 0) {
    hash = (hash ^ internal::load_le_partial(from, tail)) * kFactor64;
  }
  hash = (hash ^ (hash >> 47)) * kFactor64;
  return hash ^ (hash >> 47);
}

std::uint32_t murmur2_32(ByteView key, std::uint32_t seed) noexcept {
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(key.size());
  const std::byte* from = key.data();
  for (std::size_t left = key.size() / 4; left > 0; --left, from += 4) {
    std::uint32_t word = load_le<std::uint32_t>(from) * kFactor32;
    word = (word ^ (word >> 24)) * kFactor32;
    hash = (hash * kFactor32) ^ word;
  }
  if (const std::size_t tail = key.size() % 4; tail > 0) {
    const auto rest = static_cast<std::uint32_t>(internal::load_le_partial(from, tail));
    hash = (hash ^ rest) * kFactor32;
  }
  hash = (hash ^ (hash >> 13)) * kFactor32;
  return hash ^ (hash >> 15);
}

}  // namespace bloomery
