// Keys of a benchmark: sixteen random bytes each, from a fixed seed; present and absent ones never
// meet.
#pragma once
#include <cstdint>
#include <vector>

#include "bloomery/base/endian.h"

namespace bloomery::bench {

class Keys {
 public:
  static constexpr std::size_t kKeyBytes = 16;

  Keys(std::size_t count, std::uint64_t seed) : bytes_(count * kKeyBytes), views_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* key = bytes_.data() + i * kKeyBytes;
      store_le(key, next(seed));
      store_le(key + 8, next(seed));
      views_[i] = {key, kKeyBytes};
    }
  }
  std::span<const ByteView> views() const { return views_; }

 private:
  static std::uint64_t next(std::uint64_t& state) {  // splitmix64
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::vector<std::byte> bytes_;
  std::vector<ByteView> views_;
};

}  // namespace bloomery::bench
