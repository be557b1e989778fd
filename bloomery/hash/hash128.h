// A 128-bit hash as two numbers: the first and the last eight digest bytes, read little-endian.
#pragma once
#include <cstdint>

namespace bloomery {

struct Hash128 {
  std::uint64_t low;
  std::uint64_t high;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

}  // namespace bloomery
