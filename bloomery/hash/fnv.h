// FNV-1 and FNV-1a, 64 bits (Fowler, Noll, Vo): one multiplication per byte, in two orders.
#pragma once
#include "bloomery/base/bytes.h"

namespace bloomery {

inline constexpr std::uint64_t kFnvBasis64 = 14695981039346656037u;
inline constexpr std::uint64_t kFnvPrime64 = 1099511628211u;

constexpr std::uint64_t fnv1_64(ByteView key, std::uint64_t basis = kFnvBasis64) noexcept {
  std::uint64_t hash = basis;
  for (const std::byte byte : key) {
    hash = (hash * kFnvPrime64) ^ std::to_integer<std::uint64_t>(byte);
  }
  return hash;
}

constexpr std::uint64_t fnv1a_64(ByteView key, std::uint64_t basis = kFnvBasis64) noexcept {
  std::uint64_t hash = basis;
  for (const std::byte byte : key) {
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * kFnvPrime64;
  }
  return hash;
}

struct FnvPair {
  std::uint64_t fnv1;
  std::uint64_t fnv1a;
  friend bool operator==(const FnvPair&, const FnvPair&) = default;
};

// Each hash waits for its own last multiplication; in one loop the two waits overlap.
constexpr FnvPair fnv1_and_1a_64(ByteView key) noexcept {
  FnvPair pair{kFnvBasis64, kFnvBasis64};
  for (const std::byte byte : key) {
    const auto value = std::to_integer<std::uint64_t>(byte);
    pair.fnv1 = (pair.fnv1 * kFnvPrime64) ^ value;
    pair.fnv1a = (pair.fnv1a ^ value) * kFnvPrime64;
  }
  return pair;
}

}  // namespace bloomery
